//! Plans of jobs that may need several kernels, with memory between them.

use smallvec::{SmallVec, smallvec};

use super::fold::Fold;
use super::linear::{MatVec, matmul};
use super::nest::Strided;
use super::reduce::lines::Lines;
use super::reduce::whole::{Whole, combine};
use super::scan::Scan;
use super::sort::Lines as SortedLines;
use super::weights::Weights;
use super::{
    DeviceOperand, DeviceTile, Job, count, exponent, generate, histogram, index, pack, search, sort,
};
use crate::kernel::sort::Runs;
use crate::kernel::{ReduceOp, ScanOp};
use crate::library::generate::Generator;
use weft_core::cuda::{Address, Work};
use weft_core::error::Cause;
use weft_core::operation::FoldKernels;

/// The plan of a job.
#[allow(
    clippy::large_enum_variant,
    reason = "it lives on the stack, for one call"
)]
pub(crate) enum Plan<'a> {
    /// A reduction of a tile to one value at these addresses.
    Whole(Whole, SmallVec<[Address; 2]>),
    /// A reduction along an axis.
    Lines(Lines),
    /// Running results along an axis.
    Scan(Scan),
    /// A product of a matrix and a vector.
    MatVec(MatVec),
    /// Sorted lines.
    Sort(SortedLines<'a>),
    /// Sums of weights by number.
    Weights(Weights<'a>),
    /// Work without scratch memory.
    Ready(SmallVec<[Work; 2]>),
    /// Writes by index.
    Put {
        job: &'a Job<'a>,
        axis: usize,
        values: &'a DeviceOperand,
        indices: &'a DeviceTile,
        out: &'a DeviceTile,
    },
}

/// Operations whose GPU work is a plan.
pub(crate) trait Planned {
    /// Whether a kernel may find a wrong index.
    const FINDS_FAULTS: bool = false;

    /// Returns the cause of a fault, as
    /// [`GpuKernels::cause`](weft_core::operation::GpuKernels::cause) does.
    fn cause(&self, fault: [u64; 2]) -> Cause {
        Cause::from_fault(fault)
    }

    /// Returns the kernels that reduce values as they are computed, as
    /// [`GpuKernels::fold`](weft_core::operation::GpuKernels::fold) does.
    fn fold(&self) -> Option<&dyn FoldKernels> {
        None
    }

    /// Returns the plan; `None` if the job has no elements.
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>>;
}

/// Implements GPU kernels for kernels with a [plan](Planned).
macro_rules! planned {
    ($($kernels:ty),*) => {
        $(impl weft_core::operation::GpuKernels for $kernels {
            fn scratch(&self, job: &Job<'_>) -> usize {
                self.plan(job).map_or(0, |plan| plan.scratch())
            }

            fn work(
                &self,
                job: &Job<'_>,
                scratch: weft_core::cuda::Address,
            ) -> smallvec::SmallVec<[weft_core::cuda::Work; 2]> {
                let plan = self.plan(job);
                plan.map_or_else(smallvec::SmallVec::new, |plan| plan.work(scratch))
            }

            fn fold(&self) -> Option<&dyn weft_core::operation::FoldKernels> {
                Planned::fold(self)
            }

            fn finds_faults(&self) -> bool {
                <$kernels as Planned>::FINDS_FAULTS
            }

            fn cause(&self, fault: [u64; 2]) -> weft_core::error::Cause {
                Planned::cause(self, fault)
            }
        })*
    };
}

pub(crate) use planned;

/// Returns the operands of a job with `N` operands, all of them in memory; `None` for any other
/// job.
pub(super) fn tiles<'a, const N: usize>(job: &'a Job<'a>) -> Option<[&'a DeviceTile; N]> {
    let operands: &[DeviceOperand; N] = job.operands.try_into().ok()?;
    let tiles = operands.each_ref().map(|operand| match operand {
        DeviceOperand::Tile(tile) => Some(tile),
        DeviceOperand::Scalar(_) => None,
    });
    let all = tiles.iter().all(Option::is_some);
    debug_assert!(all, "{} gets one value for an array", job.body.name);
    all.then(|| tiles.map(|tile| tile.unwrap_or_else(|| unreachable!("all were found"))))
}

fn address(tile: &DeviceTile) -> Address {
    Strided::from_tile(tile).first
}

impl<'a> Plan<'a> {
    /// Generates values from positions.
    pub(crate) fn generated(generator: Generator, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [out] = tiles(job)?;
        let work = generate::work(generator, out, job.first, job.whole)?;
        Some(Plan::Ready(smallvec![work]))
    }

