//! Conversion of files and databases to rows of [`Recording`](weft_model::Recording), each on the
//! clock of its own source.
//!
//! The format of an input is recognised by its content ([`mod@format`]). The only program that is
//! run here is `nsys`, because only it can read its reports.

pub mod format;
pub mod legion;
pub mod nsys;
mod options;
pub mod prof;
mod runs;
mod same;
pub mod sqlite;

pub use options::{ReadOptions, RequiredParts};
pub use runs::runs_of;
pub use same::{GIVEN_TWICE, Recordings, note as note_same};
