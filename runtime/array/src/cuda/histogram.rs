//! Counts of values between edges.

use smallvec::{SmallVec, smallvec};

use super::c::{type_name, types};
use super::count::clear;
use super::loops::{BLOCKS, LOOPS, THREADS, blocks, entry};
use super::nest::Strided;
use super::search::{SEARCH, order};
use super::{DeviceTile, Kernel};
use crate::dtype::DType;
use weft_core::cuda::{Launch, Work};

const HISTOGRAM: &str = include_str!("cuda/histogram.cuh");

/// The number of searches that a thread does at once: `EACH_VALUE` in `histogram.cuh`.
const EACH: usize = 4;

/// A kernel that counts values of a dtype between edges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct HistogramKernelKey {
    dtype: DType,
}

impl HistogramKernelKey {
    pub(crate) fn name(&self) -> String {
        format!("weft_histogram_{}", self.dtype)
    }

    pub(crate) fn source(&self) -> String {
        let element = type_name(self.dtype);
        let mut parameters = vec![
            format!("const {element} *edges"),
            format!("const {element} *values"),
            "unsigned long long *out".to_owned(),
        ];
        let numbers = ["edge_step", "bins", "count", "step"];
        parameters.extend(numbers.map(|name| format!("long long {name}")));
        let body = format!(
            "    const weft::Sorted<{element}> sorted = {{edges, edge_step, bins + 1}};\n    \
             weft::count_values(sorted, values, count, step, out);\n"
        );
        let entry = entry(&self.name(), parameters, &body);
        let types = types(&[self.dtype]);
        let order = order(self.dtype);
        format!("{types}{LOOPS}\n{order}\n{SEARCH}\n{HISTOGRAM}\n{entry}")
    }
}

/// Returns the work that counts the values of a vector in each bin between neighbouring edges. The
/// last bin includes both of its edges; `out` is a dense vector.
pub(super) fn histogram([edges, values, out]: [&DeviceTile; 3]) -> SmallVec<[Work; 2]> {
    let bins = out.layout.shape.len();
    let count = values.layout.shape.len();
    let mut work: SmallVec<[Work; 2]> = clear(out).into_iter().collect();
    if bins > 0 && count > 0 {
        work.push(Work::Kernel(Launch {
            kernel: Kernel::from_source(HistogramKernelKey {
                dtype: values.dtype,
            }),
            grid: blocks(count.div_ceil(EACH * THREADS).min(BLOCKS)),
            block: blocks(THREADS),
            args: smallvec![
                Strided::from_tile(edges).first,
                Strided::from_tile(values).first,
                Strided::from_tile(out).first,
                edges.layout.strides[0] as u64,
                bins as u64,
                count as u64,
                values.layout.strides[0] as u64,
            ],
        }));
    }
    work
}
