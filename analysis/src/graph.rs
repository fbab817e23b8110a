//! Graphs of the program: what works on what others made.
//!
//! 1. [`dataflow()`] folds operations by source line and name, so that all iterations of a loop are one node; edges have the dependences
//!    between their tasks, the stores and the bytes. One [iteration](crate::iterations) can be unfolded.
//! 2. [`events()`] has tasks and copies with their predecessors one by one; in runs of Legion, by the graph of its events.
//! 3. [`svg()`], [`dot()`] and serde write either ([docs/graph.md](../../../docs/graph.md)).
//!
//! Dependences are recorded. Their stores and bytes are derived from the operands of both operations, where these were recorded
//! (`--profile-operands`): of each store on which both work as the kind of dependence says, the block that holds all elements that both touch.
//! Bytes are therefore upper bounds, and count once for each pair of operations, however many of their tasks depend on each other.

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
pub use types::{Edge, Graph, Kind, LeftOut, LoopRow, Node, StoreUse};
