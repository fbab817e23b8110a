//! What is done with an operand.

/// What a task does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes every element of it.
    Write,
    /// Reads or keeps some of its elements, and writes others.
    ReadWrite,
}

impl Access {
    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::ReadWrite => "read_write",
        }
    }

    /// The access with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Access::Read, Access::Write, Access::ReadWrite];
        all.into_iter().find(|access| access.name() == name)
    }
}
