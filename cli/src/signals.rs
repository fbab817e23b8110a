//! Termination signals. While a program runs they are forwarded to it. Otherwise temporary files
//! are removed and the process then ends by the signal, so that a shell sees it.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::{Forward, clean_up, during_program};

/// On other systems, temporary files of a terminated command stay.
#[cfg(not(target_os = "linux"))]
pub(crate) fn clean_up() {}
