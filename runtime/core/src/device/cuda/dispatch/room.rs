//! Memory for instances: finding it, freeing it, and copying one instance to another.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_config::Level;
use weft_geometry::Cut;
use weft_trace::id::StoreUid;
use weft_trace::record::MemoryKind;
use weft_trace::time::Timestamp;

use super::super::api::GpuId;
use super::super::code::{self, DeviceOperand, DeviceTile, Job};
use super::super::work::Work;
use super::Dispatcher;
use super::issue::{Parcel, tile};
use super::place::{Places, Use, Want};
use crate::error::Cause;
use crate::memory::{Maker, Memory, Pool, Store, Uses};
use crate::observe::Subsystem;
use crate::operation::{self, Operation};
use crate::shape::{Layout, MAX_DIMS, Shape};

impl Dispatcher<'_> {
    /// Finds the memory of views, or returns the reason why there is none.
    pub(super) fn places(
        &mut self,
        gpu: GpuId,
        wants: &[Want<'_>],
        operation: &Operation,
        at: Timestamp,
    ) -> Result<Places, Cause> {
        let keep: SmallVec<[StoreUid; 8]> = wants.iter().map(|want| want.store.uid).collect();
        loop {
            let (places, full) = Places::find(self.gpus, gpu, wants, operation.maker(), at);
            let Some(full) = full else {
                return Ok(places);
            };
            self.abandon(gpu, places);
            if !self.make_room_in(&full.memory, gpu, operation.maker(), &keep, full.asked()) {
                return Err(self.memories.out_of_memory(&full, operation));
            }
        }
    }

    /// Frees memory of the GPU for a block of `bytes` bytes: drops spare instances, or moves the
    /// least recently used stores to main memory until the block fits. Returns whether memory was
    /// freed. Stores in `keep` stay.
    pub(super) fn make_room(
        &mut self,
        gpu: GpuId,
        maker: Maker,
        keep: &[StoreUid],
        bytes: usize,
    ) -> bool {
        let memory = self.gpus.memory(gpu).clone();
        self.make_room_in(&memory, gpu, maker, keep, bytes)
    }

    /// Like [`make_room`](Self::make_room), in one of the GPU's memories.
    pub(super) fn make_room_in(
        &mut self,
        memory: &Arc<Memory>,
        gpu: GpuId,
        maker: Maker,
        keep: &[StoreUid],
        bytes: usize,
    ) -> bool {
        if self.drop_gpu_spares() {
            return true;
        }
        self.spill(memory, gpu, maker, keep, |pool, freed| {
            freed >= bytes && pool.fits(bytes)
        })
    }

    /// Drops all spare instances on GPUs. Only this thread may do so: between a swap and its
    /// launch, the launch reads the spare.
    pub(super) fn drop_gpu_spares(&mut self) -> bool {
        let stores: Vec<_> = self
            .gpu_spares
            .drain(..)
            .filter_map(|store| store.upgrade())
            .collect();
        let dropped = stores
            .iter()
            .filter(|store| store.residence().drop_spares());
        dropped.count() > 0
    }

    /// Moves stores from a memory of a GPU to main memory, the least recently used first, until
    /// `is_enough` returns true for the pool and the number of bytes freed so far. Returns whether
    /// a store moved. Does nothing without `--spill`.
    pub(super) fn spill(
        &mut self,
        memory: &Arc<Memory>,
        gpu: GpuId,
        maker: Maker,
        keep: &[StoreUid],
        is_enough: impl Fn(&Pool, usize) -> bool,
    ) -> bool {
        if !self.memories.spills {
            return false;
        }
        let mut stores: Vec<(u64, Arc<Store>, usize)> = Vec::new();
        for holding in memory.pool.holdings() {
            let holder = &holding.holder;
            let is_free = holder.instance.is_some()
                && !keep.contains(&holder.store)
                && !self.is_on_host(holder.store);
            if let Some(store) = holder.owner.upgrade().filter(|_| is_free) {
                let used = store.residence().used();
                stores.push((used, store, holding.size));
            }
        }
        stores.sort_by_key(|(used, store, _)| (*used, store.uid));
        if self.bundle.is_some() {
            self.close_bundle(None);
        }
        let mut freed = 0;
        for (_, store, bytes) in &stores {
            if !self.spill_store(gpu, maker, store) {
                continue;
            }
            freed += bytes;
            if is_enough(&memory.pool, freed) {
                break;
            }
        }
        freed > 0
    }

    fn spill_store(&mut self, gpu: GpuId, maker: Maker, store: &Arc<Store>) -> bool {
        let wants = [Want {
            store,
            layout: Layout::contiguous(store.shape),
            use_of: Use::Both,
        }];
        let at = self.observers.recorder.now();
        let kind = Some(MemoryKind::System);
        let (places, full) =
            Places::find_on_host(self.gpus, &self.memories.main, &wants, kind, maker, at);
        if full.is_some() {
            return false;
        }
        // If main memory already has all elements, the GPU's instance is dropped without a copy.
        let lane = self.streams.choose(gpu, &places.waits);
        let outcome = self
            .streams
            .order(lane, &places.waits)
            .and_then(|()| self.transfer(lane, &places, Some(maker.uid)));
        let point = self.streams.advance(lane);
        places.issued(point);
        if let Err(error) = outcome {
            self.health.lose(&error);
            return false;
        }
        self.observers.log.say(
            Subsystem::Memory,
            Level::Info,
            format_args!(
                "store {} of {} bytes spilled from GPU {}",
                store.uid,
                store.bytes(),
                gpu.0
            ),
        );
        true
    }

    /// Remembers that a store may keep a spare instance on a GPU.
    pub(super) fn remember_gpu_spare(&mut self, store: &Arc<Store>) {
        let store = Arc::downgrade(store);
        self.gpu_spares
            .retain(|known| known.strong_count() > 0 && !known.ptr_eq(&store));
        self.gpu_spares.push(store);
    }

    /// Returns the work that copies the elements of a store outside of a slice to another instance.
    pub(super) fn rest(view: &DeviceTile, old: u64, store: &Shape) -> SmallVec<[Work; 4]> {
        let mut works = SmallVec::new();
        for layout in outside(&view.layout, store) {
            let from = tile(old, view.dtype, layout);
            let to = tile(view.start, view.dtype, layout);
            let operands = [DeviceOperand::Tile(from), DeviceOperand::Tile(to)];
            let copy = Job {
                body: &operation::copy(),
                operands: &operands,
                first: [0; MAX_DIMS],
                whole: layout.shape,
                cut: Cut::whole(&layout.shape),
                verify: false,
                fault: 0,
            };
            works.extend(code::work(&copy, 0));
        }
        works
    }

    /// Makes the copies that were planned before a launch that will not happen: if instances have
    /// grown, they hold the only content.
    pub(super) fn abandon(&mut self, gpu: GpuId, mut places: Places) {
        places.forget_writes();
        if places.transfers().next().is_none() {
            return;
        }
        let parcel = Parcel {
            call: None,
            gpu,
            works: smallvec![],
            places,
            waits: Uses::default(),
            fault: None,
            traffic: None,
        };
        self.send(parcel, smallvec![], self.observers.recorder.now());
    }
}

/// Returns the parts of a store outside of a slice without steps: those before and after it along
/// each axis.
fn outside(view: &Layout, store: &Shape) -> SmallVec<[Layout; 4]> {
    let whole = Layout::contiguous(*store);
    let rank = store.rank();
    let first = store.unravel(view.offset);
    let (mut low, mut high) = ([0; MAX_DIMS], [0; MAX_DIMS]);
    high[..rank].copy_from_slice(store.dims());
    let mut parts = SmallVec::new();
    for axis in 0..rank {
        let end = first[axis] + view.shape.dims()[axis];
        for (from, to) in [(0, first[axis]), (end, store.dims()[axis])] {
            if from < to {
                let (mut low, mut high) = (low, high);
                (low[axis], high[axis]) = (from, to);
                parts.push(whole.tile(&low[..rank], &high[..rank]));
            }
        }
        (low[axis], high[axis]) = (first[axis], end);
    }
    parts
}
