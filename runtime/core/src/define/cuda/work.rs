//! Conversion of a tile to launches.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::CudaBody;
use super::fault;
use super::helper::{Helper, THREADS};
use super::key::{CudaBodyKey, Parameter};
use crate::cuda::{Address, Args, Call, DeviceOperand, DeviceTile, Job, Kernel, Launch, Work, c};
use crate::define::kernel::Defined;
use crate::define::{Kind, Reduction};
use crate::dtype::{DType, Scalar};
use crate::error::Cause;
use crate::operation::GpuKernels;
use crate::shape::{MAX_DIMS, Shape};

/// Maximum number of blocks whose threads loop over further indices. It is enough for any GPU, and
/// the same on all, so that all give the same bits.
const BLOCKS: usize = 1024;

/// Maximum number of blocks of a grid.
const MOST_BLOCKS: usize = (1 << 31) - 1;

/// Largest index that leaves room, in 31 bits, for indices that threads compute beyond it.
const NARROW: usize = (1 << 31) - (1 << 20);

/// Maximum number of words that a kernel can take: 4 KiB, minus a reserve.
const MOST_WORDS: usize = 500;

/// The first index along each axis, and one past the last.
type Bounds = SmallVec<[(usize, usize); 4]>;

/// An array: its tile, its whole shape, and the bounds of its part.
type Array<'j> = (&'j DeviceTile, Shape, Bounds);

/// The launches for a tile.
struct Planned<'j> {
    key: CudaBodyKey,
    /// Bounds of the tile in the task's shape.
    bounds: Bounds,
    count: usize,
    blocks: usize,
    /// The array of each array parameter.
    arrays: SmallVec<[Option<Array<'j>>; 4]>,
    /// Offset and size of each parameter's part of the scratch memory, in bytes.
    scratch: SmallVec<[(usize, usize); 4]>,
}

impl Defined {
    /// Returns the body for GPUs, if GPUs can run the task.
    pub(in crate::define) fn cuda(&self) -> Option<&std::sync::Arc<CudaBody>> {
        let parameters = &self.definition.parameters;
        let words = self.operands.iter().map(|(_, shape)| 2 + 4 * shape.rank());
        let is_refused = |parameter| super::refusal(parameter, self.definition.options.unordered);
        let body = self.definition.cuda.as_ref()?;
        let fits = words.sum::<usize>() + 3 * MAX_DIMS < MOST_WORDS;
        (fits && parameters.iter().all(|one| is_refused(one).is_none())).then_some(body)
    }

    /// Returns the work before a body that puts work into the stream itself: filling contributions
    /// with the identity.
    fn identities(&self, job: &Job<'_>) -> SmallVec<[Work; 2]> {
        let parameters = self.definition.parameters.iter().zip(job.operands);
        let rows = parameters.filter_map(|(parameter, operand)| match (parameter.kind, operand) {
            (Kind::Reduce(reduction), DeviceOperand::Tile(tile)) => Some((reduction, tile)),
            _ => None,
        });
        let rows = rows.filter(|(_, tile)| !tile.layout.shape.is_empty());
        rows.map(|(reduction, tile)| {
            let first = tile.layout.offset * tile.dtype.size();
            let first = tile.start.wrapping_add(first as u64);
            fill(reduction, tile.dtype, first, tile.layout.shape.len())
        })
        .collect()
    }

