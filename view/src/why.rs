//! The reasons of waits.
//!
//! # The rule
//!
//! The time from the creation of a task or copy to its start is cut into parts that add up to it
//! exactly. It follows the rule of the critical path (crate weft-critical), back from
//! the start of one task to its creation:
//!
//! 1. **From ready to started** it was in the queue. It waited behind the work that ran on its
//!    processor meanwhile; if nothing ran, the processor was idle.
//! 2. **From created to ready** it waited for its predecessors. The walk begins at the time it was
//!    ready, and goes back. The cause is the predecessor that ended last; while that one ran, the
//!    time
//!    is its own. Before it ran, it was held up by the last of its own predecessors. The time since
//!    then, in which it could have begun, is its time in the queue.
//! 3. If no predecessor is known, the time in which the runtime planned the operation is
//!    `planning`, and the rest is `unknown`. A chain of more than some hundred steps ends with
//!    `earlier`.
//!
//! If clocks are off, a cause may be recorded to end after the work it held up; it then counts as
//! ending at that time. Parts of one kind and one line are merged.

mod explain;
mod recorded;

pub use explain::{Part, Why};
pub(crate) use recorded::Recorded;
