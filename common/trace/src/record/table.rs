//! Tables that other records refer to.

use super::frame::record;
use crate::id::{NameId, ProvenanceId, ScopeId, StackId};

record! {
    /// A string that other records refer to by id. It may come after records that use it, since
    /// each thread writes to its own blocks.
    1 => Name<'a> {
        /// The id.
        id: NameId,
    }
    tail
    /// The text.
    text: &'a str
}

record! {
    /// A place in the user's source.
    2 => Provenance {
        /// The id.
        id: ProvenanceId,
        /// The path of the file, as the compiler saw it.
        file: NameId,
        /// The function, if known; otherwise [`NameId`] 0.
        function: NameId,
        /// The line, from 1.
        line: u32,
        /// A number that distinguishes the calls of a line: in Rust the column, from 1; in Python a
        /// [`CallNumber`](crate::id::CallNumber). 0 if unknown.
        column: u32,
    }
}

record! {
    /// A part of the program that the program has named.
    14 => Scope<'a> {
        /// The id.
        id: ScopeId,
        /// The scope that contains it.
        parent: ScopeId,
    }
    tail
    /// The name, without those of the scopes around it.
    name: &'a str
}

record! {
    /// A call in a call stack.
    15 => Caller {
        /// The stack that ends in this call.
        id: StackId,
        /// The stack without this call.
        parent: StackId,
        /// The place of the call.
        provenance: ProvenanceId,
    }
}

record! {
    /// A part of the text of a source file that positions refer to. The parts are in order.
    16 => SourceText<'a> {
        /// The path of the file, as in [`Provenance`].
        file: NameId,
        /// The number of this part, from 0.
        part: u32,
        /// The size of the whole text in bytes; more than the size of all parts if it was cut.
        bytes: u64,
        /// Whether the file was changed after the program was built, so that line numbers may be
        /// wrong.
        newer: bool,
    }
    tail
    /// The text.
    text: &'a str
}
