//! Bodies for GPUs that put work into a stream by another library: CuPy, cuFFT, or kernels
//! that they have compiled.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use smallvec::SmallVec;

use super::BodyError;
use super::definition::Inner;
use super::kernel::Defined;
use super::{Kind, Parameter};
use crate::cuda::{Address, Call, DeviceOperand, Job, RawStream};
use crate::device::cpu::text_of;
use crate::dtype::{DType, Scalar};
use crate::error::Cause;
use crate::runtime::InBody;

/// A body for GPUs. It puts the work of one tile into the tile's stream, and does not wait for it.
///
/// The thread that issues work to GPUs calls it in the order of the tasks, with the GPU's primary
/// context current. The data that the tile reads is in the GPU's memory when the stream reaches the
/// work, and later work waits for it. Work in the GPU's default stream (`CU_STREAM_LEGACY`) is
/// ordered in the same way. The body itself must order work in any other stream with the tile's
/// stream.
pub trait GpuBody: Send + Sync {
    /// Puts the work into the stream.
    ///
    /// # Errors
    /// Returns an error if the body fails. The call fails with its error, and its outputs cannot be
    /// read.
    fn run(&self, context: &GpuContext<'_>) -> Result<(), BodyError>;
}

impl<F> GpuBody for F
where
    F: Fn(&GpuContext<'_>) -> Result<(), BodyError> + Send + Sync,
{
    fn run(&self, context: &GpuContext<'_>) -> Result<(), BodyError> {
        self(context)
    }
}

/// One tile of a task, in the form that a body for GPUs gets.
pub struct GpuContext<'c> {
    given: SmallVec<[GpuGiven<'c>; 4]>,
    of: &'c Called,
    stream: RawStream,
}

/// An argument of a body: a part of an array in the GPU's memory, or a single value.
pub struct GpuGiven<'c> {
    parameter: &'c Parameter,
    held: &'c TileArgument,
}

impl GpuContext<'_> {
    /// Returns the tile's stream, a `CUstream`, for the body's work.
    pub fn stream(&self) -> u64 {
        self.stream.handle
    }

    /// Returns the GPU's ordinal among those that the process sees.
    pub fn device(&self) -> i32 {
        self.stream.device
    }

    /// Returns the arguments, in the order of the parameters.
    pub fn given(&self) -> &[GpuGiven<'_>] {
        &self.given
    }

    /// Returns the indices of the task's shape that the tile covers, along each axis.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.of.ranges
    }

    /// Returns the shape of the whole task.
    pub fn shape(&self) -> &[usize] {
        &self.of.shape
    }

    /// Returns the number of the tile.
    pub fn tile(&self) -> usize {
        self.of.numbers.0
    }

    /// Returns the number of tiles of the call.
    pub fn tiles(&self) -> usize {
        self.of.numbers.1
    }
}

impl GpuGiven<'_> {
    /// Returns the name of the parameter.
    pub fn name(&self) -> &str {
        &self.parameter.name
    }

    /// Returns the parameter.
    pub fn parameter(&self) -> &Parameter {
        self.parameter
    }

    /// Returns the dtype of the elements, or of the value.
    pub fn dtype(&self) -> DType {
        match self.held {
            TileArgument::Array { dtype, .. } => *dtype,
            TileArgument::Value(value) => value.dtype(),
        }
    }

    /// Returns the single value; `None` for an array.
    pub fn scalar(&self) -> Option<Scalar> {
        match self.held {
            TileArgument::Array { .. } => None,
            TileArgument::Value(value) => Some(*value),
        }
    }

    /// Returns the address of the part's first element in the GPU's memory; 0 for a single value.
    pub fn address(&self) -> Address {
        match self.held {
            TileArgument::Array { first, .. } => *first,
            TileArgument::Value(_) => 0,
        }
    }

    /// Returns the number of elements of the part along each axis.
    pub fn dims(&self) -> &[usize] {
        match self.held {
            TileArgument::Array { dims, .. } => dims,
            TileArgument::Value(_) => &[],
        }
    }

    /// Returns the distance between neighbours along each axis, in bytes.
    pub fn strides(&self) -> &[isize] {
        match self.held {
            TileArgument::Array { strides, .. } => strides,
            TileArgument::Value(_) => &[],
        }
    }

    /// Returns the first index and one past the last of the part, along each axis of the array.
    pub fn bounds(&self) -> &[(usize, usize)] {
        match self.held {
            TileArgument::Array { bounds, .. } => bounds,
            TileArgument::Value(_) => &[],
        }
    }
}

