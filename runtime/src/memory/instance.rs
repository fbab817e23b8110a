//! Physical allocations, recorded from birth to end.

use std::sync::Arc;

use weft_config::Level;
use weft_trace::id::{InstanceUid, MemoryId};
use weft_trace::record::{self, MemoryKind};
use weft_trace::time::Timestamp;

use super::numa;
use super::pool::{Block, Figures, Holder, Pool, Shortage};
use super::uses::Uses;
use crate::identity::Uids;
use crate::observe::{Log, Recorder, Subsystem};

/// One memory as this rank may use it.
pub(crate) struct Memory {
    /// Its id in records.
    pub(crate) id: MemoryId,
    /// What it is.
    pub(crate) kind: MemoryKind,
    /// The room.
    pub(crate) pool: Pool,
    /// Bytes the machine has of it, for all processes.
    pub(crate) machine: u64,
    /// Memories of NUMA nodes, which new instances go to first.
    pub(crate) nearer: Vec<Arc<Memory>>,
    /// Who writes down what happens.
    pub(crate) recorder: Arc<Recorder>,
    /// Who says what happens.
    pub(crate) log: Arc<Log>,
    /// Where UIDs come from.
    pub(crate) uids: Arc<Uids>,
}

/// A request that a memory cannot meet.
#[derive(Debug)]
pub(crate) struct OutOfMemory {
    /// Which.
    pub(crate) memory: Arc<Memory>,
    /// Who asked.
    pub(crate) asker: Holder,
    /// What it has.
    pub(crate) shortage: Box<Shortage>,
}

/// A block of memory that holds (part of) a store.
pub(crate) struct Instance {
    uid: InstanceUid,
    /// Present until dropped.
    block: Option<Block>,
    memory: Arc<Memory>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.id)
    }
}

impl Memory {
    /// Writes down that the memory is there.
    pub(crate) fn describe(&self) {
        self.recorder.write(&record::Memory {
            id: self.id,
            kind: self.kind,
            capacity: self.pool.capacity(),
        });
    }

    /// Writes down how much of it is in use.
    pub(crate) fn describe_use(&self, figures: &Figures, at: Timestamp) {
        self.recorder.write(&record::MemoryUse {
            memory: self.id,
            at,
            live: figures.live as u64,
            peak: figures.peak as u64,
            largest_free: figures.largest as u64,
            kept: figures.kept as u64,
        });
    }

    /// Takes a block that is no instance: room that a kernel needs while it runs.
    pub(crate) fn take(
        self: &Arc<Self>,
        bytes: usize,
        holder: Holder,
    ) -> Result<Block, OutOfMemory> {
        let asker = holder.clone();
        let block = self
            .pool
            .take(bytes, holder)
            .map_err(|shortage| OutOfMemory {
                memory: self.clone(),
                asker,
                shortage: Box::new(shortage),
            })?;
        if let Some(figures) = &block.moment {
            self.describe_use(figures, self.recorder.moment());
        }
        Ok(block)
    }

    /// Takes such a block back.
    pub(crate) fn give_back(&self, block: Block) {
        if let Some(figures) = self.pool.give_back(block) {
            self.describe_use(&figures, self.recorder.moment());
        }
    }

    /// Makes an instance of `bytes` bytes for `holder` at the time `created`, in a nearer memory where one has room.
    pub(crate) fn instance(
        self: &Arc<Self>,
        holder: Holder,
        bytes: usize,
        created: Timestamp,
    ) -> Result<Instance, OutOfMemory> {
        if let Some(near) = self.nearer.get(numa::node_of_thread(self.nearer.len()))
            && let Ok(instance) = near.instance_here(holder.clone(), bytes, created)
        {
            return Ok(instance);
        }
        self.instance_here(holder, bytes, created)
    }

    /// Makes an instance in this memory.
    pub(crate) fn instance_here(
        self: &Arc<Self>,
        mut holder: Holder,
        bytes: usize,
        created: Timestamp,
    ) -> Result<Instance, OutOfMemory> {
        let (store, maker) = (holder.store, holder.maker);
        let uid = InstanceUid(self.uids.next());
        holder.instance = Some(uid);
        let block = self.take(bytes, holder)?;
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
            operation: maker.uid,
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
    /// Address of the first byte, in the address space of its memory.
    pub(crate) fn address(&self) -> u64 {
        self.block.as_ref().map_or(0, Block::start)
    }

    /// Address of the first byte of an instance in main memory.
    pub(crate) fn start(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.address() as usize)
    }

    /// The memory it is in.
    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Adds the work on devices that may be using it, or its block before it, to `waits`.
    pub(crate) fn add_uses_to(&self, waits: &mut Uses) {
        if let Some(block) = &self.block {
            waits.merge(&block.uses);
        }
    }

    /// Work on devices that uses it, or its block before it.
    pub(crate) fn uses(&mut self) -> Option<&mut Uses> {
        self.block.as_mut().map(|block| &mut block.uses)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.memory.give_back(block);
        }
        self.memory.recorder.write(&record::InstanceEnd {
            uid: self.uid,
            destroyed: self.memory.recorder.moment(),
        });
    }
}
