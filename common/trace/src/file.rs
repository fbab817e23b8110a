//! The `.prof` file: written crash-safe by `ProfWriter` and its `Lane`s, on Linux; read with tolerance by [`Prof`],
//! anywhere.
//!
//! # The file
//! All integers are little-endian. `docs/prof.md` has every offset, and `layout` has them as constants.
//!
//! 1. The head: magic, version, sizes, run, a pair of clock readings, the words that change while the file is written
//!    (blocks claimed, finished or not, the error that stopped the reserving), and then the text: host, boot id,
//!    program and the list of kinds with their fields.
//! 2. Counters of dropped records by kind.
//! 3. The lane table: for each lane, counters of records produced, committed, and dropped for each reason.
//! 4. Blocks of one size, each claimed by one lane: a head with the lane, the block's own number and one word that
//!    says how many bytes and records are committed; then frames.
//!
//! # Why nothing is lost
//! The file is mapped and shared, so what a thread stored stays in the page cache when the process is killed.
//! A record is counted as produced, then copied, then committed by one store. Blocks are handed out only after the
//! file system has promised their space, so that a full disk is an error and not a signal. A record that finds no
//! block is dropped and counted.
//!
//! # Checksums
//! The head, each block, each lane's counters, and the words that change have a checksum each. The head's is there from
//! the start. A block gets its own when it is full, by the thread that reserves space, and everything else when the file
//! is finished, so that recording threads never compute one. What has no checksum when a process is killed is read up to
//! what was committed, and counted as unverified. A block whose checksum is wrong is left out and counted.
//!
//! # Versions
//! Layout 2 is written. Layout 1, without checksums and counters by kind, is read. Kinds of records describe themselves in
//! the head, so that new kinds and fields change no version.

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
