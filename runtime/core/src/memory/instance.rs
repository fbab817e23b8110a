//! Physical allocations, recorded from birth to end.

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

/// Bytes between two rows of a view from which on what lies between them is not held: more than the rows' own pages.
const GAP: usize = 2 * PAGE;
/// Views with gaps that an instance remembers.
const KNOWN: usize = 8;

/// One memory as this rank may use it.
pub(crate) struct Memory {
    /// Its id in records.
    pub(crate) id: MemoryId,
    /// What it is.
    pub(crate) kind: MemoryKind,
    /// The room.
    pub(crate) pool: Arc<Pool>,
    /// Whether its stores are of this rank alone, and never held in parts.
    pub(crate) is_nested: bool,
    /// Bytes the machine has of it, for all processes.
    pub(crate) machine: u64,
    /// Memories of NUMA nodes, which new instances go to first.
    pub(crate) nearer: Vec<Arc<Memory>>,
    /// The recorder of events.
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
    /// Of one that holds parts of its store.
    parts: Option<Box<Parts>>,
}

/// An instance that holds parts of its store.
struct Parts {
    /// Bytes of an element of the store.
    element: usize,
    /// Views with gaps that it holds: those that were asked for last.
    known: Vec<Layout>,
    /// Recorded each time that more is held.
    record: record::Instance,
    is_recorded: bool,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.id)
    }
}

impl Memory {
    /// The same room for stores of what bodies of tasks ask for.
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

    /// Whether stores of so many bytes are held in parts.
    pub(crate) fn reserves(&self, bytes: usize) -> bool {
        !self.is_nested && self.pool.reserves(bytes)
    }

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
            .map_err(|shortage| self.full(asker, shortage))?;
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
            parts: None,
        })
    }

    /// Makes an instance that holds nothing of its store yet, which has `bytes` bytes in elements of `size`; one of all of it where
    /// there are no addresses to be had.
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

    /// Has it hold the elements of `view` of its store, besides those that it holds, for `asker`. What comes back is a run of pages
    /// that it holds and that some of them are in; `None` where it holds all of the store.
    pub(crate) fn hold(
        &mut self,
        view: &Layout,
        asker: impl FnOnce() -> Holder,
    ) -> Result<Option<Span>, OutOfMemory> {
        let (Some(parts), Some(block)) = (&mut self.parts, &mut self.block) else {
            return Ok(None);
        };
        let none = Span { first: 0, end: 0 };
        let Some(elements) = Span::of(view) else {
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

    /// The elements that it holds, and those that share their pages; all up to `count` where it holds all of its store.
    pub(crate) fn held(&self, count: usize) -> SmallVec<[Span; 2]> {
        let (Some(parts), Some(block)) = (&self.parts, &self.block) else {
            return SmallVec::from_slice(&[Span {
                first: 0,
                end: count,
            }]);
        };
        let each = PAGE / parts.element;
        let held = self.memory.pool.held(block);
        held.iter()
            .map(|pages| Span {
                first: pages.first * each,
                end: count.min(pages.end * each),
            })
            .collect()
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
        if !self.memory.recorder.is_of_this_process() {
            // A thread of the parent may have held the pool's lock when this process was forked: nobody would give it back.
            std::mem::forget(self.block.take());
            return;
        }
        if let Some(block) = self.block.take() {
            self.memory.give_back(block);
        }
        // What never held anything was never there.
        if self.parts.as_ref().is_none_or(|parts| parts.is_recorded) {
            self.memory.recorder.write(&record::InstanceEnd {
                uid: self.uid,
                destroyed: self.memory.recorder.moment(),
            });
        }
    }
}
