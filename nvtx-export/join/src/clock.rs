//! Stage 3: conversion of all sources to one clock.
//!
//! The base is the session clock of the first database of Nsight Systems, whose rows are copied
//! unchanged. Without a session, it is the clock of the first source. Clocks are tied in pairs:
//! - Within one boot of a machine, CLOCK_MONOTONIC is one clock.
//! - Launches or tasks in a file whose ranges a session recorded give pairs of instants ([`Fit`]).
//! - Ranks that looked at each other's clocks are tied by these looks (`looks`).
//! - The wall clock ties all sources that read it.
//!
//! Each source is converted to the base along the ties with the least error. Two sessions are
//! therefore tied through files of one boot rather than by the wall clock. The ties and their
//! errors are in the properties of the trace. The conversion between two clocks is linear; if a
//! clock does not run evenly, the residuals show it.
//!
//! CUPTI's own clock is first converted to that of its source, by samples of both.

mod align;
mod alignment;
mod apply;
mod check;
mod conversion;
mod describe;
mod device;
mod edge;
mod fit;
mod looks;
mod names;
mod ties;

pub use align::align;
pub use alignment::Alignment;
pub use conversion::Conversion;
pub use edge::Tie;
pub use fit::{Fit, Pair};
pub(crate) use names::{assign as assign_names, slack_of as slack_of_names};
