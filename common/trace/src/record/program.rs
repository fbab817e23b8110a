//! What the program asked for.

use super::field::List;
use super::frame::record;
use crate::id::{ImageId, NameId, OperationUid, ProvenanceId, ScopeId, StackId};
use crate::time::Timestamp;

/// Words of views in an [`Operands`] record that another one goes on behind.
pub const VIEWS: usize = 4096;

/// Most words in an [`Image`] record.
pub const IMAGE_WORDS: usize = 4096;

record! {
    /// One logical step the program asked for.
    10 => Operation<'a> {
        /// Its UID.
        uid: OperationUid,
        /// The operation it is part of, if any.
        parent: Option<OperationUid>,
        /// What it does, such as `add`; also the name of its tasks.
        name: NameId,
        /// The user's call.
        provenance: ProvenanceId,
        /// When the program called.
        created: Timestamp,
        /// Number of tasks it was cut into.
        tasks: u32,
        /// The innermost scope that the call stands in.
        scope: ScopeId,
        /// The calls that led to the user's call.
        stack: StackId,
    }
    tail
    /// The shape its tasks cover together.
    shape: List<'a, u64>
}

record! {
    /// The part of an operation's shape that one of its tasks covers. Left out where one task covers all of it.
    11 => Tile<'a> {
        /// The operation.
        operation: OperationUid,
        /// Which of its tasks.
        point: u32,
    }
    tail
    /// For each dimension: first index, and one past the last.
    bounds: List<'a, (u64, u64)>
}

record! {
    /// How an operation of the program is cut and what it works on. Written with `--profile-operands` only.
    12 => Operands<'a> {
        /// The operation.
        operation: OperationUid,
        /// What decides how it is cut, as `weft_geometry::words` writes it.
        grain: u64,
    }
    tail
    /// Its views of stores one after the other, as `weft_geometry::words` writes them. Where there are [`VIEWS`] words, the next record of the
    /// operation goes on where this one ends.
    views: List<'a, u64>
}

record! {
    /// Part of an image: of the indices that the tiles of operations touch, as they were found in the values of an array. It may stand after
    /// the [`Operands`] that name it. Written with `--profile-operands` only, the first time that an operation has it.
    17 => Image<'a> {
        /// Its id.
        id: ImageId,
        /// Which part, from 0: each but the last has [`IMAGE_WORDS`] words.
        part: u32,
        /// Words of all parts.
        words: u64,
    }
    tail
    /// The words of this part, as `weft_geometry::Image::put` writes them.
    list: List<'a, u64>
}

record! {
    /// What the rank's operations are cut for. Written with `--profile-operands` only.
    13 => Processors {
        /// CPU workers.
        cpus: u32,
        /// OMP groups.
        omps: u32,
        /// Threads of each OMP group.
        omp_threads: u32,
        /// Fewest elements worth a task on a CPU.
        smallest: u64,
        /// Fewest elements worth a task on an OMP group.
        smallest_omp: u64,
    }
}
