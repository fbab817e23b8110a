//! Stage 2: every source onto one clock.
//!
//! The base is the session clock of the first database of Nsight Systems, whose rows are copied unchanged; without
//! one it is the clock of the first source. Clocks are tied in pairs: within one boot of a machine CLOCK_MONOTONIC is
//! one clock; launches, or tasks, that a file recorded and whose ranges a session saw give pairs of instants ([`Fit`]);
//! ranks that
//! looked at each other's clocks are tied by that (`ranks`); and the wall clock ties what read it. Each source goes to the base along the ties with the least error, so that two
//! sessions are tied through files of one boot rather than by the wall clock. How, and how far off it may be, is in
//! the facts of the trace. A clock is a straight line to another: where one does not run evenly, the residuals tell.
//!
//! CUPTI's own clock goes to that of its source first, by samples of both.

mod align;
mod apply;
mod conversion;
mod describe;
mod device;
mod fit;
mod ranks;
mod ties;

pub use align::{Alignment, align};
pub use conversion::Conversion;
pub use fit::{Fit, Pair};
pub use ties::Tie;
