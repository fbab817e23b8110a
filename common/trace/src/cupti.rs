//! Buffers of CUPTI, NVIDIA's profiling interface, as typed activities: a pure function over bytes.
//!
//! A buffer is a row of C structs without lengths. Each begins with its kind; how long it is depends on the version of
//! the library that wrote it. Over all versions from CUDA 12.0 to 13.5 no field has moved: structs grow at their end, or
//! fields take what was padding. Hence two steps, each of which can be done by what knows best:
//!
//! 1. Where a record ends: the library that wrote the buffer says it (`cuptiActivityGetNextRecord`), whatever its
//!    version. For a buffer at hand without its library, [`Buffer`] steps by the lengths measured of known versions.
//! 2. What is in a record: [`Activity::parse`] reads the fields at their offsets. A field that came with a later version
//!    is an `Option`, there if the record is long enough.
//!
//! Times are nanoseconds on CUPTI's clock, names are addresses of C strings in the process that was watched.

mod activity;
mod layout;
mod lengths;
mod walk;

pub use activity::{
    Activity, Api, ApiKind, ExternalCorrelation, GraphTrace, Kernel, Memcpy, MemoryOperation,
    Memset, Overhead, PeerCopy, Synchronization, Unread, kind, memcpy_name,
};
pub use layout::{Field, Layout};
pub use lengths::{Lengths, OLDEST, TOO_NEW};
pub use walk::Buffer;
