//! Room for instances: finding it, making it, and putting one instance in the place of another.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_trace::time::Timestamp;

use super::super::api::GpuId;
use super::super::code::{self, DeviceOperand, DeviceTile, Job};
use super::super::work::Work;
use super::Dispatcher;
use super::issue::{Parcel, tile};
use super::place::{Places, Want};
use crate::error::Cause;
use crate::memory::{Store, Uses};
use crate::operation::{Body, Operation};
use crate::shape::{Layout, MAX_DIMS, Shape};

impl Dispatcher<'_> {
    /// Finds the memory of views, or says why not.
    pub(super) fn places(
        &mut self,
        gpu: GpuId,
        wants: &[Want<'_>],
        operation: &Operation,
        at: Timestamp,
    ) -> Result<Places, Cause> {
        let (places, full) = Places::find(self.gpus, gpu, wants, operation.maker(), at);
        match full {
            None => Ok(places),
            Some(full) => {
                self.abandon(gpu, places);
                if self.make_room() {
                    return self.places(gpu, wants, operation, at);
                }
                Err(self.core.out_of_memory(&full, operation))
            }
        }
    }

    /// Gives up instances that are kept for the next renewal; true where there were any.
    pub(super) fn make_room(&mut self) -> bool {
        let stores: Vec<_> = self
            .renewed
            .drain(..)
            .filter_map(|store| store.upgrade())
            .collect();
        let dropped = stores
            .iter()
            .filter(|store| store.residence().drop_spares());
        dropped.count() > 0
    }

    /// Notes that a store may keep an instance for the next renewal.
    pub(super) fn remember_renewed(&mut self, store: &Arc<Store>) {
        let store = Arc::downgrade(store);
        self.renewed
            .retain(|known| known.strong_count() > 0 && !known.ptr_eq(&store));
        self.renewed.push(store);
    }

    /// What copies all of a store that lies outside of a slice to another instance of it.
    pub(super) fn rest(
        &self,
        gpu: GpuId,
        view: &DeviceTile,
        old: u64,
        store: &Shape,
    ) -> SmallVec<[Work; 4]> {
        let info = &self.gpus.driver.gpus()[usize::from(gpu.0)];
        let mut works = SmallVec::new();
        for layout in outside(&view.layout, store) {
            let from = tile(old, view.dtype, layout);
            let to = tile(view.start, view.dtype, layout);
            let operands = [DeviceOperand::Tile(from), DeviceOperand::Tile(to)];
            let copy = Job {
                body: Body::Copy,
                operands: &operands,
                first: [0; MAX_DIMS],
                whole: layout.shape,
                fault: 0,
            };
            works.extend(code::work(&copy, 0, info));
        }
        works
    }

    /// Makes the copies that were to come before a launch that never comes: where instances have grown, they hold the
    /// only content.
    pub(super) fn abandon(&mut self, gpu: GpuId, mut places: Places) {
        places.forget_writes();
        if places.transfers().next().is_none() {
            return;
        }
        let parcel = Parcel {
            gpu,
            works: smallvec![],
            places,
            waits: Uses::default(),
            fault: None,
        };
        self.send(parcel, smallvec![], self.core.recorder.now());
    }
}

/// The parts of a store that lie outside of a slice of it without steps: before and behind it along each axis.
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