    fn plan<'j>(&self, job: &Job<'j>) -> Option<Planned<'j>> {
        let body = self.cuda()?.clone();
        let dims = job.whole.dims().iter().enumerate();
        let bounds: Bounds = dims
            .map(|(axis, extent)| job.cut.bounds(axis, *extent))
            .collect();
        let count = bounds.iter().map(|(first, end)| end - first).product();
        let mut is_wide = count > NARROW;
        let mut parameters = SmallVec::new();
        let mut arrays: SmallVec<[_; 4]> = SmallVec::new();
        let declared = self.definition.parameters.iter().zip(&self.operands);
        for ((parameter, (projection, own)), operand) in declared.zip(job.operands) {
            let (dtype, rank) = match operand {
                DeviceOperand::Scalar(value) => {
                    arrays.push(None);
                    (value.dtype(), 0)
                }
                DeviceOperand::Tile(tile) => {
                    let bounds = match parameter.kind {
                        Kind::Reduce(_) => own.dims().iter().map(|extent| (0, *extent)).collect(),
                        _ => projection.bounds(own.dims(), &job.whole, &job.cut),
                    };
                    let axes = own.dims().iter().zip(&tile.layout.strides);
                    let reach =
                        axes.map(|(extent, step)| step.unsigned_abs().saturating_mul(*extent));
                    is_wide |= reach.fold(own.len(), usize::saturating_add) > NARROW;
                    arrays.push(Some((tile, *own, bounds)));
                    (tile.dtype, own.rank() as u8)
                }
            };
            parameters.push(Parameter {
                kind: parameter.kind,
                dtype,
                rank,
            });
        }
        let key = CudaBodyKey {
            order: self.order(job, &arrays),
            body,
            parameters,
            is_wide,
            verifies: job.verify,
        };
        let blocks = blocks(&key, &bounds, count);
        let mut end = 0;
        let scratch = key
            .parameters
            .iter()
            .zip(&arrays)
            .map(|(parameter, array)| {
                let bytes = match array {
                    _ if parameter.folded().is_some() => blocks * parameter.dtype.size(),
                    Some((.., bounds)) if job.verify && parameter.kind == Kind::Out => {
                        bounds.iter().map(|(first, end)| end - first).product()
                    }
                    _ => 0,
                };
                let first = end;
                end += bytes.next_multiple_of(16);
                (first, bytes)
            });
        let scratch = scratch.collect();
        Some(Planned {
            key,
            bounds,
            count,
            blocks,
            arrays,
            scratch,
        })
    }

    /// Returns the order in which threads traverse the axes: the shortest steps of an output first,
    /// or of an input if no output follows the task.
    fn order(&self, job: &Job<'_>, arrays: &[Option<Array<'_>>]) -> SmallVec<[u8; 4]> {
        let rank = job.whole.rank();
        let follows = |at: &usize| {
            let (projection, own) = &self.operands[*at];
            own.rank() == rank
                && arrays[*at].is_some()
                && (0..rank).all(|axis| projection.axis_of_operation(axis) == Some(axis))
        };
        let kinds = self
            .definition
            .parameters
            .iter()
            .map(|parameter| parameter.kind);
        let kinds: SmallVec<[Kind; 4]> = kinds.collect();
        let mut written =
            (0..kinds.len()).filter(|at| matches!(kinds[*at], Kind::Out | Kind::InOut));
        let mut read = (0..kinds.len()).filter(|at| kinds[*at] == Kind::In);
        let leading = written.find(follows).or_else(|| read.find(follows));
        let mut axes: SmallVec<[u8; 4]> = (0..rank as u8).rev().collect();
        if let Some((tile, ..)) = leading.and_then(|at| arrays[at].as_ref()) {
            axes.sort_by_key(|axis| tile.layout.strides[usize::from(*axis)].unsigned_abs());
        }
        axes
    }
}

/// Returns the number of blocks of the task's own kernel.
fn blocks(key: &CudaBodyKey, bounds: &Bounds, count: usize) -> usize {
    if count == 0 {
        return 0;
    }
    if key.is_tiled() {
        let sizes = key.body.block.iter().rev().chain(std::iter::repeat(&1));
        let axes = bounds.iter().rev().zip(sizes);
        return axes
            .map(|((first, end), size)| (end - first).div_ceil(*size as usize))
            .product();
    }
    let all = count.div_ceil(key.body.threads() as usize);
    let folds = key.parameters.iter().any(|one| one.folded().is_some());
    match folds && !key.body.is_of_blocks {
        true => all.min(BLOCKS),
        false => all.min(MOST_BLOCKS),
    }
}

fn flat(key: Helper, blocks: usize, args: Args) -> Work {
    Work::Kernel(Launch {
        kernel: Kernel::from_source(key),
        grid: [blocks.clamp(1, BLOCKS) as u32, 1, 1],
        block: [THREADS, 1, 1],
        args,
    })
}

/// Returns the identity of a reduction, as arguments.
fn identity(reduction: Reduction, dtype: DType) -> SmallVec<[u64; 2]> {
    let value = reduction.identity(dtype);
    c::words(value.unwrap_or(Scalar::zero(dtype)))
}

/// Fills `count` elements starting at an address with the identity.
fn fill(reduction: Reduction, dtype: DType, first: Address, count: usize) -> Work {
    let mut args: Args = smallvec![first, count as u64];
    args.extend(identity(reduction, dtype));
    let blocks = count.div_ceil(THREADS as usize);
    flat(Helper::Fill(dtype), blocks, args)
}

