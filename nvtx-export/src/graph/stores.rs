//! The stores through which operations depend on each other, derived from their operands.

use super::dependences::Kinds;
use crate::joined::{Index, Joined, Operands, Store};
use rustc_hash::FxHashMap;
use weft_geometry::words::View;
use weft_geometry::{Access, Block, Layout, Region, Shape};
use weft_trace::id::Uid;

/// A store that two operations share, and bytes of it that both touch, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    /// A row of [`Joined::stores`].
    pub(super) store: usize,
    pub(super) bytes: u64,
}

/// What is recorded of operands and stores.
pub(super) struct Stores<'a> {
    joined: &'a Joined,
    /// Rows of operands by that of their operation.
    operands: FxHashMap<usize, &'a Operands>,
    stores: FxHashMap<(crate::joined::RunIndex, u64), usize>,
}

impl<'a> Stores<'a> {
    pub(super) fn of(joined: &'a Joined, index: &Index) -> Self {
        let mut operands = FxHashMap::default();
        for row in &joined.operands {
            if let Some(operation) = index.operation(row.source, row.operation) {
                operands.entry(operation).or_insert(row);
            }
        }
        let mut stores = FxHashMap::default();
        for (at, row) in joined.stores.iter().enumerate() {
            let key = (joined.run_of(row.source), row.uid.raw());
            stores.entry(key).or_insert(at);
        }
        Stores {
            joined,
            operands,
            stores,
        }
    }

    /// The stores that make `later` depend on `earlier` in one of these ways; `None` where the operands of one of them are not known.
    /// Both are rows of [`Joined::operations`].
    pub(super) fn between(
        &self,
        earlier: usize,
        later: usize,
        kinds: Kinds,
    ) -> Option<Vec<Shared>> {
        let one = self.operands.get(&earlier)?;
        let other = self.operands.get(&later)?;
        let run = self.joined.run_of(one.source);
        let mut shared: Vec<(usize, u64, Block)> = Vec::new();
        for before in one.views().flatten() {
            for after in other
                .views()
                .flatten()
                .filter(|after| after.store == before.store)
            {
                let Some(at) = self.stores.get(&(run, before.store)) else {
                    continue;
                };
                let Some(store) = self.joined.stores.get(*at) else {
                    continue;
                };
                if !depends(before.access, after.access, kinds) {
                    continue;
                }
                if let Some((element, block)) = self.meet(store, &before, &after) {
                    match shared.iter_mut().find(|row| row.0 == *at) {
                        Some(row) => row.2 = around(&row.2, &block),
                        None => shared.push((*at, element, block)),
                    }
                }
            }
        }
        let bytes = |row: &(usize, u64, Block)| Shared {
            store: row.0,
            bytes: row.1.saturating_mul(row.2.len() as u64),
        };
        Some(shared.iter().map(bytes).collect())
    }

    /// Bytes of an element, and a block that holds all elements of both views.
    fn meet(&self, store: &Store, one: &View, other: &View) -> Option<(u64, Block)> {
        let dims: Option<Vec<usize>> = store
            .shape
            .iter()
            .map(|n| usize::try_from(*n).ok())
            .collect();
        let shape = Shape::new(&dims?)?;
        let block = |view: &View| {
            let region = Region::of(within(&view.layout, &shape)?, &shape)?;
            Some(region.block(&shape).0)
        };
        let element = element(self.joined.strings.get(store.dtype))?;
        Some((element, block(one)?.meet(&block(other)?)?))
    }

    /// A store's row.
    pub(super) fn get(&self, at: usize) -> Option<&'a Store> {
        self.joined.stores.get(at)
    }

    /// The UID of a store's row, for sorting.
    pub(super) fn uid(&self, at: usize) -> Option<Uid> {
        self.get(at).map(|store| store.uid)
    }
}

/// Whether accesses depend on each other in one of these ways.
fn depends(before: Access, after: Access, kinds: Kinds) -> bool {
    let (wrote, read) = (before != Access::Read, before != Access::Write);
    let (writes, reads) = (after != Access::Read, after != Access::Write);
    (kinds.read_after_write > 0 && wrote && reads)
        || (kinds.write_after_read > 0 && read && writes)
        || (kinds.write_after_write > 0 && wrote && writes)
}

/// The layout, if all of its elements are those of the store. A damaged file can hold any numbers.
fn within<'l>(layout: &'l Layout, store: &Shape) -> Option<&'l Layout> {
    let length = store.len() as i128;
    let (mut first, mut last) = (layout.offset as i128, layout.offset as i128);
    for (extent, step) in layout.shape.dims().iter().zip(layout.strides()) {
        let reach = (*extent as i128 - 1) * *step as i128;
        if reach.abs() >= length.max(1) {
            return None;
        }
        first += reach.min(0);
        last += reach.max(0);
    }
    (first >= 0 && last < length).then_some(layout)
}

/// The least block around both.
fn around(one: &Block, other: &Block) -> Block {
    let bounds = one.bounds().iter().zip(other.bounds());
    Block::new(bounds.map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))))
}

/// Bytes of an element of a dtype: the number at the end of its name is bits.
fn element(dtype: &str) -> Option<u64> {
    if dtype == "bool" {
        return Some(1);
    }
    let digits = dtype.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let bits: u64 = digits.parse().ok()?;
    Some(bits.div_ceil(8))
}
