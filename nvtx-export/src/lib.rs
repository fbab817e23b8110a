//! Conversion of recordings to a joined trace, and of the trace to files. The crates below this one
//! follow the path of data:
//!
//! 1. [`weft_input`]: files to rows of a [`weft_model::Trace`]. Formats are recognised by content.
//! 2. [`weft_join`]: the files of processes and the targets of UIDs, one clock for all sources, and
//!    the launch of every kernel, or the reason why there is none.
//! 3. [`weft_model`]: the result, as tables of columns in memory.
//! 4. [`weft_output`]: the result as SQLite, reports and text.
//!
//! [`read()`] does the first two steps. The crate `weft-analysis` computes costs, loops and advice
//! from the result.

mod merge;
mod read;

pub use merge::merge_inputs;
pub use read::{check_database, check_profile, read};
pub use weft_files::remove_temporary;
pub use weft_input::{ReadOptions, RequiredParts};
pub use weft_model::{ExportError, Progress, Watch, start_threads};
