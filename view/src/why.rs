//! Why something waited.
//!
//! # The rule
//!
//! The time from when a task or copy was asked for to when it began is cut into parts that add up to it exactly. It is the rule of the
//! critical path (`critical` in weft-nvtx-export), followed back from the start of one task to its creation:
//!
//! 1. **From ready to started** it was in the queue. What ran on its processor meanwhile is what it waited behind; where nothing ran, the
//!    processor was idle.
//! 2. **From created to ready** it waited for its predecessors. The walk begins at the time it was ready, and goes back: of the
//!    predecessors the one that ended last is the cause; while that one ran, the time is its own. Before it ran, it was held up by the last
//!    of its own predecessors, and the time since then, in which it could have begun, is its time in the queue.
//! 3. Where no predecessor is known, the time in which the runtime planned the operation is `planning`, and the rest is `unknown`. A
//!    chain of more than some hundred steps is told as `earlier`.
//!
//! A cause that is recorded to have ended after what it held up, because clocks are off, counts as ending then. Parts of one kind and one line
//! are one part.

mod explain;
mod recorded;

pub use explain::{Part, Why};
pub(crate) use recorded::Recorded;
