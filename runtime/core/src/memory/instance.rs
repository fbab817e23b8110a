//! Physical allocations, recorded from creation to end.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_config::Level;
use weft_trace::id::{InstanceUid, MemoryId};
use weft_trace::record::{self, MemoryKind};
use weft_trace::time::Timestamp;

use super::numa;
use super::pool::{Block, Figures, Holder, PAGE, Pool, Shortage, pages};
use super::spans::{Span, runs};
use super::uses::Uses;
use crate::identity::Uids;
use crate::observe::{Log, Recorder, Subsystem};
use crate::shape::Layout;

/// The minimum gap in bytes between rows of a view so that the gap is not held. It is larger than
/// the pages that the rows share.
const GAP: usize = 2 * PAGE;
/// Maximum number of views with gaps that an instance remembers.
const KNOWN: usize = 8;

/// One memory, as this rank may use it.
pub(crate) struct Memory {
    /// Its id in records.
    pub(crate) id: MemoryId,
    /// The kind of the memory.
    pub(crate) kind: MemoryKind,
    /// The pool that allocates from it.
    pub(crate) pool: Arc<Pool>,
    /// Whether its stores belong to this rank alone, and are never held in parts.
    pub(crate) is_nested: bool,
    /// Size in bytes of this memory in the machine, for all processes.
    pub(crate) machine: u64,
    /// Memories of NUMA nodes, which are tried first for new instances.
    pub(crate) nearer: Vec<Arc<Memory>>,
    /// The recorder of events.
    pub(crate) recorder: Arc<Recorder>,
    /// The log.
    pub(crate) log: Arc<Log>,
    /// The source of UIDs.
    pub(crate) uids: Arc<Uids>,
}

/// A request that a memory cannot meet.
#[derive(Debug)]
pub(crate) struct OutOfMemory {
    /// The memory.
    pub(crate) memory: Arc<Memory>,
    /// The holder that asked.
    pub(crate) asker: Holder,
    /// The state of its pool.
    pub(crate) shortage: Box<Shortage>,
}

impl OutOfMemory {
    /// Returns the number of bytes requested.
    pub(crate) fn asked(&self) -> usize {
        self.shortage.asked
    }
}

/// A block of memory that holds all or part of a store.
pub(crate) struct Instance {
    uid: InstanceUid,
    /// Present until dropped.
    block: Option<Block>,
    memory: Arc<Memory>,
    /// Set if it holds parts of its store.
    parts: Option<Box<Parts>>,
}

/// An instance that holds parts of its store.
struct Parts {
    /// Size of an element of the store in bytes.
    element: usize,
    /// The most recently requested views with gaps that it holds.
    known: Vec<Layout>,
    /// Its record, written again each time that it grows.
    record: record::Instance,
    is_recorded: bool,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.id)
    }
}

impl Memory {
    /// Returns the same memory, for stores of the operations that bodies of tasks start.
    pub(crate) fn within(&self, uids: Arc<Uids>) -> Memory {
        Memory {
            id: self.id,
            kind: self.kind,
            pool: self.pool.clone(),
            is_nested: true,
            machine: self.machine,
            nearer: self.nearer.clone(),
            recorder: self.recorder.clone(),
            log: self.log.clone(),
            uids,
        }
    }

    /// Whether stores of `bytes` bytes are held in parts.
    pub(crate) fn reserves(&self, bytes: usize) -> bool {
        !self.is_nested && self.pool.reserves(bytes)
    }

    /// Records the memory.
    pub(crate) fn describe(&self) {
        self.recorder.write(&record::Memory {
            id: self.id,
            kind: self.kind,
            capacity: self.pool.capacity(),
        });
    }

    /// Records how much of the memory is in use.
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

    /// Takes a block that is not an instance: temporary memory of a kernel.
    pub(crate) fn take(
        self: &Arc<Self>,
        bytes: usize,
        holder: Holder,
    ) -> Result<Block, OutOfMemory> {
        let block = self
            .pool
            .take(bytes, holder)
            .map_err(|(asker, shortage)| self.full(asker, shortage))?;
        if let Some(figures) = &block.moment {
            self.describe_use(figures, self.recorder.moment());
        }
        Ok(block)
    }

    fn full(self: &Arc<Self>, asker: Holder, shortage: Shortage) -> OutOfMemory {
        OutOfMemory {
            memory: self.clone(),
            asker,
            shortage: Box::new(shortage),
        }
    }

    /// Gives a block of the pool back.
    pub(crate) fn give_back(&self, block: Block) {
        if let Some(figures) = self.pool.give_back(block) {
            self.describe_use(&figures, self.recorder.moment());
        }
    }

