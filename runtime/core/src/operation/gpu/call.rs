//! Functions that put work of their own into a stream: bodies of tasks that use another GPU
//! library.

use crate::error::Cause;

/// A function that puts work of its own into a stream. The issuing thread calls it once.
pub trait Call: Send + Sync {
    /// Puts work into the stream. The stream's GPU is current on this thread.
    ///
    /// # Errors
    /// Returns an error if the function fails. The outputs of its task then have no value.
    fn call(&self, stream: RawStream) -> Result<(), Cause>;
}

/// A stream as CUDA's own functions name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawStream {
    /// The `CUstream`, which is a `cudaStream_t` too.
    pub handle: u64,
    /// The GPU's ordinal among those that the process sees.
    pub device: i32,
}
