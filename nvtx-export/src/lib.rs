//! Reads traces and joins them. The modules follow the path of data:
//!
//! 1. [`input`]: files to rows. Formats are recognised by content.
//! 2. [`identify`]: which inputs belong together, which process wrote which file, and what UIDs refer to.
//! 3. [`clock`]: aligns all sources on one clock, with the error of the alignment.
//! 4. [`join`]: finds the launch of every kernel, or the reason why there is none.
//! 5. [`joined`]: the result, as tables of columns in memory.
//! 6. [`output`] writes the result as SQLite, reports and text; [`stats`] computes costs by line, task, kernel and so on; [`critical`]
//!    finds the critical path; [`iterations`] the loops; [`graph`] is what depends on what; [`timeline`] is what a viewer draws.
//!
//! [`read()`] does the first five. [`replay`] schedules the recorded run again, also with changes, and [`advise`] says which changes would save
//! most. [`simulate`] predicts a run on more ranks from a profile.

pub mod advise;
pub mod clock;
pub mod critical;
mod database;
mod error;
pub mod graph;
pub mod identify;
pub mod input;
pub mod iterations;
pub mod join;
pub mod joined;
pub mod memory;
pub mod output;
mod progress;
mod read;
pub mod replay;
pub mod schema;
pub mod simulate;
pub mod stats;
mod threads;
pub mod timeline;

pub use error::ExportError;
pub use progress::{Progress, Watch};
pub use read::{Keep, ReadOptions, check_database, check_profile, read};
pub use threads::start_threads;
pub use weft_files::remove_temporary;
