//! The `.prof` file, written by `ProfWriter` and its `Lane`s on Linux, and read by [`Prof`]
//! anywhere. The writer is crash-safe; the reader tolerates damage.
//!
//! # The file
//! All integers are little-endian. `docs/prof.md` lists every offset; `layout` has them as
//! constants.
//!
//! 1. The head: magic, version, sizes, run, a pair of clock readings, and the words that change
//!    while the file is written (blocks claimed, finished or not, the error that stopped the
//!    reserving). Then the text: host, boot id, program, and the list of kinds with their fields.
//! 2. Counters of dropped records by kind.
//! 3. The lane table: for each lane, counters of records produced, committed, and dropped for each
//!    reason.
//! 4. Blocks of one size, each claimed by one lane. Each has a head with the lane, the block's own
//!    number, and a word with the number of bytes and records committed. Frames follow.
//!
//! # Why nothing is lost
//! The file is mapped and shared, so stored bytes stay in the page cache when the process is
//! killed. A record is counted as produced, then copied, then committed by one store. A block is
//! handed out only after the file system has reserved its space, so a full disk causes an error
//! instead of a signal. A record without a block is dropped and counted.
//!
//! # Checksums
//! The head, each block, each lane's counters, and the words that change each have a checksum. The
//! head's is written at the start. A block gets its checksum when it is full, from the thread that
//! reserves space; everything else gets one when the file is finished. So recording threads never
//! compute checksums. If a process is killed, parts without a checksum are read up to the last
//! commit and counted as unverified. A block with a wrong checksum is left out and counted.
//!
//! # Versions
//! The writer uses layout 2. The reader also accepts layout 1, which has neither checksums nor
//! counters by kind. Kinds of records describe themselves in the head, so new kinds and fields do
//! not change the version.

mod checksum;
mod count;
mod error;
mod head;
mod layout;
mod prof;
mod run;
mod walk;
#[cfg(target_os = "linux")]
mod write;

pub use count::{Counters, Dropped};
pub use error::{CreateError, FinishError, OpenError};
pub use layout::is_prof;
pub use prof::{Glance, KindCount, Losses, Prof, Records, glance};
pub use run::{ParseRunIdError, RunId, RunInfo};
#[cfg(target_os = "linux")]
pub use write::{Lane, ProfWriter, WriterOptions, process_generation, watch_process};
