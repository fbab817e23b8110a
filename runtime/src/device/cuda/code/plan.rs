//! Jobs that may need several kernels, and memory between them.

use smallvec::{SmallVec, smallvec};

use super::super::work::{Address, Work};
use super::fold::Fold;
use super::linear::{MatVec, matmul};
use super::nest::Strided;
use super::reduce::lines::Lines;
use super::reduce::whole::{Whole, combine};
use super::scan::Scan;
use super::{DeviceOperand, DeviceTile, Job, index};
use crate::operation::Body;

/// How a job is done.
#[allow(
    clippy::large_enum_variant,
    reason = "it lives on the stack, for one call"
)]
pub(super) enum Plan<'a> {
    /// A reduction of a tile to one value at these addresses.
    Whole(Whole, SmallVec<[Address; 2]>),
    /// A reduction along an axis.
    Lines(Lines),
    /// Running results along an axis.
    Scan(Scan),
    /// A product of a matrix and a vector.
    MatVec(MatVec),
    /// What needs no memory.
    Ready(SmallVec<[Work; 2]>),
    /// Writes to what indices name.
    Put {
        job: &'a Job<'a>,
        axis: usize,
        values: &'a DeviceOperand,
        indices: &'a DeviceTile,
        out: &'a DeviceTile,
    },
}

impl<'a> Plan<'a> {
    /// `None` where the job has no elements, or is one of elements and generators.
    pub(super) fn of(job: &'a Job<'a>) -> Option<Plan<'a>> {
        use DeviceOperand::Tile;
        let address = |tile: &DeviceTile| Strided::of(tile).first;
        Some(match (job.body, job.operands) {
            (Body::Partial(op), [Tile(input), Tile(out)]) => {
                let fold = Fold::reduce(op, input.dtype);
                let whole = Whole::reduce(fold, input, job.first, job.whole)?;
                Plan::Whole(whole, smallvec![address(out)])
            }
            (Body::PartialArg(op), [Tile(input), Tile(values), Tile(indices)]) => {
                let fold = Fold::reduce(op, input.dtype);
                let whole = Whole::reduce(fold, input, job.first, job.whole)?;
                Plan::Whole(whole, smallvec![address(values), address(indices)])
            }
            (Body::Dot, [Tile(left), Tile(right), Tile(out)]) => {
                Plan::Whole(Whole::dot(left, right)?, smallvec![address(out)])
            }
            (Body::Combine(op), [Tile(partials), Tile(out)]) => {
                let fold = Fold::reduce(op.combining(), partials.dtype);
                Plan::Ready(smallvec![combine_tiles(fold, &[partials], &[address(out)])])
            }
            (Body::CombineArg(op), [Tile(values), Tile(indices), Tile(out)]) => {
                let fold = Fold::reduce(op, values.dtype);
                let work = combine_tiles(fold, &[values, indices], &[0, address(out)]);
                Plan::Ready(smallvec![work])
            }
            (Body::CombineDot, [Tile(partials), Tile(out)]) => {
                let fold = Fold::products(partials.dtype);
                Plan::Ready(smallvec![combine_tiles(fold, &[partials], &[address(out)])])
            }
            (Body::Axis { reduce, axis, .. }, [Tile(input), Tile(out)]) => {
                let fold = Fold::reduce(reduce, input.dtype);
                Plan::Lines(Lines::reduce(fold, usize::from(axis), input, out)?)
            }
            (Body::Scan { scan, axis }, [Tile(input), Tile(out)]) => {
                Plan::Scan(Scan::new(scan, usize::from(axis), input, out)?)
            }
            (Body::Take { axis }, [Tile(input), Tile(indices), Tile(out)]) => {
                let tiles = [input, indices, out];
                Plan::Ready(index::take(job, usize::from(axis), tiles))
            }
            (Body::Put { axis }, [values, Tile(indices), Tile(out)]) => Plan::Put {
                job,
                axis: usize::from(axis),
                values,
                indices,
                out,
            },
            (Body::MatVec { .. }, [Tile(matrix), Tile(vector), Tile(out)]) => {
                Plan::MatVec(MatVec::new(matrix, vector, out)?)
            }
            (Body::MatMul { .. }, [Tile(a), Tile(b), Tile(out)]) => {
                Plan::Ready(matmul(a, b, out).into_iter().collect())
            }
            _ => return None,
        })
    }

    /// Bytes of device memory that are needed between kernels.
    pub(super) fn scratch(&self) -> usize {
        match self {
            Plan::Whole(whole, _) => whole.scratch(),
            Plan::Lines(lines) => lines.scratch(),
            Plan::Scan(scan) => scan.scratch(),
            Plan::MatVec(product) => product.scratch(),
            Plan::Ready(_) => 0,
            Plan::Put {
                axis, indices, out, ..
            } => index::put_scratch(*axis, indices, out),
        }
    }

    /// The work, with that memory at `scratch`.
    pub(super) fn work(self, scratch: Address) -> SmallVec<[Work; 2]> {
        match self {
            Plan::Whole(whole, out) => whole.work(scratch, &out),
            Plan::Lines(lines) => lines.work(scratch),
            Plan::Scan(scan) => scan.work(scratch),
            Plan::MatVec(product) => product.work(scratch),
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

/// One result of those in vectors: their values, and their numbers where they are places.
fn combine_tiles(fold: Fold, partials: &[&DeviceTile], out: &[Address]) -> Work {
    let addresses: SmallVec<[Address; 2]> = partials
        .iter()
        .map(|tile| Strided::of(tile).first)
        .collect();
    let mut steps = [0; 2];
    for (step, tile) in steps.iter_mut().zip(partials) {
        *step = tile.layout.strides[0];
    }
    combine(fold, partials[0].layout.shape.len(), &addresses, steps, out)
}

#[cfg(test)]
mod tests;
