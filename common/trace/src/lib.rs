//! Weft's records, and the file that holds them.
//!
//! Each rank of a run writes one `weft_<rank>.prof`. The modules follow the path of data:
//!
//! 1. [`id`]: unique ids. A [`Uid`](id::Uid) is unique over all ranks of a run.
//! 2. [`time`]: instants ([`Timestamp`](time::Timestamp)), in nanoseconds since a named reference.
//! 3. [`record`]: one struct for each kind of record; [`Record`](record::Record) is any of them.
//! 4. [`mod@file`]: the `.prof` file: a crash-safe writer (on Linux), and a tolerant reader
//!    (anywhere).
//!
//! [`cupti`] parses the buffers of CUPTI, NVIDIA's profiling interface. [`color`] assigns colours
//! to task names.

pub mod color;
pub mod cupti;
pub mod file;
pub mod id;
pub mod record;
pub mod time;