    /// Reduces a tile to one value.
    pub(crate) fn partial(op: ReduceOp, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [input, out] = tiles(job)?;
        let fold = Fold::reduce(op, input.dtype);
        let whole = Whole::reduce(fold, input, job.first, job.whole)?;
        Some(Plan::Whole(whole, smallvec![address(out)]))
    }

    /// Reduces a tile to a value and its index.
    pub(crate) fn partial_arg(op: ReduceOp, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [input, values, indices] = tiles(job)?;
        let fold = Fold::reduce(op, input.dtype);
        let whole = Whole::reduce(fold, input, job.first, job.whole)?;
        Some(Plan::Whole(
            whole,
            smallvec![address(values), address(indices)],
        ))
    }

    /// Combines the values of tiles to one.
    pub(crate) fn combine(op: ReduceOp, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [partials, out] = tiles(job)?;
        let fold = Fold::reduce(op.combining(), partials.dtype);
        let work = combine_tiles(fold, &[partials], &[address(out)]);
        Some(Plan::Ready(smallvec![work]))
    }

    /// Combines the values of tiles and their indices to one index.
    pub(crate) fn combine_arg(op: ReduceOp, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [values, indices, out] = tiles(job)?;
        let fold = Fold::reduce(op, values.dtype);
        let work = combine_tiles(fold, &[values, indices], &[0, address(out)]);
        Some(Plan::Ready(smallvec![work]))
    }

    /// Reduces each line along an axis to one value.
    pub(crate) fn along(reduce: ReduceOp, axis: usize, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [input, out] = tiles(job)?;
        let fold = Fold::reduce(reduce, input.dtype);
        Some(Plan::Lines(Lines::reduce(fold, axis, input, out)?))
    }

