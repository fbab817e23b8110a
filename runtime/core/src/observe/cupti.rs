//! Records of GPU work from CUPTI, NVIDIA's profiling interface: from its buffers to records.
//!
//! 1. `sys`: the names, layouts and constants of NVIDIA's headers.
//! 2. `result`: finds the library and calls its functions through a table; converts codes to
//!    [`CuptiError`].
//! 3. `buffers`: memory for CUPTI to write to, which it returns when full on its own threads.
//! 4. `collector`: a thread of ours that walks full buffers and writes records. The library steps
//!    from record to record, and [`weft_trace::cupti`] parses them. Once a second the thread
//!    flushes buffers, reads both clocks and records losses.
//! 5. `clones`: the nodes from which the nodes of an executable graph were made.
//!
//! [`Cupti`] combines all of these. It is started before the first module is loaded, and finished
//! when nothing runs any more:
//!
//! ```text
//! let cupti = Cupti::start(recorder, names)?;
//! {
//!     let _pushed = cupti.push(launch);   // what this thread issues now is of this launch
//!     driver.issue(stream, work)?;
//! }
//! cupti.finish();
//! ```
//!
//! Nothing here panics, and no loss is silent: missing items are counted in [`record::loss`]
//! records.
//!
//! [`record::loss`]: weft_trace::record::loss

mod buffers;
mod clones;
mod collector;
mod error;
mod result;
mod safe;
mod sys;
mod tally;

pub(crate) use clones::watch_clones;
pub(crate) use safe::{Cupti, Pushed};
