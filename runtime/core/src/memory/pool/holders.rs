//! The holders of a pool's blocks.

use std::sync::Weak;

use weft_trace::id::{InstanceUid, OperationUid, StoreUid};

use super::super::spans::Span;
use super::super::store::Store;
use crate::site::Site;

/// The operation for which an instance was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Maker {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its UID.
    pub(crate) uid: OperationUid,
    /// The call in the program.
    pub(crate) location: Site,
}

/// The holder of a block.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    /// The store whose data it is.
    pub(crate) store: StoreUid,
    /// The call that made the store.
    pub(crate) location: Site,
    /// The store, while it exists.
    pub(crate) owner: Weak<Store>,
    /// The operation for which the block was taken.
    pub(crate) maker: Maker,
    /// The instance; `None` for temporary memory of a kernel.
    pub(crate) instance: Option<InstanceUid>,
    /// The elements of the store that it holds, by row-major index; `None` if it holds none.
    pub(crate) elements: Option<Span>,
}

/// A block that is held.
#[derive(Clone, Debug)]
pub(crate) struct Holding {
    /// The holder.
    pub(crate) holder: Holder,
    /// Address of its first byte.
    pub(crate) start: u64,
    /// Its size in bytes; if parts of a store are held, the size of these parts.
    pub(crate) size: usize,
    /// Its size in bytes with all of the store.
    pub(crate) whole: usize,
}

/// All held blocks, each with its own line.
#[derive(Debug, Default)]
pub(super) struct Holders {
    lines: Vec<Option<Holding>>,
    vacant: Vec<u32>,
}

impl Holders {
    /// Adds a block, and returns its line.
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

    /// Removes a block. The caller drops the result after the pool is unlocked.
    pub(super) fn remove(&mut self, line: u32) -> Option<Holding> {
        let holding = self.lines.get_mut(line as usize)?.take()?;
        self.vacant.push(line);
        Some(holding)
    }

    /// Adds `bytes` bytes to a block, and `elements` to the range that it holds.
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

    /// Iterates over all held blocks.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Holding> + '_ {
        self.lines.iter().flatten()
    }
}
