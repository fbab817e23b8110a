//! Stage 3: every source onto one clock.
//!
//! The base is the session clock of the first database of Nsight Systems, whose rows are copied unchanged; without
//! one it is the clock of the first source. Clocks are tied in pairs: within one boot of a machine CLOCK_MONOTONIC is
//! one clock; launches, or tasks, that a file recorded and whose ranges a session saw give pairs of instants ([`Fit`]);
//! ranks that
//! looked at each other's clocks are tied by that (`looks`); and the wall clock ties what read it. Each source goes to the base along the ties with the least error, so that two
//! sessions are tied through files of one boot rather than by the wall clock. How, and how far off it may be, is in
//! the facts of the trace. A clock is a straight line to another: where one does not run evenly, the residuals tell.
//!
//! CUPTI's own clock goes to that of its source first, by samples of both.

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
