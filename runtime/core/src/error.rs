//! Errors: mistakes that are visible at the call, and failures that come later.

mod body;
mod defect;
mod driver;
mod elsewhere;
mod exchange;
mod file;
mod shortage;

use std::fmt;
use std::sync::Arc;

use weft_config::ConfigError;
use weft_config::launch::Launch;
use weft_trace::file::{CreateError, FinishError};
use weft_trace::id::OperationUid;

pub use body::BodyError;
pub use elsewhere::Elsewhere;
pub use file::{FileCause, FileError};
pub(crate) use shortage::Size;
pub use shortage::{HeldInstance, HeldStore, Help, Shortage};

use crate::dtype::{DType, Scalar};
use crate::site::Site;
use crate::words;
pub use defect::Defect;
pub use driver::{DriverError, LostArrays};
pub use exchange::{ExchangeError, Remote};

/// Everything that Weft's calls return as an error.
///
/// `Display` and `Debug` both print the message for users, so that a `main` which returns this
/// error ends with it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call itself was wrong; nothing was started.
    #[error(transparent)]
    Call(#[from] CallError),
    /// An operation failed while it ran, and the read value depends on it.
    #[error(transparent)]
    Failed(#[from] Arc<Failure>),
    /// An operation failed on another rank, and the read value depends on it; or the run ends with
    /// that failure.
    #[error(transparent)]
    Elsewhere(#[from] Elsewhere),
    /// A file of arrays cannot be read or written.
    #[error(transparent)]
    File(Arc<FileError>),
    /// `WEFT_CONFIG` is wrong.
    #[error("WEFT_CONFIG: {0}")]
    Config(Arc<ConfigError>),
    /// The profile could not be created.
    #[error(transparent)]
    Profile(Arc<CreateError>),
    /// The profile could not be completed; the file contains all earlier records.
    #[error(transparent)]
    ProfileEnd(Arc<FinishError>),
    /// The GPUs cannot be used, or one was lost.
    #[error(transparent)]
    Device(#[from] DriverError),
    /// The process was started as one of several ranks, by a program that was built without MPI.
    #[error(
        "this is {0}, and this program was built without MPI: build it with `--features weft/mpi`, or start one process"
    )]
    NoMpi(Launch),
    /// An error of MPI.
    #[error("MPI: {0}")]
    Mpi(String),
    /// A thread of the runtime panicked, so that the awaited result never comes.
    #[error(transparent)]
    Crashed(Arc<Crash>),
    /// The front end gave up the wait of a call, which changed nothing.
    #[error("the call was interrupted while it waited")]
    Interrupted,
    /// A thread of the runtime could not be started.
    #[error(
        "cannot start a thread of the runtime: {0}; lower --cpus or raise the limit on processes"
    )]
    Thread(Arc<std::io::Error>),
}

impl Error {
    /// Returns the operation that failed, if the error names one.
    pub(crate) fn failed_operation(&self) -> Option<OperationUid> {
        match self {
            Error::Failed(failure) => Some(failure.uid),
            Error::Elsewhere(elsewhere) => elsewhere.uid,
            _ => None,
        }
    }

    /// Whether a memory had no room for what an operation needed, on this rank or on another. All
    /// ranks return the same answer.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::Failed(failure) => failure.is_out_of_memory(),
            Error::Elsewhere(elsewhere) => elsewhere.is_out_of_memory,
            Error::Device(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}

/// Names the cause that failures of many operations share: a full memory by its kind, and its
/// number if there are several of this kind; or a GPU that has stopped.
pub(crate) type SharedCause = (&'static str, Option<usize>);

impl Failure {
    /// Whether a memory had no room for the operation.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        match &self.cause {
            Cause::OutOfMemory(_) => true,
            Cause::Device(error) => error.is_out_of_memory(),
            _ => false,
        }
    }

    /// The memory that had no room for the operation, or the GPU that had stopped.
    pub(crate) fn shared_cause(&self) -> Option<SharedCause> {
        match &self.cause {
            Cause::OutOfMemory(shortage) => Some((shortage.memory, shortage.number)),
            Cause::Device(DriverError::Lost { gpu, .. }) => Some(("GPU", Some((*gpu).into()))),
            _ => None,
        }
    }

