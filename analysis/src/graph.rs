//! Graphs of the program: operations, and the results of others that they work on.
//!
//! 1. [`dataflow()`] folds operations by source line and name, so that all iterations of a loop are
//!    one node. Edges contain the dependences between their tasks, the stores and the bytes. One
//!    [iteration](crate::iterations) can be unfolded.
//! 2. [`events()`] contains single tasks and copies with their predecessors; in runs of Legion,
//!    these come from the graph of its events.
//! 3. [`svg()`], [`dot()`] and serde write either graph ([docs/graph.md](../../../docs/graph.md)).
//!
//! Dependences are recorded. Their stores and bytes are derived from the operands of both
//! operations, if these were recorded (`--profile-operands`). For each store that both access in
//! the way that the kind of dependence says, it is the block that holds all elements that both
//! touch. Bytes are therefore upper bounds. They count once for each pair of operations, however
//! many of their tasks depend on each other.

mod dependence;
mod dependences;
mod dot;
mod events;
mod fold;
mod labels;
mod layout;
mod legion;
mod stores;
mod svg;
mod texts;
mod types;

pub use dot::dot;
pub use events::events;
pub use fold::{Choice, GraphError, dataflow};
pub use svg::svg;
pub use types::{Edge, Graph, GraphKind, LeftOut, LoopRow, Node, StoreUse};
