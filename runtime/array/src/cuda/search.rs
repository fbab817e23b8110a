//! Places of values in a sorted vector, and interpolation between points.

use super::c::{type_name, types};
use super::loops::{Form, LOOPS, Walk, blocks, entry, longest_grid};
use super::nest::{Nest, Strided};
use super::{DeviceTile, Kernel};
use crate::dtype::DType;
use weft_core::cuda::{Args, Launch, Work};

/// The CUDA C of searches in sorted vectors.
pub(super) const SEARCH: &str = include_str!("cuda/search.cuh");

/// The CUDA C of the words by which elements are compared: for all dtypes that C has, for half
/// precision, and for complex numbers.
const ORDER: [&str; 3] = [
    include_str!("cuda/order.cuh"),
    include_str!("cuda/order_half.cuh"),
    include_str!("cuda/order_complex.cuh"),
];

/// Returns the CUDA C of the order of a dtype, whose C type must be defined before.
pub(super) fn order(dtype: DType) -> String {
    let more = match dtype {
        DType::F16 => ORDER[1],
        complex if complex.is_complex() => ORDER[2],
        _ => "",
    };
    format!("{}{more}", ORDER[0])
}

/// The number of searches that a thread does at once.
const EACH: usize = 4;

/// A kernel that searches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SearchKernelKey {
    finds: Finds,
    form: Form,
}

/// The results of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Finds {
    /// The places of values of a dtype.
    Places(DType),
    /// The function between points, at values.
    Interpolation,
}

impl SearchKernelKey {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(self) -> SearchKernelKey {
        SearchKernelKey {
            form: self.form.widened(),
            ..self
        }
    }

    pub(crate) fn name(&self) -> String {
        let suffix = self.form.suffix();
        match self.finds {
            Finds::Places(dtype) => format!("weft_searchsorted_{dtype}{suffix}"),
            Finds::Interpolation => format!("weft_interp{suffix}"),
        }
    }

    pub(crate) fn source(&self) -> String {
        let (dtype, call) = match self.finds {
            Finds::Places(dtype) => (dtype, "search<EACH>(sorted, right != 0, values, out, walk)"),
            Finds::Interpolation => (
                DType::F64,
                "interpolate<EACH>(sorted, y, y_step, given, left, last, values, out, walk)",
            ),
        };
        let element = type_name(dtype);
        let mut parameters = vec![
            format!("const {element} *first"),
            format!("const {element} *values"),
        ];
        let numbers: &[&str] = match self.finds {
            Finds::Places(_) => &["long long *out", "long long right"],
            Finds::Interpolation => &[
                "double *out",
                "const double *y",
                "long long y_step",
                "long long given",
                "double left",
                "double last",
            ],
        };
        parameters.extend(["long long step", "long long length"].map(str::to_owned));
        parameters.extend(numbers.iter().copied().map(str::to_owned));
        parameters.extend(self.form.walk_parameters());
        let body = format!(
            "{}    const weft::Sorted<{element}> sorted = {{first, step, length}};\n    weft::{};\n",
            self.form.declare_walk(EACH),
            call.replace("EACH", &EACH.to_string()),
        );
        let entry = entry(&self.name(), parameters, &body);
        let types = types(&[dtype]);
        let order = order(dtype);
        format!("{types}{LOOPS}\n{order}\n{SEARCH}\n{entry}")
    }
}

/// Returns the work that finds the places of values in a sorted vector; `None` without values.
pub(super) fn search(
    right: bool,
    sorted: &DeviceTile,
    values: &DeviceTile,
    out: &DeviceTile,
) -> Option<Work> {
    let finds = Finds::Places(values.dtype);
    work(finds, sorted, [values, out], &[u64::from(right)])
}

/// Returns the work that interpolates between points, with these results before the first and
/// after the last one; `None` without values.
pub(super) fn interpolate(
    ends: [Option<f64>; 2],
    [at, x, y, out]: [&DeviceTile; 4],
) -> Option<Work> {
    let given = u64::from(ends[0].is_some()) | u64::from(ends[1].is_some()) << 1;
    let [left, last] = ends.map(|end| end.unwrap_or(0.0).to_bits());
    let numbers = [
        Strided::from_tile(y).first,
        y.layout.strides[0] as u64,
        given,
        left,
        last,
    ];
    work(Finds::Interpolation, x, [at, out], &numbers)
}

/// Returns the work of a kernel, with further arguments.
fn work(
    finds: Finds,
    sorted: &DeviceTile,
    [values, out]: [&DeviceTile; 2],
    more: &[u64],
) -> Option<Work> {
    let operands = [values, out].map(Strided::from_tile);
    let nest = Nest::new(out.layout.shape, &operands)?;
    let walk = Walk::new(&nest, &[0, 1], EACH);
    let mut args: Args = [
        Strided::from_tile(sorted).first,
        nest.first[0],
        sorted.layout.strides[0] as u64,
        sorted.layout.shape.len() as u64,
        nest.first[1],
    ]
    .into_iter()
    .collect();
    args.extend_from_slice(more);
    args.extend(walk.args);
    Some(Work::Kernel(Launch {
        kernel: Kernel::from_source(SearchKernelKey {
            finds,
            form: Form::new(&nest, &[0, 1], nest.is_wide),
        }),
        grid: blocks(longest_grid(walk.units)),
        block: walk.block,
        args,
    }))
}
