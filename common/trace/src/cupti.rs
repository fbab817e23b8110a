//! Buffers of CUPTI, NVIDIA's profiling interface, as typed activities: a pure function over bytes.
//!
//! A buffer is a sequence of C structs without lengths. Each begins with its kind; its length
//! depends on the version of the library that wrote it. From CUDA 12.0 to 13.5 no field has moved:
//! structs grow at their end, or fields replace padding. So reading takes two steps:
//!
//! 1. Finding the end of a record. The library that wrote the buffer reports it
//!    (`cuptiActivityGetNextRecord`), in any version. Without the library, [`Buffer`] uses the
//!    measured lengths of known versions.
//! 2. Reading a record. [`Activity::parse`] reads the fields at their offsets. A field of a later
//!    version is an `Option`, present if the record is long enough.
//!
//! Times are nanoseconds on CUPTI's clock. Names are addresses of C strings in the profiled
//! process.

mod activity;
mod layout;
mod lengths;
pub mod overhead;
mod walk;

pub use activity::{
    Activity, Api, ApiKind, ExternalCorrelation, GraphTrace, Kernel, Memcpy, MemoryOperation,
    Memset, Overhead, PeerCopy, Synchronization, Unread, kind, memcpy_name,
};
pub use layout::{Field, Layout};
pub use lengths::{Lengths, OLDEST, TOO_NEW};
pub use walk::Buffer;