    /// Whether the failure is a consequence of one on another rank, which reports that one itself.
    pub(crate) fn is_of_another_rank(&self) -> bool {
        matches!(self.cause, Cause::Rank(_) | Cause::Tile(_))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Error::Config(Arc::new(error))
    }
}

/// A mistake that is visible at the call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Shapes that do not broadcast together.
    #[error("{operation}: shapes {left:?} and {right:?} do not broadcast together")]
    Broadcast {
        /// The operation.
        operation: &'static str,
        /// Shape of the left operand.
        left: Vec<usize>,
        /// Shape of the right operand.
        right: Vec<usize>,
    },
    /// Shapes that do not fit the operation.
    #[error("{operation}: {why}")]
    Shape {
        /// The operation.
        operation: &'static str,
        /// The mismatch.
        why: String,
    },
    /// An operation that is not defined for a dtype.
    #[error("{operation} is not defined for {}", words::dtype(*dtype))]
    DType {
        /// The operation.
        operation: &'static str,
        /// The dtype.
        dtype: DType,
    },
    /// Arrays with different dtypes, where they must be equal.
    #[error(
        "{operation}: dtypes {} and {} differ; cast one with `{}`",
        words::dtype(*left), words::dtype(*right), words::cast()
    )]
    DTypes {
        /// The operation.
        operation: &'static str,
        /// One dtype.
        left: DType,
        /// The other.
        right: DType,
    },
    /// A single integer outside of the range of the dtype it is used in.
    #[error(
        "{value} is out of range for {} ({}): cast the array to a dtype that can hold it",
        words::dtype(*dtype), range(*dtype)
    )]
    Value {
        /// The integer.
        value: Scalar,
        /// The dtype.
        dtype: DType,
    },
    /// Integers raised to the power of a single integer below 0.
    #[error("integers to negative integer powers are not allowed")]
    Exponent,
    /// An index or a slice outside its axis.
    #[error("index {index} is out of bounds for axis {axis} with {length} elements")]
    Bounds {
        /// The index as given.
        index: isize,
        /// The axis.
        axis: usize,
        /// Number of elements along it.
        length: usize,
    },
    /// An axis that the array does not have.
    #[error("axis {axis} is out of bounds for an array of {dims} dimensions")]
    Axis {
        /// The axis as given.
        axis: usize,
        /// Number of dimensions.
        dims: usize,
    },
    /// More dimensions than Weft handles.
    #[error(
        "{dims} dimensions are more than the maximum of {}",
        crate::shape::MAX_DIMS
    )]
    Dimensions {
        /// The requested number.
        dims: usize,
    },
    /// A memory that this run does not have.
    #[error("{operation}: this run has no {memory}; `weft::pool_status()` lists what it has")]
    Memory {
        /// The operation.
        operation: &'static str,
        /// The kind of memory.
        memory: &'static str,
    },
    /// Unified memory that this run does not have.
    #[error("memory=\"unified\": {why}")]
    NoUnified {
        /// The reason, with a remedy.
        why: String,
    },
    /// The system has no memory for a copy of the program's values, which tasks read.
    #[error("{operation}: the system has no memory for a copy of {bytes} bytes")]
    NoCopy {
        /// The operation.
        operation: &'static str,
        /// The size of the values.
        bytes: usize,
    },
    /// An operation for which GPUs have no code, in a run where `WEFT_HOST=error` forbids the host.
    #[error("{operation} runs on the host: {why}, and WEFT_HOST=error forbids it")]
    Host {
        /// The operation.
        operation: &'static str,
        /// The reason.
        why: String,
    },
    /// Arrays of two runtimes in one operation, or a call after [`finish`](crate::runtime::finish).
    #[error("{0}")]
    Runtime(&'static str),
    /// The front end gave up the wait for another thread that has the turn of an array to be
    /// written: nothing was started.
    #[error("the call was interrupted while it waited")]
    Interrupted,
    /// An array made by another body, in the body of a task.
    #[error(
        "the array made at {}:{} is of another body, which may have ended: a body uses arrays that it makes itself; pass values as arguments \
         and outputs of tasks",
        location.file(), location.line()
    )]
    OtherBody {
        /// The call that made the array.
        location: Site,
    },
    /// A thread of the arrays' runtime panicked: nothing more runs on it.
    #[error(transparent)]
    Crashed(Arc<Crash>),
}

