//! From traces to joined traces, in the order of the path of data:
//!
//! 1. [`input`]: bytes, or a database, to rows. Formats are told by content.
//! 2. [`identify`]: which inputs belong together, which process wrote which file, where UIDs lead to.
//! 3. [`clock`]: every source onto one clock, with the error of the fit.
//! 4. [`join`]: for every kernel its launch, or the one reason for having none.
//! 5. [`joined`]: the result: columnar tables in memory.
//! 6. [`output`]: the result as SQLite or text; [`stats`]: what it cost, by line, task, kernel and so on; [`critical`]: what set its
//!    length.
//!
//! [`read()`] does the first five. [`simulate`] predicts from a profile what more ranks would do.

pub mod clock;
pub mod critical;
mod database;
mod error;
pub mod identify;
pub mod input;
pub mod join;
pub mod joined;
pub mod memory;
pub mod output;
mod progress;
mod read;
pub mod schema;
pub mod simulate;
pub mod stats;
mod threads;

pub use error::ExportError;
pub use progress::{Progress, Watch};
pub use read::{Keep, ReadOptions, check_database, check_profile, read};
pub use threads::start_threads;
pub use weft_files::remove_temporary;
