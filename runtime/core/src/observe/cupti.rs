//! What GPUs did, as CUPTI, NVIDIA's profiling interface, tells it: from its buffers to records.
//!
//! 1. `sys`: the names, layouts and constants of NVIDIA's headers.
//! 2. `result`: finding the library, whose functions are called through a table; codes become a [`CuptiError`].
//! 3. `buffers`: memory for CUPTI to write into, which it hands back full on threads of its own.
//! 4. `collector`: a thread of ours that walks full buffers (the library steps, [`weft_trace::cupti`] reads), and
//!    writes records. Once a second it flushes buffers, reads both clocks and records losses.
//! 5. `clones`: which node of an executable graph was made from which.
//!
//! [`Cupti`] is all of it. It is started before the first module is loaded, and ended when nothing runs any more:
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
//! Nothing here panics, and nothing is lost in silence: what is missing is counted in [`record::loss`] records.
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
