//! Causes of delays.

use super::pieces::PieceIndex;
use weft_model::SourceIndex;
use weft_trace::id::Uid;

/// A node of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// Work.
    Piece(PieceIndex),
    /// The issue of work to a GPU.
    Issue(PieceIndex),
    /// A call of the runtime on its own thread: a row of
    /// [`Work::runtime_calls`](weft_model::Work::runtime_calls).
    Call(u32),
    /// The program of a rank.
    Program(SourceIndex),
    /// An activity in a run of Legion: a row of its activities.
    Activity(u32),
}

/// A cause of a delay: the event at time `at` of `node`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause {
    pub(crate) at: i64,
    pub(crate) node: Node,
    /// The operation that the program called next, if the node is a program.
    pub(crate) next: Option<Uid>,
}

/// Returns the cause that is the event at time `at` of `node`.
pub(crate) fn cause(at: i64, node: Node) -> Cause {
    Cause {
        at,
        node,
        next: None,
    }
}