impl Planned<'_> {
    /// Returns the launch of the task's own kernel.
    fn launch(&self, job: &Job<'_>, scratch: Address, identities: &[u64]) -> Launch {
        let mut args: Args = smallvec![job.fault];
        for ((first, end), extent) in self.bounds.iter().zip(job.whole.dims()) {
            args.extend([*first as u64, *end as u64, *extent as u64]);
        }
        for (at, operand) in job.operands.iter().enumerate() {
            let (place, bytes) = self.scratch[at];
            let place = scratch.wrapping_add(place as u64);
            match (operand, &self.arrays[at]) {
                (DeviceOperand::Scalar(value), _) => args.extend(c::words(*value)),
                _ if self.key.parameters[at].folded().is_some() => {
                    args.extend([place, identities[at]]);
                }
                (DeviceOperand::Tile(tile), Some((_, own, bounds))) => {
                    let size = tile.dtype.size() as isize;
                    // Converts the address of the part's first element to that of the array's,
                    // which need not be in memory.
                    let axes = bounds.iter().zip(&tile.layout.strides);
                    let back: isize = axes.map(|((first, _), step)| *first as isize * step).sum();
                    let first = (tile.layout.offset as isize).wrapping_sub(back);
                    args.push(tile.start.wrapping_add(first.wrapping_mul(size) as u64));
                    args.push(if bytes > 0 { place } else { 0 });
                    let axes = own.dims().iter().zip(bounds).zip(&tile.layout.strides);
                    for ((extent, (first, end)), step) in axes {
                        args.extend([*extent as u64, *first as u64, *end as u64, *step as u64]);
                    }
                }
                (DeviceOperand::Tile(_), None) => {}
            }
        }
        let sizes = &self.key.body.block;
        let block = match self.key.is_tiled() {
            true => {
                let mut block = [1; 3];
                for (to, size) in block.iter_mut().zip(sizes.iter().rev()) {
                    *to = *size;
                }
                block
            }
            false => [self.key.body.threads(), 1, 1],
        };
        Launch {
            kernel: Kernel::from_source(self.key.clone()),
            grid: [u32::try_from(self.blocks).unwrap_or(u32::MAX), 1, 1],
            block,
            args,
        }
    }
}

impl GpuKernels for Defined {
    fn takes(&self, dtypes: &[DType]) -> bool {
        match self.gpu_body() {
            Some(_) => true,
            // The kernels that combine contributions exchange words of C's own types.
            None => {
                let parameters = self.definition.parameters.iter();
                parameters
                    .zip(dtypes)
                    .all(|(one, dtype)| !matches!(one.kind, Kind::Reduce(_)) || dtype.is_native())
            }
        }
    }

    fn call(&self, job: &Job<'_>) -> Option<Arc<dyn Call>> {
        self.gpu_body().map(|body| self.called(body, job))
    }

    fn scratch(&self, job: &Job<'_>) -> usize {
        let planned = self.plan(job);
        let last = planned.as_ref().and_then(|planned| planned.scratch.last());
        last.map_or(0, |(first, bytes)| first + bytes.next_multiple_of(16))
    }

    fn work(&self, job: &Job<'_>, scratch: Address) -> SmallVec<[Work; 2]> {
        let Some(planned) = self.plan(job) else {
            return self.identities(job);
        };
        let (mut before, mut behind) = (SmallVec::new(), SmallVec::<[Work; 2]>::new());
        let mut identities: SmallVec<[u64; 4]> = SmallVec::new();
        for (at, parameter) in planned.key.parameters.iter().enumerate() {
            let identity = match parameter.kind {
                // The identity fits one argument; reductions of other dtypes are rejected.
                Kind::Reduce(reduction) => identity(reduction, parameter.dtype)[0],
                _ => 0,
            };
            identities.push(identity);
            let (place, bytes) = planned.scratch[at];
            let place = scratch.wrapping_add(place as u64);
            let Some((tile, own, bounds)) = &planned.arrays[at] else {
                continue;
            };
            let first = tile.layout.offset * tile.dtype.size();
            let first = tile.start.wrapping_add(first as u64);
            if let Some(reduction) = parameter.folded() {
                let args = [place, first, planned.blocks as u64, identity];
                behind.push(flat(
                    Helper::Combine(reduction, parameter.dtype),
                    1,
                    args[..].into(),
                ));
            } else if let Kind::Reduce(reduction) = parameter.kind
                && !own.is_empty()
            {
                before.push(fill(reduction, parameter.dtype, first, own.len()));
            } else if bytes > 0 {
                before.push(Work::Fill {
                    to: place,
                    pattern: 0,
                    width: 1,
                    count: bytes,
                });
                let mut args: Args = smallvec![place, bytes as u64, job.fault, at as u64];
                for ((first, end), extent) in bounds.iter().zip(own.dims()) {
                    args.extend([*first as u64, *end as u64, *extent as u64]);
                }
                let blocks = bytes.div_ceil(THREADS as usize);
                behind.push(flat(Helper::Unwritten(own.rank() as u8), blocks, args));
            }
        }
        let mut works = before;
        if planned.count > 0 {
            works.push(Work::Kernel(planned.launch(job, scratch, &identities)));
        }
        works.extend(behind);
        works
    }

    fn cause(&self, fault: [u64; 2]) -> Cause {
        fault::cause(fault[1], |operand| {
            let parameter = self.definition.parameters.get(operand)?;
            let (_, shape) = self.operands.get(operand)?;
            Some((parameter.name.clone(), *shape))
        })
    }
}
