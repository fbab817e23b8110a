//! Physical allocations, recorded from birth to end.

use std::sync::Arc;

use weft_config::Level;
use weft_trace::id::{InstanceUid, MemoryId, OperationUid, StoreUid};
use weft_trace::record;
use weft_trace::time::Timestamp;

use super::pool::{Block, OutOfMemory, Pool};
use crate::identity::Uids;
use crate::observe::{Log, Recorder, Subsystem};

/// The machine's main memory as this rank may use it.
pub(crate) struct SystemMemory {
    /// Its id in records.
    pub(crate) id: MemoryId,
    /// The room.
    pub(crate) pool: Pool,
    /// Who writes down what happens.
    pub(crate) recorder: Arc<Recorder>,
    /// Who says what happens.
    pub(crate) log: Arc<Log>,
    /// Where UIDs come from.
    pub(crate) uids: Arc<Uids>,
}

/// A block of memory that holds a store.
pub(crate) struct Instance {
    uid: InstanceUid,
    /// Present until dropped.
    block: Option<Block>,
    memory: Arc<SystemMemory>,
}

impl SystemMemory {
    /// Makes an instance of `bytes` bytes for `store`, asked for by `operation` at the time `created`.
    pub(crate) fn instance(
        self: &Arc<Self>,
        store: StoreUid,
        bytes: usize,
        operation: OperationUid,
        created: Timestamp,
    ) -> Result<Instance, OutOfMemory> {
        let block = self.pool.take(bytes)?;
        let uid = InstanceUid(self.uids.next());
        self.log.say(
            Subsystem::Memory,
            Level::Debug,
            format_args!("instance {uid} of {} bytes for store {store}", block.size()),
        );
        self.recorder.write(&record::Instance {
            uid,
            store,
            memory: self.id,
            bytes: block.size() as u64,
            operation,
            created,
            // The pool never makes anyone wait.
            ready: created,
        });
        Ok(Instance {
            uid,
            block: Some(block),
            memory: self.clone(),
        })
    }
}

impl Instance {
    /// Address of the first element.
    pub(crate) fn start(&self) -> *mut u8 {
        self.block
            .as_ref()
            .map_or(std::ptr::null_mut(), Block::start)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.memory.pool.give_back(block);
        }
        self.memory.recorder.write(&record::InstanceEnd {
            uid: self.uid,
            destroyed: self.memory.recorder.moment(),
        });
    }
}
