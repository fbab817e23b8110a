//! Memory for a launch: the instance of each operand, the copies that fill it, and the work to wait
//! for.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::Access;
use weft_trace::id::MemoryId;
use weft_trace::record::MemoryKind;
use weft_trace::time::Timestamp;

use super::super::api::GpuId;
use super::super::code::DeviceTile;
use super::super::gpus::Gpus;
use crate::memory::{
    Instance, Located, Maker, Memory, Need, OutOfMemory, Place, Point, Span, Store,
    SwappedInstance, Transfer, Uses,
};
use crate::shape::Layout;

/// Access of a launch to a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// The view is read.
    Read,
    /// All of the view is written.
    Write,
    /// The view is read and written.
    Both,
}

impl From<Access> for Use {
    fn from(access: Access) -> Use {
        match access {
            Access::Read => Use::Read,
            Access::Write => Use::Write,
            Access::ReadWrite => Use::Both,
        }
    }
}

/// A view that a launch needs on its GPU.
pub(super) struct Want<'a> {
    pub(super) store: &'a Arc<Store>,
    pub(super) layout: Layout,
    pub(super) use_of: Use,
}

/// Part of a store that an instance must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// The whole store.
    Store,
    /// The parts that one launch accesses.
    Views,
}

/// The memory found for one view.
struct PlacedView {
    store: Arc<Store>,
    need: Need,
    memory: MemoryId,
    transfers: SmallVec<[Transfer; 1]>,
}

/// The memory of one launch.
#[derive(Default)]
pub(super) struct Places {
    placed: SmallVec<[PlacedView; 4]>,
    /// Each view in memory, in the order of the requests.
    pub(super) tiles: SmallVec<[DeviceTile; 8]>,
    /// Points that the launch must wait for, in addition to its predecessors.
    pub(super) waits: Uses,
}

