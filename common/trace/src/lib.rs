//! What Weft records, and the file that holds it.
//!
//! A run of the runtime leaves one `weft_<rank>.prof` a rank. This crate holds, in the order of the path of data:
//!
//! 1. [`id`]: the names of things. A [`Uid`](id::Uid) is unique over all ranks of a run.
//! 2. [`time`]: instants ([`Timestamp`](time::Timestamp)), in nanoseconds since a named reference.
//! 3. [`record`]: one struct for each kind of record; [`Record`](record::Record) is any of them.
//! 4. [`mod@file`]: the `.prof` file: crash-safe writer (on Linux), tolerant reader (anywhere).
//!
//! [`cupti`] reads what CUPTI, NVIDIA's profiling interface, puts into buffers.
//! [`color`] gives task names their colours, wherever they are shown.

pub mod color;
pub mod cupti;
pub mod file;
pub mod id;
pub mod record;
pub mod time;
