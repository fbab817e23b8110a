//! Tables that other records point into.

use super::frame::record;
use crate::id::{NameId, ProvenanceId, ScopeId, StackId};

record! {
    /// A string that others name by id. It may stand after records that use it: threads write blocks of their own.
    1 => Name<'a> {
        /// Its id.
        id: NameId,
    }
    tail
    /// The text.
    text: &'a str
}

record! {
    /// A place in the user's source.
    2 => Provenance {
        /// Its id.
        id: ProvenanceId,
        /// The file's path, as the compiler saw it.
        file: NameId,
        /// The function, where known; otherwise [`NameId`] 0.
        function: NameId,
        /// Line, from 1.
        line: u32,
        /// Distinguishes the calls of a line: in Rust the column, from 1; in Python a [`CallNumber`](crate::id::CallNumber). 0 if unknown.
        column: u32,
    }
}

record! {
    /// A part of the program that the program itself has named.
    14 => Scope<'a> {
        /// Its id.
        id: ScopeId,
        /// The scope that it is part of.
        parent: ScopeId,
    }
    tail
    /// Its name, without those of the scopes around it.
    name: &'a str
}

record! {
    /// One call of a stack of calls.
    15 => Caller {
        /// The stack that ends in this call.
        id: StackId,
        /// The stack without it.
        parent: StackId,
        /// Where the call stands.
        provenance: ProvenanceId,
    }
}

record! {
    /// A part of the text of a source file that positions name. Parts follow each other.
    16 => SourceText<'a> {
        /// The file's path, as in [`Provenance`].
        file: NameId,
        /// Which part, from 0.
        part: u32,
        /// Bytes of the whole text; more than the parts have where it was cut.
        bytes: u64,
        /// Whether the file was changed after the program was built, so that lines may be others.
        newer: bool,
    }
    tail
    /// The text.
    text: &'a str
}
