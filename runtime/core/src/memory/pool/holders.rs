//! Who holds the blocks of a pool.

use std::sync::Weak;

use weft_trace::id::{InstanceUid, OperationUid, StoreUid};

use super::super::spans::Span;
use super::super::store::Store;
use crate::site::Site;

/// The operation that an instance was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maker {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its UID.
    pub(crate) uid: OperationUid,
    /// The call in the program.
    pub(crate) location: Site,
}

/// Who holds a block.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    /// The store whose data it is.
    pub(crate) store: StoreUid,
    /// The call that made the store.
    pub(crate) location: Site,
    /// The store, while there is one.
    pub(crate) owner: Weak<Store>,
    /// For which operation.
    pub(crate) maker: Maker,
    /// The instance; `None` where it is room that a kernel needs while it runs.
    pub(crate) instance: Option<InstanceUid>,
    /// The elements of the store that it holds, by their row-major numbers; `None` where it holds none.
    pub(crate) elements: Option<Span>,
}

/// A block that is held.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    /// By whom.
    pub(crate) holder: Holder,
    /// Address of its first byte.
    pub(crate) start: u64,
    /// Bytes of it; where parts of a store are held, those of the parts.
    pub(crate) size: usize,
    /// Bytes that it would have with all of the store.
    pub(crate) whole: usize,
}

/// All blocks that are held, each in a line of its own.
#[derive(Debug, Default)]
pub(super) struct Holders {
    lines: Vec<Option<Holding>>,
    vacant: Vec<u32>,
}

impl Holders {
    /// Adds one, and returns its line.
    pub(super) fn add(&mut self, holding: Holding) -> u32 {
        match self.vacant.pop() {
            Some(line) => {
                self.lines[line as usize] = Some(holding);
                line
            }
            None => {
                self.lines.push(Some(holding));
                self.lines.len() as u32 - 1
            }
        }
    }

    /// Takes one out. What comes back is dropped after the pool is unlocked.
    pub(super) fn remove(&mut self, line: u32) -> Option<Holding> {
        let holding = self.lines.get_mut(line as usize)?.take()?;
        self.vacant.push(line);
        Some(holding)
    }

    /// Says that one holds so many bytes more, to element `elements.end` and from element `elements.first` on.
    pub(super) fn grow(&mut self, line: u32, bytes: usize, elements: Option<Span>) {
        if let Some(Some(holding)) = self.lines.get_mut(line as usize) {
            holding.size += bytes;
            let known = &mut holding.holder.elements;
            *known = match (*known, elements) {
                (Some(known), Some(more)) => Some(known.hull(&more)),
                (known, more) => known.or(more),
            };
        }
    }

    /// Every one.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Holding> + '_ {
        self.lines.iter().flatten()
    }
}
