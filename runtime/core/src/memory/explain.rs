//! Explanations of failed allocations. Each remedy offered was tried on the pool's own
//! book-keeping.

use std::sync::Arc;

use weft_trace::id::StoreUid;
use weft_trace::record::MemoryKind;

use super::instance::{Memory, OutOfMemory};
use super::pool::{Holder, Holding, Shortage as Pools};
use crate::error::{HeldInstance, HeldStore, Help, Shortage};
use crate::site::Site;

/// Returns the flag that sizes a memory.
pub(crate) fn flag_of(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Framebuffer | MemoryKind::Managed => "fbmem",
        MemoryKind::ZeroCopy => "zcmem",
        MemoryKind::Numa => "numamem",
        _ => "sysmem",
    }
}

const MIB: u64 = 1 << 20;

/// A store that holds part of the memory, and its blocks.
struct StoreHolding {
    uid: StoreUid,
    location: Site,
    /// Whether only the program holds the store: no operation that uses it is under way.
    is_idle: bool,
    blocks: Vec<(u64, usize)>,
    bytes: usize,
}

/// Whether only the program holds the store of a block. The upgraded handle is dropped at once, so
/// that the store's memory can be freed meanwhile.
fn is_idle(holder: &Holder) -> bool {
    let store = holder.owner.upgrade();
    store.is_some_and(|store| !store.is_pending())
}

/// Groups the blocks held by store, largest first.
fn by_store(holdings: &[Holding]) -> Vec<StoreHolding> {
    let mut stores: Vec<StoreHolding> = Vec::new();
    for holding in holdings.iter().filter(|holding| holding.size > 0) {
        let holder = &holding.holder;
        let block = (holding.start, holding.size);
        match stores.iter_mut().find(|held| held.uid == holder.store) {
            Some(held) => {
                held.blocks.push(block);
                held.bytes += holding.size;
            }
            None => stores.push(StoreHolding {
                uid: holder.store,
                location: holder.location,
                is_idle: is_idle(holder),
                blocks: vec![block],
                bytes: holding.size,
            }),
        }
    }
    stores.sort_by_key(|held| (std::cmp::Reverse(held.bytes), held.uid));
    stores
}

/// Explains an allocation that failed. `others` are the memories that data could move to. `needed`
/// tells whether the failed operation uses a store. `spills` says that full memories are already
/// emptied automatically.
pub(crate) fn explain(
    full: &OutOfMemory,
    others: &[&Arc<Memory>],
    needed: impl Fn(StoreUid) -> bool,
    number: Option<usize>,
    spills: bool,
) -> Shortage {
    let OutOfMemory {
        memory,
        asker,
        shortage,
    } = full;
    let Pools {
        asked,
        figures,
        holdings,
        refusal,
        is_part,
    } = &**shortage;
    let stores = by_store(holdings);
    let movable: Vec<&StoreHolding> = stores
        .iter()
        .filter(|held| held.is_idle && !needed(held.uid))
        .collect();
    let mut help = Vec::new();
    if refusal.is_none() {
        let one = memory.pool.capacity_for(*asked, *is_part);
        // With this capacity the operations that follow do not fail either.
        let all = match memory.kind {
            MemoryKind::System => memory.pool.capacity_for_all(),
            _ => 0,
        };
        let mib = one.max(all).div_ceil(MIB);
        if mib.saturating_mul(MIB) <= memory.machine {
            help.push(Help::Resize {
                flag: flag_of(memory.kind),
                mib,
                is_for_all: memory.kind == MemoryKind::System,
            });
        }
    }
    help.extend(grown(full, &stores));
    if let Some(least) = least(memory, (*asked, *is_part), &movable) {
        let bytes: usize = least.iter().map(|held| held.bytes).sum();
        let mib = (bytes as u64).div_ceil(MIB);
        let arrays: Vec<_> = least.iter().map(|held| held.location).collect();
        help.push(Help::Drop {
            arrays: arrays.clone(),
            mib,
        });
        let target = others.iter().find(|other| {
            let figures = other.pool.figures();
            let largest = least
                .iter()
                .flat_map(|held| &held.blocks)
                .map(|block| block.1);
            figures.free() >= bytes && figures.largest >= largest.max().unwrap_or(0)
        });
        if let Some(target) = target {
            let to = target.kind.name();
            help.push(Help::Offload { arrays, to, mib });
            if !spills && may_spill(memory.kind, target.kind) {
                let all: usize = movable.iter().map(|held| held.bytes).sum();
                let mib = (all.min(target.pool.figures().free()) as u64).div_ceil(MIB);
                help.push(Help::Spill { to, mib });
            }
        }
    }
    let holders = stores.iter().map(|held| held_store(held, holdings));
    Shortage {
        asked: *asked as u64,
        memory: memory.kind.name(),
        number,
        array: (asker.location, asker.store),
        elements: asker.elements.map(|span| span.first..span.end),
        capacity: figures.capacity as u64,
        used: figures.live as u64,
        largest_free: figures.largest as u64,
        is_refused: refusal.is_some(),
        holders: holders.collect(),
        help,
    }
}

