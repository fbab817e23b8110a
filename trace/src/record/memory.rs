//! Data: stores, their instances, and copies between memories.

use super::field::List;
use super::frame::record;
use crate::id::{InstanceUid, MemoryId, NameId, OperationUid, ProvenanceId, StoreUid, TaskUid};
use crate::time::Timestamp;

record! {
    /// A logical array's data.
    30 => Store<'a> {
        /// Its UID.
        uid: StoreUid,
        /// The type of its elements, such as `f64`.
        dtype: NameId,
        /// The call that made it.
        provenance: ProvenanceId,
    }
    tail
    /// Its shape.
    shape: List<'a, u64>
}

record! {
    /// A physical allocation that holds (part of) a store.
    31 => Instance {
        /// Its UID.
        uid: InstanceUid,
        /// The store.
        store: StoreUid,
        /// The memory.
        memory: MemoryId,
        /// Bytes it takes there.
        bytes: u64,
        /// The operation whose task needed it first.
        operation: OperationUid,
        /// When it was asked for.
        created: Timestamp,
        /// When it could be used.
        ready: Timestamp,
    }
}

record! {
    /// The end of an instance.
    32 => InstanceEnd {
        /// The instance.
        uid: InstanceUid,
        /// When its memory was given back.
        destroyed: Timestamp,
    }
}

record! {
    /// A copy between memories. Copies inside a memory are tasks.
    33 => Copy {
        /// Its UID.
        uid: TaskUid,
        /// The operation it was needed for.
        operation: OperationUid,
        /// From where.
        source: MemoryId,
        /// To where.
        destination: MemoryId,
        /// Bytes moved.
        bytes: u64,
        /// When it was asked for.
        created: Timestamp,
        /// When it could begin.
        ready: Timestamp,
        /// When it began.
        start: Timestamp,
        /// When it ended.
        end: Timestamp,
    }
}
