//! The `.prof` file: written crash-safe by [`ProfWriter`] and its [`Lane`]s, read with tolerance by [`Prof`].
//!
//! # The file
//! All integers are little-endian. `layout` has the offsets.
//!
//! 1. The head: magic, version, sizes, run, a pair of clock readings, the words that change while the file is written
//!    (blocks claimed, finished or not, the error that stopped the reserving), and then the text: host, boot id,
//!    program and the list of kinds with their fields.
//! 2. The lane table: for each lane, counters of records produced, committed, and dropped for each reason.
//! 3. Blocks of one size, each claimed by one lane: a head with the lane, the block's own number and one word that
//!    says how many bytes and records are committed; then frames.
//!
//! # Why nothing is lost
//! The file is mapped and shared, so what a thread stored stays in the page cache when the process is killed.
//! A record is counted as produced, then copied, then committed by one store. Blocks are handed out only after the
//! file system has promised their space, so that a full disk is an error and not a signal. A record that finds no
//! block is dropped and counted.

mod error;
mod head;
mod keeper;
mod lane;
mod layout;
mod life;
mod map;
mod options;
mod prof;
mod protocol;
mod run;
mod shared;
mod sys;
mod walk;
mod writer;

pub use error::{CreateError, FinishError, OpenError};
pub use lane::Lane;
pub use layout::is_prof;
pub use options::WriterOptions;
pub use prof::{Losses, Prof, Records, UnknownKind};
pub use protocol::{Counters, Dropped};
pub use run::{ParseRunIdError, RunId, RunInfo};
pub use writer::ProfWriter;