    /// Computes running results along an axis, rounded to `f16` if `is_half`.
    pub(crate) fn scan(
        scan: ScanOp,
        axis: usize,
        is_half: bool,
        job: &'a Job<'a>,
    ) -> Option<Plan<'a>> {
        let [input, out] = tiles(job)?;
        Some(Plan::Scan(Scan::new(scan, axis, is_half, input, out)?))
    }

    /// Reads elements by index.
    pub(crate) fn take(axis: usize, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Some(Plan::Ready(index::take(job, axis, tiles(job)?)))
    }

    /// Writes elements by index.
    pub(crate) fn put(axis: usize, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [
            values,
            DeviceOperand::Tile(indices),
            DeviceOperand::Tile(out),
        ] = job.operands
        else {
            return None;
        };
        Some(Plan::Put {
            job,
            axis,
            values,
            indices,
            out,
        })
    }

    /// Counts the values between edges [edges, values, out].
    pub(crate) fn histogram(job: &'a Job<'a>) -> Option<Plan<'a>> {
        Some(Plan::Ready(histogram::histogram(tiles(job)?)))
    }

    /// Computes the product of two vectors.
    pub(crate) fn dot(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [left, right, out] = tiles(job)?;
        Some(Plan::Whole(
            Whole::dot(left, right)?,
            smallvec![address(out)],
        ))
    }

    /// Combines the products of tiles to one.
    pub(crate) fn combine_dot(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [partials, out] = tiles(job)?;
        let fold = Fold::products(partials.dtype);
        let work = combine_tiles(fold, &[partials], &[address(out)]);
        Some(Plan::Ready(smallvec![work]))
    }

    /// Computes matrix times vector.
    pub(crate) fn matvec(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [matrix, vector, out] = tiles(job)?;
        Some(Plan::MatVec(MatVec::new(matrix, vector, out)?))
    }

    /// Computes matrix times matrix.
    pub(crate) fn matmul(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [a, b, out] = tiles(job)?;
        Some(Plan::Ready(matmul(a, b, out).into_iter().collect()))
    }

    /// Sorts lines [input, out].
    pub(crate) fn sort(axis: usize, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [input, out] = tiles(job)?;
        Some(Plan::Sort(SortedLines::new(
            axis,
            input,
            Some(out),
            None,
            0,
        )?))
    }

    /// Computes the numbers of each line's elements in sorted order [input, out].
    pub(crate) fn argsort(axis: usize, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [input, out] = tiles(job)?;
        Some(Plan::Sort(SortedLines::new(
            axis,
            input,
            None,
            Some(out),
            0,
        )?))
    }

    /// Sorts a tile of a vector, with the numbers of its elements in the vector [input, values,
    /// numbers].
    pub(crate) fn sort_numbered(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [input, values, numbers] = tiles(job)?;
        let first = job.first[0];
        Some(Plan::Sort(SortedLines::new(
            0,
            input,
            Some(values),
            Some(numbers),
            first,
        )?))
    }

    /// Merges each two runs of a vector [input, out].
    pub(crate) fn merge(runs: Runs, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let tiles = tiles(job)?;
        let work = sort::merge(job, runs, tiles, None);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Merges each two runs of a vector, with the numbers of elements [values, numbers, out values,
    /// out numbers].
    pub(crate) fn merge_numbered(runs: Runs, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [values, numbers, out, out_numbers] = tiles(job)?;
        let numbers = Some([numbers, out_numbers]);
        let work = sort::merge(job, runs, [values, out], numbers);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Finds places in a sorted vector [sorted, values, out].
    pub(crate) fn search(right: bool, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [sorted, values, out] = tiles(job)?;
        let work = search::search(right, sorted, values, out);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Interpolates between points [at, x, y, out].
    pub(crate) fn interpolate(ends: [Option<f64>; 2], job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [at, x, y, out] = tiles(job)?;
        let work = search::interpolate(ends, [at, x, y, out]);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Counts numbers [numbers, out].
    pub(crate) fn count(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [numbers, out] = tiles(job)?;
        Some(Plan::Ready(count::count(job, numbers, out)))
    }

    /// Returns sums up the weights of each number [numbers, weights, out].
    pub(crate) fn count_weights(job: &'a Job<'a>) -> Option<Plan<'a>> {
        Some(Plan::Weights(Weights::new(job, tiles(job)?)))
    }

    /// Adds an axis of this length to row-major numbers [numbers so far, indices, out].
    pub(crate) fn ravel(length: usize, job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [
            so_far,
            DeviceOperand::Tile(indices),
            DeviceOperand::Tile(out),
        ] = job.operands
        else {
            return None;
        };
        let work = count::ravel(job, length, so_far, [indices, out]);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Checks the least exponent [least, out].
    pub(crate) fn check_exponent(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let work = exponent::check(job, tiles(job)?);
        Some(Plan::Ready(smallvec![work]))
    }

    /// Counts the set elements of each block of a mask [mask, counts].
    pub(crate) fn count_blocks(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let [mask, counts] = tiles(job)?;
        let work = pack::count_blocks(mask, counts);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Packs the values that a mask selects [mask, ends, values, out].
    pub(crate) fn pack(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let work = pack::pack(job, tiles(job)?);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Computes the numbers of the set elements [mask, ends, out].
    pub(crate) fn positions(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let work = pack::positions(job, tiles(job)?);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Unpacks values to where a mask is set [mask, ends, values, out].
    pub(crate) fn unpack(job: &'a Job<'a>) -> Option<Plan<'a>> {
        let work = pack::unpack(job, tiles(job)?);
        Some(Plan::Ready(work.into_iter().collect()))
    }

    /// Returns the number of bytes of device memory between kernels.
    pub(crate) fn scratch(&self) -> usize {
        match self {
            Plan::Whole(whole, _) => whole.scratch(),
            Plan::Lines(lines) => lines.scratch(),
            Plan::Scan(scan) => scan.scratch(),
            Plan::MatVec(product) => product.scratch(),
            Plan::Sort(lines) => lines.scratch(),
            Plan::Weights(sums) => sums.scratch(),
            Plan::Ready(_) => 0,
            Plan::Put {
                axis, indices, out, ..
            } => index::put_scratch(*axis, indices, out),
        }
    }

    /// Returns the work, with that memory at `scratch`.
    pub(crate) fn work(self, scratch: Address) -> SmallVec<[Work; 2]> {
        match self {
            Plan::Whole(whole, out) => smallvec![whole.work(scratch, &out)],
            Plan::Lines(lines) => smallvec![lines.work(scratch)],
            Plan::Scan(scan) => scan.work(scratch),
            Plan::MatVec(product) => smallvec![product.work(scratch)],
            Plan::Sort(lines) => lines.work(scratch),
            Plan::Weights(sums) => sums.work(scratch),
            Plan::Ready(work) => work,
            Plan::Put {
                job,
                axis,
                values,
                indices,
                out,
            } => index::put(job, axis, values, [indices, out], scratch),
        }
    }
}

/// Combines results of tiles in vectors: their values, and their numbers if they are places.
fn combine_tiles(fold: Fold, partials: &[&DeviceTile], out: &[Address]) -> Work {
    let addresses: SmallVec<[Address; 2]> = partials
        .iter()
        .map(|tile| Strided::from_tile(tile).first)
        .collect();
    let mut steps = [0; 2];
    for (step, tile) in steps.iter_mut().zip(partials) {
        *step = tile.layout.strides[0];
    }
    combine(fold, partials[0].layout.shape.len(), &addresses, steps, out)
}

#[cfg(test)]
mod tests;
