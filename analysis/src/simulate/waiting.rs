//! The number of tiles that wait for each message.

use super::traffic::Needs;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Weak};
use weft_geometry::Transfer;

/// Maximum number of operations in the cache; beyond it, all are dropped.
const KEPT: usize = 4096;

/// The list, and its result.
type CachedCounts = (Weak<[Transfer]>, Arc<[usize]>);

/// For each message of an operation, the number of the receiver's tiles that need it. It is the
/// same for all operations with the same list of messages, which belongs to a shape, tiles and
/// views.
#[derive(Default)]
pub(super) struct Waiting {
    /// By the address of the list, which no other list has as long as there is a [`Weak`] of it.
    cache: FxHashMap<usize, CachedCounts>,
}

impl Waiting {
    /// Returns the numbers of an operation; calls `find` if they are not in the cache.
    pub(super) fn get_or_compute(
        &mut self,
        needs: &Needs,
        find: impl FnOnce() -> Vec<usize>,
    ) -> Arc<[usize]> {
        let list = Arc::as_ptr(&needs.transfers).cast::<Transfer>().addr();
        if let Some((_, tiles)) = self.cache.get(&list) {
            return tiles.clone();
        }
        if self.cache.len() >= KEPT {
            self.cache.clear();
        }
        let tiles: Arc<[usize]> = find().into();
        let of = Arc::downgrade(&needs.transfers);
        self.cache.insert(list, (of, tiles.clone()));
        tiles
    }
}
