//! How many tiles wait for what is moved.

use super::traffic::Needs;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Weak};
use weft_geometry::Transfer;

/// Operations that are remembered; with more, all are forgotten.
const KEPT: usize = 4096;

/// The list, and what is found for it.
type Found = (Weak<[Transfer]>, Arc<[usize]>);

/// For each message of an operation, how many tiles of the receiver need it: the same for all operations with the same list of messages, which
/// belongs to a shape, tiles and views.
#[derive(Default)]
pub(super) struct Waiting {
    /// By the address of the list, which no other has as long as there is a [`Weak`] of it.
    known: FxHashMap<usize, Found>,
}

impl Waiting {
    /// Those of an operation; `find` finds them where they are not known.
    pub(super) fn of(&mut self, needs: &Needs, find: impl FnOnce() -> Vec<usize>) -> Arc<[usize]> {
        let list = Arc::as_ptr(&needs.transfers).cast::<Transfer>().addr();
        if let Some((_, tiles)) = self.known.get(&list) {
            return tiles.clone();
        }
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        let tiles: Arc<[usize]> = find().into();
        let of = Arc::downgrade(&needs.transfers);
        self.known.insert(list, (of, tiles.clone()));
        tiles
    }
}
