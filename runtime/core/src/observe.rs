//! Observation of a run: records in the `.prof` file, and NVTX ranges for tools.
//!
//! Nothing here panics, blocks or fails the program: what cannot be written is dropped and counted.

mod cupti;
mod extents;
mod images;
mod launches;
mod log;
mod names;
pub mod nvtx;
mod observers;
mod processor;
mod ranges;
mod recorder;
mod sources;

pub(crate) use cupti::{Cupti, Pushed, watch_clones};
pub(crate) use extents::extents;
pub(crate) use images::Images;
pub(crate) use launches::{Launched, Weights};
pub(crate) use log::{Log, Subsystem};
pub(crate) use names::{CallLabels, LONGEST, Names};
pub(crate) use observers::Observers;
pub(crate) use processor::{PROGRAM, processor, set_processor};
pub(crate) use ranges::{Message, Ranges};
pub(crate) use recorder::Recorder;
pub(crate) use sources::floor;
