//! What the runtime itself does with an operation, whatever library it is of.

use weft_trace::record::MemoryKind;

/// The other side of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Peer {
    /// Its rank.
    pub rank: u16,
    /// Which of the messages from the one to the other; the first is 1.
    pub number: u64,
}

/// What the runtime itself does with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Runs its kernels.
    Compute,
    /// Copies elements (input, out).
    Copy,
    /// Takes values of the program (values, out).
    Load,
    /// Gives the program values to read (input, out).
    Read,
    /// Sends to another rank (input).
    Send(Peer),
    /// Receives from another rank (out).
    Receive(Peer),
    /// Gives every rank what of a block some ranks have: the gather of this number; the first is 1 (block).
    Gather(u64),
    /// Takes a store to another memory (store).
    Move {
        /// Which.
        to: MemoryKind,
        /// Whether other memories give it up.
        alone: bool,
    },
}

impl Role {
    /// Whether it sends to other ranks or receives from them.
    pub fn is_message(self) -> bool {
        matches!(self, Role::Send(_) | Role::Receive(_) | Role::Gather(_))
    }

    /// Whether ranks can share its tiles out. What a program reads, every rank's program reads.
    pub fn can_be_shared(self) -> bool {
        !matches!(self, Role::Read | Role::Move { .. })
    }
}