    /// Makes an instance of `bytes` bytes for `holder` at the time `created`, in a nearer memory if
    /// one has room.
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
            // Allocation from the pool never waits.
            ready: created,
        });
        Ok(Instance {
            uid,
            block: Some(block),
            memory: self.clone(),
            parts: None,
        })
    }

    /// Makes an instance that holds nothing of its store yet; the store has `bytes` bytes in
    /// elements of `size`. If no addresses are available, makes an instance of the whole store.
    pub(crate) fn instance_in_parts(
        self: &Arc<Self>,
        mut holder: Holder,
        (bytes, size): (usize, usize),
        created: Timestamp,
    ) -> Result<Instance, OutOfMemory> {
        let uid = InstanceUid(self.uids.next());
        holder.instance = Some(uid);
        let (store, operation) = (holder.store, holder.maker.uid);
        let Some(block) = self.pool.reserve(bytes, holder.clone()) else {
            return self.instance(holder, bytes, created);
        };
        let record = record::Instance {
            uid,
            store,
            memory: self.id,
            bytes: 0,
            operation,
            created,
            ready: created,
        };
        Ok(Instance {
            uid,
            block: Some(block),
            memory: self.clone(),
            parts: Some(Box::new(Parts {
                element: size,
                known: Vec::new(),
                record,
                is_recorded: false,
            })),
        })
    }
}

impl Instance {
    /// Returns the address of the first byte, in the address space of its memory.
    pub(crate) fn address(&self) -> u64 {
        self.block.as_ref().map_or(0, Block::start)
    }

    /// Returns the address of the first byte of an instance in main memory.
    pub(crate) fn start(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.address() as usize)
    }

    /// Returns its memory.
    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Extends the instance by the elements of `view` of its store, for `asker`. Returns a run of
    /// held pages that contains some of them; `None` if the instance holds all of the store.
    pub(crate) fn hold(
        &mut self,
        view: &Layout,
        asker: impl FnOnce() -> Holder,
    ) -> Result<Option<Span>, OutOfMemory> {
        let (Some(parts), Some(block)) = (&mut self.parts, &mut self.block) else {
            return Ok(None);
        };
        let none = Span { first: 0, end: 0 };
        let Some(elements) = Span::from_layout(view) else {
            return Ok(Some(none));
        };
        if parts.known.iter().any(|known| known == view) {
            return Ok(Some(none));
        }
        let size = parts.element;
        let runs = runs(view, GAP / size);
        let in_pages = |run: &Span| pages(run.first * size, run.end * size);
        let runs: SmallVec<[Span; 1]> = runs.iter().map(in_pages).collect();
        let memory = &self.memory;
        let has_grown = memory
            .pool
            .hold(block, &runs, elements)
            .map_err(|shortage| memory.full(asker(), shortage))?;
        if has_grown {
            parts.record.bytes = block.size() as u64;
            parts.is_recorded = true;
            memory.recorder.write(&parts.record);
            if let Some(figures) = block.moment.take() {
                memory.describe_use(&figures, memory.recorder.moment());
            }
        }
        if runs.len() > 1 {
            if parts.known.len() == KNOWN {
                parts.known.remove(0);
            }
            parts.known.push(*view);
        }
        let longest = runs.iter().copied().max_by_key(Span::len).unwrap_or(none);
        Ok(memory.pool.held_around(block, longest).or(Some(none)))
    }

    /// Returns the elements that it holds, including those that share their pages; all up to
    /// `count` if it holds the whole store.
    pub(crate) fn held_spans(&self, count: usize) -> SmallVec<[Span; 2]> {
        let (Some(parts), Some(block)) = (&self.parts, &self.block) else {
            return SmallVec::from_slice(&[Span {
                first: 0,
                end: count,
            }]);
        };
        let each = PAGE / parts.element;
        let held = self.memory.pool.held_pages(block);
        held.iter()
            .map(|pages| Span {
                first: pages.first * each,
                end: count.min(pages.end * each),
            })
            .collect()
    }

    /// Adds the work on devices that may be using the instance, or used its block before, to
    /// `waits`.
    pub(crate) fn add_uses_to(&self, waits: &mut Uses) {
        if let Some(block) = &self.block {
            waits.merge(&block.uses);
        }
    }

    /// Returns the work on devices that uses the instance, or used its block before.
    pub(crate) fn uses(&mut self) -> Option<&mut Uses> {
        self.block.as_mut().map(|block| &mut block.uses)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if !self.memory.recorder.is_of_this_process() {
            // A thread of the parent may have held the pool's lock when this process was forked;
            // that lock would never be released.
            std::mem::forget(self.block.take());
            return;
        }
        if let Some(block) = self.block.take() {
            self.memory.give_back(block);
        }
        // An instance that never held anything was never recorded.
        if self.parts.as_ref().is_none_or(|parts| parts.is_recorded) {
            self.memory.recorder.write(&record::InstanceEnd {
                uid: self.uid,
                destroyed: self.memory.recorder.moment(),
            });
        }
    }
}