/// An argument of a tile.
enum TileArgument {
    Array {
        first: Address,
        dtype: DType,
        dims: SmallVec<[usize; 4]>,
        strides: SmallVec<[isize; 4]>,
        bounds: SmallVec<[(usize, usize); 4]>,
    },
    Value(Scalar),
}

/// The call of a body for one tile.
struct Called {
    definition: Arc<Inner>,
    body: Arc<dyn GpuBody>,
    held: SmallVec<[TileArgument; 4]>,
    ranges: SmallVec<[Range<usize>; 4]>,
    shape: SmallVec<[usize; 4]>,
    numbers: (usize, usize),
}

impl Call for Called {
    fn call(&self, stream: RawStream) -> Result<(), Cause> {
        let parameters = self.definition.parameters.iter().zip(&self.held);
        let context = GpuContext {
            given: parameters
                .map(|(parameter, held)| GpuGiven { parameter, held })
                .collect(),
            of: self,
            stream,
        };
        let in_body = InBody::begin();
        let ran = catch_unwind(AssertUnwindSafe(|| self.body.run(&context)));
        drop(in_body);
        match ran {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Cause::Body(Arc::from(error))),
            Err(panic) => Err(Cause::BodyPanicked(text_of(&*panic))),
        }
    }
}

/// Returns the reason why a body on streams does not support a parameter; `None` if it does.
pub(super) fn refusal(parameter: &Parameter) -> Option<String> {
    (parameter.kind == Kind::Unbound).then(|| {
        format!(
            "{}: a body for GPUs cannot fill a result of unknown length; give the task a body for CPUs alone",
            parameter.name
        )
    })
}

impl Defined {
    /// Returns the body that puts work into streams, if there is one.
    pub(super) fn gpu_body(&self) -> Option<&Arc<dyn GpuBody>> {
        self.definition.gpu.as_ref()
    }

    /// Returns the call of that body for a job.
    pub(super) fn called(&self, body: &Arc<dyn GpuBody>, job: &Job<'_>) -> Arc<dyn Call> {
        let declared = self.definition.parameters.iter().zip(&self.operands);
        let held = declared.zip(job.operands);
        let held = held.map(|((parameter, (projection, own)), operand)| match operand {
            DeviceOperand::Scalar(value) => TileArgument::Value(*value),
            DeviceOperand::Tile(tile) => {
                let size = tile.dtype.size();
                let bounds = match parameter.kind {
                    Kind::Reduce(_) => own.dims().iter().map(|extent| (0, *extent)).collect(),
                    _ => projection.bounds(own.dims(), &job.whole, &job.cut),
                };
                let steps = tile.layout.strides.iter().take(tile.layout.rank());
                TileArgument::Array {
                    first: tile.start.wrapping_add((tile.layout.offset * size) as u64),
                    dtype: tile.dtype,
                    dims: tile.layout.shape.dims().into(),
                    strides: steps.map(|step| step * size as isize).collect(),
                    bounds,
                }
            }
        });
        let dims = job.whole.dims().iter().enumerate();
        let ranges = dims.map(|(axis, extent)| {
            let (first, end) = job.cut.bounds(axis, *extent);
            first..end
        });
        Arc::new(Called {
            definition: self.definition.clone(),
            body: body.clone(),
            held: held.collect(),
            ranges: ranges.collect(),
            shape: job.whole.dims().into(),
            numbers: (job.cut.tiles().0, self.tiles),
        })
    }
}
