//! The operations of the program.

use super::field::List;
use super::frame::record;
use crate::id::{ImageId, NameId, OperationUid, ProvenanceId, ScopeId, StackId};
use crate::time::Timestamp;

/// The number of words of views in an [`Operands`] record that is continued by another one.
pub const VIEWS: usize = 4096;

/// The most words in an [`Image`] record.
pub const IMAGE_WORDS: usize = 4096;

record! {
    /// An operation: one logical step that the program asked for.
    10 => Operation<'a> {
        /// Its UID.
        uid: OperationUid,
        /// The operation that it is part of, if any.
        parent: Option<OperationUid>,
        /// The name, such as `add`, which its tasks share.
        name: NameId,
        /// The place of the user's call.
        provenance: ProvenanceId,
        /// The time of the call.
        created: Timestamp,
        /// The number of its tasks.
        tasks: u32,
        /// The innermost scope around the call.
        scope: ScopeId,
        /// The stack of calls that led to the user's call.
        stack: StackId,
    }
    tail
    /// The shape that its tasks cover together.
    shape: List<'a, u64>
}

record! {
    /// The part of an operation's shape that one of its tasks covers. Omitted if one task covers
    /// all of it.
    11 => Tile<'a> {
        /// The operation.
        operation: OperationUid,
        /// The number of the task in its operation.
        point: u32,
    }
    tail
    /// The first index, and one past the last, of each dimension.
    bounds: List<'a, (u64, u64)>
}

record! {
    /// The tiling and the operands of an operation. Written with `--profile-operands` only.
    12 => Operands<'a> {
        /// The operation.
        operation: OperationUid,
        /// The tiling, as encoded by `weft_geometry::words`.
        grain: u64,
    }
    tail
    /// The views of stores one after the other, as encoded by `weft_geometry::words`. If there are
    /// [`VIEWS`] words, the operation's next record continues this one.
    views: List<'a, u64>
}

record! {
    /// A part of an image: the indices that the tiles of operations touch, found in the values of
    /// an array. It may come after the [`Operands`] that refer to it. Written with
    /// `--profile-operands` only, the first time that an operation uses it.
    17 => Image<'a> {
        /// The id.
        id: ImageId,
        /// The number of this part, from 0. Each part except the last has [`IMAGE_WORDS`] words.
        part: u32,
        /// The number of words of all parts.
        words: u64,
    }
    tail
    /// The words of this part, as encoded by `weft_geometry::Image::put`.
    list: List<'a, u64>
}

record! {
    /// The processors that a rank's operations are cut for. Written with `--profile-operands` only.
    13 => Processors {
        /// The number of CPU workers.
        cpus: u32,
        /// The number of OMP groups.
        omps: u32,
        /// The number of threads of each OMP group.
        omp_threads: u32,
        /// The fewest elements worth a task on a CPU.
        smallest: u64,
        /// The fewest elements worth a task on an OMP group.
        smallest_omp: u64,
    }
}
