//! Kernels: the implementations of an operation on one tile.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::{Cut, Layout};
use weft_trace::record::Arithmetic;

use super::arithmetic::Computed;
use super::gpu::{Address, Call, DeviceTile, Factoring, FoldedChain, Job, Need, Transform, Work};
use crate::dtype::DType;
use crate::error::Cause;
use crate::operation::Operand;
use crate::shape::{MAX_DIMS, Shape};
use weft_elements::Tile;

/// The parameters of an operation, which ranks compare. Derived from `Hash`, so that none can be
/// left out.
pub trait Parameters {
    /// Adds them to a hash that is the same in every process.
    fn mix(&self, state: &mut dyn Hasher);
}

impl<T: Hash> Parameters for T {
    fn mix(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

/// The implementations of an operation, by kind of processor.
pub trait Kernels: Parameters + Debug + Send + Sync {
    /// Runs one tile on a CPU.
    ///
    /// # Errors
    /// Returns an error if the data has no result.
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause>;

    /// Returns the floating-point arithmetic of a tile; `None` if unknown.
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        _ = of;
        None
    }

    /// Whether it is a body of a user's task, which `--verify` runs on guarded copies.
    fn is_body(&self) -> bool {
        false
    }

    /// Whether the body makes calls on arrays.
    fn starts_tasks(&self) -> bool {
        false
    }

    /// Returns the user's name of an operand, if this is a body of a user's task.
    fn operand_name(&self, operand: usize) -> Option<&str> {
        _ = operand;
        None
    }

    /// Returns the GPU implementation, if any.
    fn gpu(&self) -> Option<&dyn GpuKernels> {
        None
    }
}

/// The GPU implementation of an operation. Its methods depend on their arguments alone: they need
/// no GPU.
pub trait GpuKernels {
    /// Returns the number of bytes of device memory that the work needs as scratch memory.
    fn scratch(&self, job: &Job<'_>) -> usize {
        _ = job;
        0
    }

    /// Returns the work in order; empty if the job has no elements. `scratch` is the address of
    /// [`scratch`](Self::scratch) bytes.
    fn work(&self, job: &Job<'_>, scratch: Address) -> SmallVec<[Work; 2]>;

    /// Returns the library routines in the work, one of each kind with its sizes; addresses are
    /// ignored. The workspace that the driver reports for them follows the scratch memory,
    /// [aligned](crate::cuda::WORKSPACE_ALIGNMENT).
    fn routines(&self, job: &Job<'_>) -> SmallVec<[Factoring; 2]> {
        _ = job;
        SmallVec::new()
    }

    /// Returns what the work needs of a library in addition to the driver. Without it the operation
    /// runs on the host.
    fn need(&self) -> Option<Need> {
        None
    }

    /// Returns a function that is called after the work and adds work of its own to the stream;
    /// `None` for most.
    fn call(&self, job: &Job<'_>) -> Option<Arc<dyn Call>> {
        _ = job;
        None
    }

    /// Returns the transform in the work; all transforms are equal but for addresses. The work
    /// gives them an [area](crate::cuda::Fft::area) after its own scratch memory, whose size is
    /// then a multiple of 256 bytes.
    fn transform(&self, job: &Job<'_>) -> Option<Transform> {
        _ = job;
        None
    }

    /// Whether there is code for operands of these dtypes, in their order.
    fn takes(&self, dtypes: &[DType]) -> bool {
        _ = dtypes;
        true
    }

    /// Whether a kernel may find an invalid index and write it to [`Job::fault`].
    fn finds_faults(&self) -> bool {
        false
    }

    /// Returns the kernels that reduce values as they are computed, for a reduction to one value,
    /// or to one for each line.
    fn fold(&self) -> Option<&dyn FoldKernels> {
        None
    }

    /// Converts the words of a fault to a cause. By default these are an index, and the length of
    /// its axis plus 1.
    fn cause(&self, fault: [u64; 2]) -> Cause {
        Cause::from_fault(fault)
    }
}

/// A reduction that shares a kernel with the chain that computes its terms. The result has the bits
/// of the reduction of the same values in a dense array.
pub trait FoldKernels {
    /// Returns the number of bytes of device memory that the work needs as scratch memory, for
    /// values of this dtype and shape.
    fn scratch(&self, dtype: DType, shape: Shape, out: &DeviceTile) -> usize;

    /// Returns the work. `scratch` is the address of [`scratch`](Self::scratch) bytes.
    fn work(&self, folded: &FoldedChain, scratch: Address) -> Work;
}

/// The owner of a copy's memory.
pub(crate) type Guard = Option<Arc<dyn Any + Send + Sync>>;

/// An operation on one tile, on a CPU.
pub struct CpuTask<'t, 'm> {
    tiles: &'t mut [Tile<'m>],
    shape: &'t Shape,
    cut: &'t Cut,
    whole: &'t [Operand],
    guards: &'t [Guard],
}

impl<'t, 'm> CpuTask<'t, 'm> {
    /// Creates a task for the tile `cut` of an operation of this shape, with the parts of its
    /// operands.
    pub fn new(tiles: &'t mut [Tile<'m>], shape: &'t Shape, cut: &'t Cut) -> CpuTask<'t, 'm> {
        CpuTask {
            tiles,
            shape,
            cut,
            whole: &[],
            guards: &[],
        }
    }

    /// Adds the whole operands of which the tiles are parts.
    pub(crate) fn with_operands(self, whole: &'t [Operand]) -> CpuTask<'t, 'm> {
        CpuTask { whole, ..self }
    }

    /// Adds the owners of the copies' memory, for a run on copies with `--verify`.
    pub(crate) fn guarded(self, guards: &'t [Guard]) -> CpuTask<'t, 'm> {
        CpuTask { guards, ..self }
    }

    /// Returns the owners of the copies' memory, by operand.
    pub(crate) fn guards(&self) -> &'t [Guard] {
        self.guards
    }

    /// Returns the operands in memory, and the whole ones that they are parts of, if known.
    pub(crate) fn with_whole(&mut self) -> (&mut [Tile<'m>], &'t [Operand]) {
        (self.tiles, self.whole)
    }

    /// Returns the operands in memory: for each the part that the tile works on, to be read or
    /// written as declared.
    pub fn operands(&mut self) -> &mut [Tile<'m>] {
        self.tiles
    }

    /// Returns the operands of an operation that has `N`.
    pub fn expect<const N: usize>(&mut self) -> &mut [Tile<'m>; N] {
        let count = self.tiles.len();
        match self.tiles.try_into() {
            Ok(tiles) => tiles,
            Err(_) => unreachable!("{count} operands instead of {N}"),
        }
    }

    /// Returns the shape that all tiles of the operation cover together.
    pub fn shape(&self) -> &'t Shape {
        self.shape
    }

    /// Returns the tile.
    pub fn cut(&self) -> &'t Cut {
        self.cut
    }

    /// Returns the index of the tile's first element; one number for each axis of the shape.
    pub fn first(&self) -> SmallVec<[usize; MAX_DIMS]> {
        let dims = self.shape.dims().iter().enumerate();
        dims.map(|(axis, extent)| self.cut.bounds(axis, *extent).0)
            .collect()
    }

    /// Returns the tile's own shape.
    pub fn part_shape(&self) -> Shape {
        self.cut.of(&Layout::contiguous(*self.shape)).shape
    }
}
