//! Counts of numbers, and row-major numbers of indices.

use smallvec::{SmallVec, smallvec};

use super::index::INDEX;
use super::loops::{BLOCKS, Form, LOOPS, THREADS, Walk, blocks, entry, longest_grid};
use super::nest::{Nest, Strided};
use super::{DeviceOperand, DeviceTile, Job, Kernel};
use weft_core::cuda::{Args, Launch, Work};

const COUNT: &str = include_str!("cuda/count.cuh");

/// The number of elements that a thread has in flight.
const EACH: usize = 4;

/// A kernel that counts, or computes row-major numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CountKernelKey {
    /// Counts numbers.
    Count,
    /// Adds an axis to row-major numbers.
    Ravel(Form),
}

impl CountKernelKey {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(self) -> CountKernelKey {
        match self {
            CountKernelKey::Count => CountKernelKey::Count,
            CountKernelKey::Ravel(form) => CountKernelKey::Ravel(form.widened()),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            CountKernelKey::Count => "weft_bincount".to_owned(),
            CountKernelKey::Ravel(form) => format!("weft_ravel_multi_index{}", form.suffix()),
        }
    }

    pub(crate) fn source(&self) -> String {
        let mut parameters: Vec<String>;
        let body;
        match self {
            CountKernelKey::Count => {
                parameters = ["const long long *numbers", "unsigned long long *out"]
                    .map(str::to_owned)
                    .into();
                let numbers = ["count", "step", "bins", "*fault"];
                parameters.extend(numbers.map(|name| format!("long long {name}")));
                body = "    weft::count_numbers(numbers, out, count, step, bins, fault);\n".into();
            }
            CountKernelKey::Ravel(form) => {
                parameters = ["const long long *so_far", "const long long *indices"]
                    .map(str::to_owned)
                    .into();
                let numbers = ["*out", "start", "length", "*fault"];
                parameters.extend(numbers.map(|name| format!("long long {name}")));
                parameters.extend(form.walk_parameters());
                body = format!(
                    "{}    weft::ravel<{EACH}>(so_far, start, indices, out, length, walk, fault);\n",
                    form.declare_walk(EACH)
                );
            }
        }
        let entry = entry(&self.name(), parameters, &body);
        format!("{LOOPS}\n{INDEX}\n{COUNT}\n{entry}")
    }
}

/// Returns the work that sets counters, a dense vector, to 0; `None` without counters, since the
/// driver rejects an empty fill.
pub(super) fn clear(counters: &DeviceTile) -> Option<Work> {
    let bins = counters.layout.shape.len();
    (bins > 0).then(|| Work::Fill {
        to: Strided::from_tile(counters).first,
        pattern: 0,
        width: 4,
        count: 2 * bins,
    })
}

/// Returns the work that counts each number below the length of `out`, a dense vector, in a vector.
pub(super) fn count(job: &Job<'_>, numbers: &DeviceTile, out: &DeviceTile) -> SmallVec<[Work; 2]> {
    let bins = out.layout.shape.len();
    let count = numbers.layout.shape.len();
    let mut work: SmallVec<[Work; 2]> = clear(out).into_iter().collect();
    let out = Strided::from_tile(out).first;
    if count > 0 {
        work.push(Work::Kernel(Launch {
            kernel: Kernel::from_source(CountKernelKey::Count),
            grid: blocks(count.div_ceil(EACH * THREADS).min(BLOCKS)),
            block: blocks(THREADS),
            args: smallvec![
                Strided::from_tile(numbers).first,
                out,
                count as u64,
                numbers.layout.strides[0] as u64,
                bins as u64,
                job.fault
            ],
        }));
    }
    work
}

/// Returns the work that adds an axis of this length to row-major numbers; `None` without elements.
pub(super) fn ravel(
    job: &Job<'_>,
    length: usize,
    so_far: &DeviceOperand,
    [indices, out]: [&DeviceTile; 2],
) -> Option<Work> {
    let (so_far, start) = match so_far {
        DeviceOperand::Tile(tile) => (Strided::from_tile(tile), 0),
        DeviceOperand::Scalar(start) => (Strided::NOWHERE, start.to::<i64>()),
    };
    let operands = [so_far, Strided::from_tile(indices), Strided::from_tile(out)];
    let nest = Nest::new(out.layout.shape, &operands)?;
    let walk = Walk::new(&nest, &[0, 1, 2], EACH);
    let mut args = Args::from_slice(&nest.first);
    args.extend([start as u64, length as u64, job.fault]);
    args.extend(walk.args);
    Some(Work::Kernel(Launch {
        kernel: Kernel::from_source(CountKernelKey::Ravel(Form::new(
            &nest,
            &[0, 1, 2],
            nest.is_wide,
        ))),
        grid: blocks(longest_grid(walk.units)),
        block: walk.block,
        args,
    }))
}
