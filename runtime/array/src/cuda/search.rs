//! Places of values in a sorted vector.

use super::c::{type_name, types};
use super::loops::{Form, LOOPS, Walk, blocks, entry, longest_grid};
use super::nest::{Nest, Strided};
use super::{DeviceTile, Kernel};
use crate::dtype::DType;
use weft_core::cuda::{Args, Launch, Work};

const SEARCH: &str = include_str!("cuda/search.cuh");

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
pub(crate) struct Key {
    dtype: DType,
    form: Form,
}

impl Key {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(self) -> Key {
        Key {
            form: self.form.widened(),
            ..self
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("weft_searchsorted_{}{}", self.dtype, self.form.suffix())
    }

    pub(crate) fn source(&self) -> String {
        let element = type_name(self.dtype);
        let mut parameters = vec![
            format!("const {element} *sorted"),
            format!("const {element} *values"),
            "long long *out".to_owned(),
        ];
        let numbers = ["step", "length", "right"];
        parameters.extend(numbers.map(|name| format!("long long {name}")));
        parameters.extend(self.form.walk_parameters());
        let body = format!(
            "{}    weft::search<{EACH}>(sorted, step, length, right != 0, values, out, walk);\n",
            self.form.declare_walk(EACH)
        );
        let entry = entry(&self.name(), parameters, &body);
        let types = types(&[self.dtype]);
        let order = order(self.dtype);
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
    let operands = [values, out].map(Strided::of);
    let nest = Nest::new(out.layout.shape, &operands)?;
    let walk = Walk::new(&nest, &[0, 1], EACH);
    let mut args: Args = [Strided::of(sorted).first, nest.first[0], nest.first[1]]
        .into_iter()
        .collect();
    args.extend([
        sorted.layout.strides[0] as u64,
        sorted.layout.shape.len() as u64,
        u64::from(right),
    ]);
    args.extend(walk.args);
    Some(Work::Kernel(Launch {
        kernel: Kernel::of(Key {
            dtype: values.dtype,
            form: Form::of(&nest, &[0, 1], nest.is_wide),
        }),
        grid: blocks(longest_grid(walk.units)),
        block: walk.block,
        args,
    }))
}