/// A panic of one of the runtime's threads: a defect in Weft. The runtime runs nothing more, and
/// every call and wait returns this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the runtime has stopped: its thread {thread} panicked: {why}; please report this")]
pub struct Crash {
    /// The thread.
    pub thread: String,
    /// The message of the panic.
    pub why: String,
}

/// An operation that failed while it ran.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{operation} at {}:{} (operation {uid}) failed: {cause}", location.file(), location.line())]
pub struct Failure {
    /// Name of the operation.
    pub operation: &'static str,
    /// Its UID.
    pub uid: OperationUid,
    /// The call in the program.
    pub location: Site,
    /// The cause of the failure.
    pub cause: Cause,
}

/// Returns the range of integers that a dtype holds, as text.
fn range(dtype: DType) -> String {
    let (low, high) = dtype.integer_range().unwrap_or_default();
    format!("{low} to {high}")
}

/// Returns the index of a matrix in a stack as text that follows "the matrix".
fn in_stack(index: &[usize]) -> String {
    match index {
        [] => String::new(),
        index => format!(" at {index:?} of the stack"),
    }
}

impl Cause {
    /// Converts the two words of a fault that a kernel wrote: an index, and the length of its axis
    /// plus 1.
    pub fn from_fault(fault: [u64; 2]) -> Cause {
        Cause::Index {
            index: fault[0] as i64,
            length: (fault[1] as usize).wrapping_sub(1),
        }
    }
}

/// The cause of an operation's failure.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// A memory had no room for the operation.
    #[error("{0}")]
    OutOfMemory(Box<Shortage>),
    /// An array of indices holds one that is out of bounds for its axis.
    #[error("index {index} is out of bounds for an axis of {length} elements")]
    Index {
        /// The index as stored in the array.
        index: i64,
        /// Number of elements along the axis.
        length: usize,
    },
    /// Some exponent of integers is below 0.
    #[error("integers to negative integer powers are not allowed")]
    Exponent,
    /// A matrix has no solution, inverse or factors.
    #[error("the matrix{} {defect}", in_stack(index))]
    Matrix {
        /// Index of the matrix in a stack; empty for a single matrix.
        index: Vec<usize>,
        /// The defect of the matrix.
        defect: Defect,
    },
    /// An error of a GPU or its driver.
    #[error(transparent)]
    Device(#[from] DriverError),
    /// Another rank could not compute the values that this one was to receive.
    #[error("rank {0} could not compute the values it should send; see that rank's error")]
    Rank(u16),
    /// The task has only a body for GPUs, but this run of it was on a CPU.
    #[error(
        "it has no body for CPUs: run it on a GPU, with --gpus, on elements of a type that GPUs have code for, or give it such a body"
    )]
    NoBody,
    /// The body of a task returned this error, which can be downcast to its own type.
    #[error("its body failed: {0}")]
    Body(Arc<dyn std::error::Error + Send + Sync>),
    /// The body of a task panicked.
    #[error("its body panicked: {0}")]
    BodyPanicked(String),
    /// A tile of another rank failed while those of this one waited for it in an exchange.
    #[error(transparent)]
    Tile(Remote),
    /// With `--verify`: the body of a task violates the constraints that it declares.
    #[error("{0}")]
    Undeclared(String),
    /// The operation had not begun when the program was interrupted, and its result could no longer
    /// be read.
    #[error(
        "it never ran: the program was interrupted before it began, and its result could not be read any more"
    )]
    Dropped,
    /// The kernel panicked: a defect in Weft.
    #[error("its kernel panicked: {0}; please report this")]
    Panicked(String),
}

/// Unwraps a result, or panics at the caller's line: the contract for mistakes that are visible at
/// the call.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "the documented contract of the forms without `try_`"
)]
pub fn at_call<T>(result: Result<T, impl Into<Error>>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{}", error.into()),
    }
}