/// Whether `--spill` moves data from `from` to `to`.
fn may_spill(from: MemoryKind, to: MemoryKind) -> bool {
    let is_spilled = matches!(
        from,
        MemoryKind::Framebuffer | MemoryKind::Managed | MemoryKind::Numa
    );
    to == MemoryKind::System && is_spilled
}

/// Returns the holders of blocks by store, largest first.
pub(crate) fn held_stores(holdings: &[Holding]) -> Vec<HeldStore> {
    let stores = by_store(holdings);
    let held = stores.iter().map(|held| held_store(held, holdings));
    held.collect()
}

/// Returns as few of these stores as possible, largest first, whose release would have met the
/// request.
fn least<'a>(
    memory: &Memory,
    (asked, is_part): (usize, bool),
    movable: &[&'a StoreHolding],
) -> Option<Vec<&'a StoreHolding>> {
    let mut blocks = Vec::new();
    let mut chosen: Vec<&StoreHolding> = Vec::new();
    let fits = |blocks: &[(u64, usize)]| memory.pool.would_fit(asked, is_part, blocks);
    for held in movable {
        blocks.extend_from_slice(&held.blocks);
        chosen.push(held);
        if fits(&blocks) {
            break;
        }
    }
    if chosen.is_empty() || !fits(&blocks) {
        return None;
    }
    // Stores chosen early may be superfluous with those chosen last.
    for at in (0..chosen.len()).rev() {
        let mut fewer = chosen.clone();
        fewer.remove(at);
        let blocks: Vec<_> = fewer
            .iter()
            .flat_map(|held| held.blocks.iter().copied())
            .collect();
        if !fewer.is_empty() && fits(&blocks) {
            chosen = fewer;
        }
    }
    Some(chosen)
}

/// Returns a stencil hint if an instance was to replace a smaller one of the same store, and would
/// fit without it.
fn grown(full: &OutOfMemory, stores: &[StoreHolding]) -> Option<Help> {
    // An instance in parts grows in place.
    let wanted = full.asker.elements.filter(|_| !full.shortage.is_part)?;
    let own = stores.iter().find(|held| held.uid == full.asker.store)?;
    let holdings = full.shortage.holdings.iter();
    let inside = holdings.filter(|holding| {
        let elements = holding.holder.elements;
        holding.holder.store == own.uid
            && elements.is_some_and(|span| wanted.holds(&span) && span != wanted)
    });
    let blocks: Vec<_> = inside
        .map(|holding| (holding.start, holding.size))
        .collect();
    let saved: usize = blocks.iter().map(|block| block.1).sum();
    let fits = saved > 0
        && full
            .memory
            .pool
            .would_fit(full.shortage.asked, false, &blocks);
    fits.then(|| Help::StencilHint {
        array: own.location,
        mib: (saved as u64).div_ceil(MIB),
    })
}

fn held_store(held: &StoreHolding, holdings: &[Holding]) -> HeldStore {
    let own = holdings
        .iter()
        .filter(|holding| holding.holder.store == held.uid && holding.size > 0);
    let instances = own.map(|holding| {
        let Holding {
            holder,
            size,
            whole,
            ..
        } = holding;
        HeldInstance {
            instance: holder.instance,
            bytes: *size as u64,
            whole: *whole as u64,
            elements: holder.elements.map(|span| span.first..span.end),
            operation: holder.maker.name,
            uid: holder.maker.uid,
            location: holder.maker.location,
        }
    });
    HeldStore {
        store: held.uid,
        location: held.location,
        bytes: held.bytes as u64,
        is_idle: held.is_idle,
        instances: instances.collect(),
    }
}
