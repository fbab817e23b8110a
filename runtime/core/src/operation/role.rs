//! The runtime's own part in an operation, independent of its library.

use weft_trace::record::MemoryKind;

/// The other side of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Peer {
    /// Its rank.
    pub rank: u16,
    /// Number of the message among those from one rank to the other; the first is 1.
    pub number: u64,
}

/// The runtime's own part in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Runs its kernels.
    Compute,
    /// Copies elements (input, out).
    Copy,
    /// Loads values of the program (values, out).
    Load,
    /// Makes values available for the program to read (input, out).
    Read,
    /// Sends to another rank (input).
    Send(Peer),
    /// Receives from another rank (out).
    Receive(Peer),
    /// Gives every rank the elements of a block that only some ranks have, in the gather of this
    /// number; the first is 1 (block).
    Gather(u64),
    /// Moves a store to another memory (store).
    Move {
        /// The target memory.
        to: MemoryKind,
        /// Whether other memories drop their copies.
        alone: bool,
    },
}

impl Role {
    /// Whether it sends to other ranks or receives from them.
    pub fn is_message(self) -> bool {
        matches!(self, Role::Send(_) | Role::Receive(_) | Role::Gather(_))
    }

    /// Whether ranks can share its tiles. Reads by the program run on every rank.
    pub fn can_be_shared(self) -> bool {
        !matches!(self, Role::Read | Role::Move { .. })
    }
}
