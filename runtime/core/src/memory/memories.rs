//! The memories of a rank.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use weft_config::grouped;
use weft_trace::id::{MemoryId, StoreUid};
use weft_trace::record::MemoryKind;

use super::{Memory, OutOfMemory, PoolStatus, Store, explain, held_stores};
use crate::error::Shortage;
use crate::identity::Uids;
use crate::observe::Recorder;
use crate::say::say;

/// The memories of a rank, and the spare instances that can be dropped when memory is short.
pub(crate) struct Memories {
    /// Main memory.
    pub(crate) main: Arc<Memory>,
    /// Pinned host memory, and the memory of each GPU.
    of_gpus: Vec<Arc<Memory>>,
    /// Unified memory of each GPU besides its own, once a store has asked for it.
    unified: Arc<OnceLock<Vec<Arc<Memory>>>>,
    /// Stores, of all levels, that may keep a spare instance in main memory for their next swap.
    /// The dispatcher keeps track of spares on GPUs: it knows when no issued work reads them.
    host_spares: Arc<Mutex<Vec<Weak<Store>>>>,
    /// Whether stores are moved to main memory when GPU memory is full.
    pub(crate) spills: bool,
}

impl Memories {
    pub(crate) fn new(
        main: Arc<Memory>,
        of_gpus: Vec<Arc<Memory>>,
        unified: Arc<OnceLock<Vec<Arc<Memory>>>>,
        spills: bool,
    ) -> Memories {
        Memories {
            of_gpus,
            unified,
            main,
            host_spares: Arc::default(),
            spills,
        }
    }

    /// Returns the memories of the level below, whose stores take UIDs from `uids`.
    pub(crate) fn within(&self, uids: Arc<Uids>) -> Memories {
        Memories {
            main: Arc::new(self.main.within(uids)),
            of_gpus: Vec::new(),
            unified: Arc::default(),
            host_spares: self.host_spares.clone(),
            spills: self.spills,
        }
    }

    /// Records all memories.
    pub(crate) fn describe(&self) {
        self.all().for_each(|memory| memory.describe());
    }

    /// Iterates over all memories, main memory first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Memory>> + '_ {
        std::iter::once(&self.main)
            .chain(&self.main.nearer)
            .chain(&self.of_gpus)
            .chain(self.unified.get().into_iter().flatten())
    }

    /// Returns the number after those of all memories. Pinned memory has a number below the GPUs'.
    pub(crate) fn next_id(&self) -> MemoryId {
        let last = self.all().map(|memory| memory.id.0).max();
        MemoryId(last.unwrap_or(0) + 1)
    }

    pub(crate) fn with_kind(&self, kind: MemoryKind) -> impl Iterator<Item = &Arc<Memory>> + '_ {
        self.all().filter(move |memory| memory.kind == kind)
    }

    /// Whether there is a memory of this kind with a capacity above 0.
    pub(crate) fn has(&self, kind: MemoryKind) -> bool {
        self.with_kind(kind)
            .any(|memory| memory.pool.capacity() > 0)
    }

    /// Returns the total capacity of all memories of this rank, in bytes.
    pub(crate) fn capacity(&self) -> u64 {
        let memories = self.all().map(|memory| memory.pool.capacity());
        memories.fold(0, u64::saturating_add)
    }

    /// Explains a lack of memory. `needed` returns whether the operation that met it needs a store.
    pub(crate) fn explain(
        &self,
        full: &OutOfMemory,
        needed: impl Fn(StoreUid) -> bool,
    ) -> Shortage {
        let mut others: Vec<&Arc<Memory>> = self
            .all()
            .filter(|memory| memory.kind != full.memory.kind && memory.pool.capacity() > 0)
            .collect();
        others.sort_by_key(|memory| std::cmp::Reverse(memory.pool.figures().free()));
        let alike: Vec<_> = self.with_kind(full.memory.kind).collect();
        let number = alike
            .iter()
            .position(|memory| Arc::ptr_eq(memory, &full.memory));
        explain(
            full,
            &others,
            needed,
            number.filter(|_| alike.len() > 1),
            self.spills,
        )
    }

    /// Returns the use of each memory, and its holders.
    pub(crate) fn status(&self) -> Vec<PoolStatus> {
        let status = |memory: &Arc<Memory>| {
            let figures = memory.pool.figures();
            let mut alike = self.with_kind(memory.kind);
            let number = alike.position(|other| Arc::ptr_eq(other, memory));
            PoolStatus {
                memory: memory.kind,
                number: number.unwrap_or(0),
                capacity: figures.capacity as u64,
                live: figures.live as u64,
                peak: figures.peak as u64,
                free: figures.free() as u64,
                largest_free: figures.largest as u64,
                kept: figures.kept as u64,
                holders: held_stores(&memory.pool.holdings()),
            }
        };
        self.all().map(status).collect()
    }

    /// Releases memory that is not in use to the system; returns an upper bound of the bytes.
    pub(crate) fn reclaim(&self) -> u64 {
        self.give_up_host_spares();
        self.all().map(|memory| memory.pool.reclaim()).sum()
    }

    fn host_spares(&self) -> MutexGuard<'_, Vec<Weak<Store>>> {
        self.host_spares
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a store that has a spare instance in main memory.
    pub(crate) fn remember_host_spare(&self, store: &Arc<Store>) {
        let mut known_stores = self.host_spares();
        if known_stores
            .iter()
            .all(|known| !std::ptr::eq(known.as_ptr(), Arc::as_ptr(store)))
        {
            known_stores.retain(|known| known.strong_count() > 0);
            known_stores.push(Arc::downgrade(store));
        }
    }

    /// Drops spare instances of stores that are not in use; returns whether that freed memory.
    fn give_up_host_spares(&self) -> bool {
        let mut freed = false;
        self.host_spares().retain(|known| match known.upgrade() {
            Some(store) if !store.is_pending() => {
                freed |= store.give_up_spare();
                false
            }
            other => other.is_some(),
        });
        freed
    }

    /// Allocates with `take`; if that fails, drops spare instances and tries again.
    pub(crate) fn with_room<T>(
        &self,
        mut take: impl FnMut() -> Result<T, OutOfMemory>,
    ) -> Result<T, OutOfMemory> {
        match take() {
            Err(_) if self.give_up_host_spares() => take(),
            other => other,
        }
    }

    /// Records how much of each memory is in use at the end, and prints it if `is_shown`.
    pub(crate) fn end(&self, recorder: &Recorder, is_shown: bool) {
        for memory in self.all() {
            let figures = memory.pool.figures();
            if figures.peak > 0 {
                memory.describe_use(&figures, recorder.now());
            }
            if is_shown && figures.capacity > 0 {
                let (peak, capacity) = (figures.peak as u64, figures.capacity as u64);
                say(format_args!(
                    "weft: {} {} used {} bytes of {} bytes at most ({:.2} %)",
                    memory.kind,
                    memory.id,
                    grouped(peak),
                    grouped(capacity),
                    100.0 * peak as f64 / capacity as f64,
                ));
            }
        }
    }
}
