//! Tables that other records point into.

use super::frame::record;
use crate::id::{NameId, ProvenanceId};

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
        /// Column, from 1; 0 where unknown.
        column: u32,
    }
}