impl Places {
    /// Finds the memory of every view on a GPU, and creates missing instances. `at` is the time of
    /// their creation. If memory is full, the places found so far are returned with the error,
    /// since their transfers must still be made.
    pub(super) fn find(
        gpus: &Gpus,
        gpu: GpuId,
        wants: &[Want<'_>],
        maker: Maker,
        at: Timestamp,
    ) -> (Places, Option<OutOfMemory>) {
        let room = match gpus.hold_all {
            true => Room::Store,
            false => Room::Views,
        };
        Places::make(Place(gpu.0), room, wants, |store, span| {
            let bytes = span.len() * store.dtype.size();
            let holder = store.holder(maker, Some(span));
            gpus.memory_for(gpu, store).instance(holder, bytes, at)
        })
    }

    /// Finds the memory of every view on the host, of the given kind. Without one it is pinned if
    /// there is room, so that copies need not wait for each other. Otherwise like
    /// [`find`](Self::find).
    pub(super) fn find_on_host(
        gpus: &Gpus,
        main: &Arc<Memory>,
        wants: &[Want<'_>],
        kind: Option<MemoryKind>,
        maker: Maker,
        at: Timestamp,
    ) -> (Places, Option<OutOfMemory>) {
        Places::make(Place::HOST, Room::Store, wants, |store, span| {
            let bytes = span.len() * store.dtype.size();
            let holder = || store.holder(maker, Some(span));
            match kind {
                Some(MemoryKind::ZeroCopy) => gpus.pinned.instance(holder(), bytes, at),
                Some(MemoryKind::System) => main.instance_here(holder(), bytes, at),
                Some(_) => main.instance(holder(), bytes, at),
                None => {
                    let pinned = gpus.pinned.instance(holder(), bytes, at);
                    pinned.or_else(|_| main.instance(holder(), bytes, at))
                }
            }
        })
    }

    fn make(
        place: Place,
        room: Room,
        wants: &[Want<'_>],
        mut instance: impl FnMut(&Store, Span) -> Result<Instance, OutOfMemory>,
    ) -> (Places, Option<OutOfMemory>) {
        let mut places = Places::default();
        for want in wants {
            let store = want.store;
            let size = store.dtype.size();
            let Some(span) = Span::from_layout(&want.layout) else {
                places.tiles.push(DeviceTile {
                    start: 0,
                    dtype: store.dtype,
                    layout: want.layout,
                });
                continue;
            };
            let writes = want.use_of != Use::Read;
            let need = Need {
                place,
                span,
                writes,
                keeps: want.use_of != Use::Write || want.layout.shape.len() < span.len(),
            };
            let room = match room {
                Room::Store => Span {
                    first: 0,
                    end: store.shape.len(),
                },
                Room::Views => {
                    // All views of a store in one launch must be in one instance.
                    let others = wants.iter().filter(|other| Arc::ptr_eq(other.store, store));
                    let spans = others.filter_map(|other| Span::from_layout(&other.layout));
                    spans.fold(span, |hull, other| hull.hull(&other))
                }
            };
            let found = store
                .residence()
                .find(need, size, room, store.shape.len(), |span| {
                    instance(store, span)
                });
            let Located {
                start,
                memory,
                transfers,
                waits,
            } = match found {
                Ok(found) => found,
                Err(full) => {
                    return (places, Some(full));
                }
            };
            places.waits.merge(&waits);
            places.tiles.push(DeviceTile {
                start,
                dtype: store.dtype,
                layout: want.layout,
            });
            places.placed.push(PlacedView {
                store: store.clone(),
                need,
                memory,
                transfers,
            });
        }
        (places, None)
    }

    /// Replaces an instance that this launch reads by another one, so that `view` can be written
    /// while the old content is read. Must follow [`find`](Self::find); the views found keep the
    /// old instance. Returns the view in the new instance, and the address of the old one if
    /// elements outside of the view must be copied from it.
    ///
    /// Returns `None` if there is no room for another instance.
    pub(super) fn swap_buffers(
        &mut self,
        gpus: &Gpus,
        gpu: GpuId,
        store: &Arc<Store>,
        view: Layout,
        maker: Maker,
        at: Timestamp,
    ) -> Option<(DeviceTile, Option<u64>)> {
        let size = store.dtype.size();
        let memory = gpus.memory_for(gpu, store);
        let swapped = store
            .residence()
            .swap_buffers(Place(gpu.0), &view, size, |span| {
                memory.instance(store.holder(maker, Some(span)), span.len() * size, at)
            });
        let SwappedInstance {
            old,
            new,
            is_bare,
            waits,
        } = swapped.ok().flatten()?;
        self.waits.merge(&waits);
        let tile = DeviceTile {
            start: new,
            dtype: store.dtype,
            layout: view,
        };
        Some((tile, is_bare.then_some(old)))
    }

    /// Returns the addresses of the views whose stores `is_wanted` accepts, each range once.
    pub(super) fn ranges(&self, is_wanted: impl Fn(&Store) -> bool) -> SmallVec<[Range<u64>; 8]> {
        // Views without elements have no place.
        let tiles = self.tiles.iter().filter_map(|tile| {
            let span = Span::from_layout(&tile.layout)?;
            let at = |index: usize| tile.start + (index * tile.dtype.size()) as u64;
            Some(at(span.first)..at(span.end))
        });
        let mut ranges: SmallVec<[Range<u64>; 8]> = SmallVec::new();
        for (placed, range) in self.placed.iter().zip(tiles) {
            if is_wanted(&placed.store) && !ranges.contains(&range) {
                ranges.push(range);
            }
        }
        ranges
    }

    /// Declares that the launch will write nothing.
    pub(super) fn forget_writes(&mut self) {
        for placed in &mut self.placed {
            placed.need.writes = false;
        }
    }

    /// Returns the memory that contains the first view; `None` if no view has elements.
    pub(super) fn memory(&self) -> Option<MemoryId> {
        self.placed.first().map(|placed| placed.memory)
    }

    /// Returns the copies to make before the launch.
    pub(super) fn transfers(&self) -> impl Iterator<Item = (Place, &Transfer)> {
        self.placed
            .iter()
            .flat_map(|placed| placed.transfers.iter().map(|one| (placed.need.place, one)))
    }

    /// Returns the stores that are copied from a GPU to another place, with the GPU.
    pub(super) fn copied(&self) -> impl Iterator<Item = (GpuId, &Arc<Store>)> {
        self.placed.iter().flat_map(|placed| {
            let sources = placed.transfers.iter().map(|one| one.source);
            let others = sources.filter(|from| *from != Place::HOST && *from != placed.need.place);
            others.map(|from| (GpuId(from.0), &placed.store))
        })
    }

    /// Records that the launch precedes `point` in its stream.
    pub(super) fn issued(self, point: Point) {
        for placed in self.placed {
            let mut residence = placed.store.residence();
            residence.issued(placed.need, point, &placed.transfers);
        }
    }
}
