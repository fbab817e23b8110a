//! Signals that ask to end. While a program runs they are passed on to it; otherwise the temporary files are removed first, and the
//! process ends by the signal, so that a shell sees what happened.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::{Forward, clean_up};

/// Elsewhere temporary files of a command that is told to end stay.
#[cfg(not(target_os = "linux"))]
pub(crate) fn clean_up() {}
