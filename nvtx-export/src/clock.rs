//! Stage 2: every source onto one clock.
//!
//! The base is the session clock of the first database of Nsight Systems, whose rows are copied unchanged; without
//! one it is CLOCK_MONOTONIC of the first `.prof` file. A source is tied to the base by the best of: being the base
//! (or reading the same clock), pairs of instants that both saw ([`Fit`]), and the wall clock.

mod align;
mod apply;
mod conversion;
mod fit;

pub use align::{Alignment, Tie, align};
pub use conversion::Conversion;
pub use fit::{Fit, Pair};
