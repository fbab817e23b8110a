//! Access of operations to operands.

/// The access of a task to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The task reads the operand.
    Read,
    /// The task writes every element of the operand.
    Write,
    /// The task reads or keeps some elements, and writes others.
    ReadWrite,
}

impl Access {
    /// Returns the name of this access in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::ReadWrite => "read_write",
        }
    }

    /// Returns the access with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Access::Read, Access::Write, Access::ReadWrite];
        all.into_iter().find(|access| access.name() == name)
    }
}
