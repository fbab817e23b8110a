//! Data: stores, their instances, and copies between memories.

use super::code::MessageSide;
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
    /// A physical allocation that holds (part of) a store. One that grows is recorded again with its new size.
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
    /// How much of a memory is in use: written where that has changed by an eighth or more, and at the end of the run.
    34 => MemoryUse {
        /// The memory.
        memory: MemoryId,
        /// When.
        at: Timestamp,
        /// Bytes in blocks that somebody holds: instances, and room that kernels need while they run.
        live: u64,
        /// The most that was held at a time so far.
        peak: u64,
        /// Bytes of the largest block that could be given out.
        largest_free: u64,
        /// Bytes that nobody holds and that are kept from others.
        kept: u64,
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

record! {
    /// One side of a message between ranks: the other side's rank writes its own. Both sides count the messages from one rank to
    /// another alike, so that sender, receiver and number tell which two belong together.
    35 => Message {
        /// Its UID, on this side.
        uid: TaskUid,
        /// The operation that needs what is moved.
        operation: OperationUid,
        /// The other rank.
        peer: u16,
        /// Whether this side sends or receives.
        side: MessageSide,
        /// Which of the messages from the one that sends to the one that receives; the first is 1.
        number: u64,
        /// The memory on this side.
        memory: MemoryId,
        /// Bytes moved; 0 if the sender had nothing to send.
        bytes: u64,
        /// When it was asked for.
        created: Timestamp,
        /// When what is sent was there, or nobody used any more what is overwritten.
        ready: Timestamp,
        /// When this side began.
        start: Timestamp,
        /// Just before the network was given what is sent, or when it had delivered what is received.
        passed: Timestamp,
        /// When what was sent could be overwritten, or what was received could be used.
        end: Timestamp,
    }
}
