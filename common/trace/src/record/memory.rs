//! Data: stores, their instances, and copies between memories.

use super::code::MessageSide;
use super::field::List;
use super::frame::record;
use crate::id::{InstanceUid, MemoryId, NameId, OperationUid, ProvenanceId, StoreUid, TaskUid};
use crate::time::Timestamp;

record! {
    /// A store: the data of a logical array.
    30 => Store<'a> {
        /// Its UID.
        uid: StoreUid,
        /// The dtype of the elements, such as `f64`.
        dtype: NameId,
        /// The call that created it.
        provenance: ProvenanceId,
    }
    tail
    /// The shape.
    shape: List<'a, u64>
}

record! {
    /// An instance: an allocation that holds a store or a part of it. An instance that grows is
    /// recorded again with its new size.
    31 => Instance {
        /// Its UID.
        uid: InstanceUid,
        /// The store.
        store: StoreUid,
        /// The memory.
        memory: MemoryId,
        /// The number of bytes that it takes there.
        bytes: u64,
        /// The operation whose task needed it first.
        operation: OperationUid,
        /// The time of the request.
        created: Timestamp,
        /// The time at which it could be used.
        ready: Timestamp,
    }
}

record! {
    /// The end of an instance.
    32 => InstanceEnd {
        /// The instance.
        uid: InstanceUid,
        /// The time at which its memory was freed.
        destroyed: Timestamp,
    }
}

record! {
    /// The use of a memory, written when it has changed by an eighth or more, and at the end of the
    /// run.
    34 => MemoryUse {
        /// The memory.
        memory: MemoryId,
        /// The time.
        at: Timestamp,
        /// The bytes of allocated blocks: instances, and scratch memory of running kernels.
        live: u64,
        /// The highest value of `live` so far.
        peak: u64,
        /// The free bytes that are kept for further allocations instead of being returned to the
        /// system.
        largest_free: u64,
        /// The bytes that are free in Weft, but kept from other programs.
        kept: u64,
    }
}

record! {
    /// A copy between memories. Copies inside a memory are tasks.
    33 => Copy {
        /// Its UID.
        uid: TaskUid,
        /// The operation that needs it.
        operation: OperationUid,
        /// The source memory.
        source: MemoryId,
        /// The destination memory.
        destination: MemoryId,
        /// The number of bytes moved.
        bytes: u64,
        /// The time of the request.
        created: Timestamp,
        /// The time at which it could begin.
        ready: Timestamp,
        /// The start time.
        start: Timestamp,
        /// The end time.
        end: Timestamp,
    }
}

record! {
    /// One side of a message between ranks; the rank of the other side writes its own record. Both
    /// sides count the messages from one rank to another in the same order. So sender, receiver and
    /// number identify the pair.
    35 => Message {
        /// The UID on this side.
        uid: TaskUid,
        /// The operation that needs the moved elements.
        operation: OperationUid,
        /// The other rank.
        peer: u16,
        /// Whether this side sends or receives.
        side: MessageSide,
        /// The number of this message among those from the sender to the receiver, from 1.
        number: u64,
        /// The memory on this side.
        memory: MemoryId,
        /// The number of bytes moved; 0 if the sender had nothing to send.
        bytes: u64,
        /// The time of the request.
        created: Timestamp,
        /// The time at which the elements to send were ready, or those to overwrite were no longer
        /// in use.
        ready: Timestamp,
        /// The time at which this side began.
        start: Timestamp,
        /// The time just before the elements were passed to the network, or at which they had been
        /// delivered.
        passed: Timestamp,
        /// The time at which sent elements could be overwritten, or received ones could be used.
        end: Timestamp,
    }
}
