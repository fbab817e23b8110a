//! What does an operation on one tile.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;
use weft_config::machine::library::CudaLibrary;
use weft_geometry::{Cut, Layout};
use weft_trace::record::Arithmetic;

use super::arithmetic::Computed;
use crate::device::cuda::{Address, Call, Factoring, Job, Transform, Work};
use crate::dtype::DType;
use crate::error::Cause;
use crate::operation::Operand;
use crate::shape::{MAX_DIMS, Shape};
use weft_elements::Tile;

/// The parameters of an operation, which ranks compare: derived, so that none can be left out.
pub trait Parameters {
    /// Adds them to a hash that is the same in every process.
    fn mix(&self, state: &mut dyn Hasher);
}

impl<T: Hash> Parameters for T {
    fn mix(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

/// What does an operation, by kind of processor.
pub trait Kernels: Parameters + Debug + Send + Sync {
    /// Does it on one tile, on a CPU.
    ///
    /// # Errors
    /// The data is such that there is no result.
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause>;

    /// What it computes on a tile with floating-point numbers; `None` where that is not known.
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        _ = of;
        None
    }

    /// Whether it is a body of a user's own, which `--verify` runs on guarded copies.
    fn is_body(&self) -> bool {
        false
    }

    /// Whether such a body makes calls on arrays.
    fn starts_tasks(&self) -> bool {
        false
    }

    /// What the user calls an operand of such a body.
    fn operand_name(&self, operand: usize) -> Option<&str> {
        _ = operand;
        None
    }

    /// What does it on a GPU; `None` where only CPUs can.
    fn gpu(&self) -> Option<&dyn GpuKernels> {
        None
    }
}

/// What does an operation on a GPU. Functions of their arguments alone: nothing here needs a GPU.
pub trait GpuKernels {
    /// Bytes of device memory that the work needs for itself.
    fn scratch(&self, job: &Job<'_>) -> usize {
        _ = job;
        0
    }

    /// What is to be done, in order; nothing where the job has no elements. `scratch` is the address of [`scratch`](Self::scratch) bytes.
    fn work(&self, job: &Job<'_>, scratch: Address) -> SmallVec<[Work; 2]>;

    /// The routines of libraries in that work, one of each kind with its sizes; addresses say nothing. The memory that the driver says they
    /// need stands behind the scratch memory, [aligned](crate::cuda::WORKSPACE_ALIGNMENT).
    fn routines(&self, job: &Job<'_>) -> SmallVec<[Factoring; 2]> {
        _ = job;
        SmallVec::new()
    }

    /// The library that the work needs besides the driver; without it the operation runs on the host.
    fn library(&self) -> Option<CudaLibrary> {
        None
    }

    /// What is called behind that work, and puts work of its own into the stream; nothing for most.
    fn call(&self, job: &Job<'_>) -> Option<Arc<dyn Call>> {
        _ = job;
        None
    }

    /// The transforms in that work, all of them the same but for addresses. The work gives them an [area](crate::cuda::Fft::area) behind its
    /// own scratch memory, whose size is then a multiple of 256 bytes.
    fn transform(&self, job: &Job<'_>) -> Option<Transform> {
        _ = job;
        None
    }

    /// Whether there is code for operands of these dtypes, in their order.
    fn takes(&self, dtypes: &[DType]) -> bool {
        _ = dtypes;
        true
    }

    /// Whether a kernel may find that an index is wrong, and writes it to [`Job::fault`].
    fn finds_faults(&self) -> bool {
        false
    }

    /// What the words of a fault mean: an index, and the length of its axis plus 1, unless the kernels say otherwise.
    fn cause(&self, fault: [u64; 2]) -> Cause {
        Cause::from_fault(fault)
    }
}

/// What keeps the memory of a copy.
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
    /// The tile `cut` of an operation of this shape, and the parts of its operands.
    pub fn new(tiles: &'t mut [Tile<'m>], shape: &'t Shape, cut: &'t Cut) -> CpuTask<'t, 'm> {
        CpuTask {
            tiles,
            shape,
            cut,
            whole: &[],
            guards: &[],
        }
    }

    /// The same, with the whole operands that these are parts of.
    pub(crate) fn of(self, whole: &'t [Operand]) -> CpuTask<'t, 'm> {
        CpuTask { whole, ..self }
    }

    /// The same, of copies with `--verify`: what keeps the memory of each array.
    pub(crate) fn guarded(self, guards: &'t [Guard]) -> CpuTask<'t, 'm> {
        CpuTask { guards, ..self }
    }

    /// What keeps the memory of copies, by operand.
    pub(crate) fn guards(&self) -> &'t [Guard] {
        self.guards
    }

    /// The operands in memory, and the whole ones that they are parts of, where these are known.
    pub(crate) fn with_whole(&mut self) -> (&mut [Tile<'m>], &'t [Operand]) {
        (self.tiles, self.whole)
    }

    /// The operands in memory: each the part that the tile works on, lent to be read or written as it is declared.
    pub fn operands(&mut self) -> &mut [Tile<'m>] {
        self.tiles
    }

    /// The operands of an operation that has so many.
    pub fn expect<const N: usize>(&mut self) -> &mut [Tile<'m>; N] {
        let count = self.tiles.len();
        match self.tiles.try_into() {
            Ok(tiles) => tiles,
            Err(_) => unreachable!("{count} operands instead of {N}"),
        }
    }

    /// The shape that all tiles of the operation cover together.
    pub fn shape(&self) -> &'t Shape {
        self.shape
    }

    /// The tile.
    pub fn cut(&self) -> &'t Cut {
        self.cut
    }

    /// Index of the tile's first element; one number for each axis of the shape.
    pub fn first(&self) -> SmallVec<[usize; MAX_DIMS]> {
        let dims = self.shape.dims().iter().enumerate();
        dims.map(|(axis, extent)| self.cut.bounds(axis, *extent).0)
            .collect()
    }

    /// The tile's own shape.
    pub fn part_shape(&self) -> Shape {
        self.cut.of(&Layout::contiguous(*self.shape)).shape
    }
}
