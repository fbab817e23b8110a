//! Small blocks that were given back, by size: what most requests of a running program take.

use super::super::supply::ALIGN;
use super::super::uses::Uses;

/// Blocks up to this size have lists.
pub(super) const LARGEST: usize = 65_536;
/// Steps between sizes: of a cache line up to 1024 bytes, of 1024 above.
const FINE: usize = 1024;

/// A block that waits for the next request of its size.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) start: u64,
    pub(super) uses: Uses,
}

/// The lists.
#[derive(Debug)]
pub(super) struct Quick {
    lists: Vec<Vec<Kept>>,
    bytes: usize,
    most: usize,
}

/// Which list blocks of a size stand in; sizes are rounded.
fn list_of(size: usize) -> usize {
    if size <= FINE {
        size / ALIGN - 1
    } else {
        FINE / ALIGN + size / FINE - 2
    }
}

/// The size of the blocks in a list.
fn size_of(list: usize) -> usize {
    let fine = FINE / ALIGN;
    if list < fine {
        (list + 1) * ALIGN
    } else {
        (list - fine + 2) * FINE
    }
}

impl Quick {
    /// Lists that hold at most so many bytes.
    pub(super) fn new(most: usize) -> Quick {
        let lists = list_of(LARGEST) + 1;
        Quick {
            lists: (0..lists).map(|_| Vec::new()).collect(),
            bytes: 0,
            most,
        }
    }

    /// Bytes in them.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A block of this size.
    pub(super) fn take(&mut self, size: usize) -> Option<Kept> {
        let kept = self.lists.get_mut(list_of(size))?.pop()?;
        self.bytes -= size;
        Some(kept)
    }

    /// Keeps a block; gives it back where it is too large, or too much is kept.
    pub(super) fn keep(&mut self, size: usize, kept: Kept) -> Result<(), Kept> {
        if size > LARGEST || self.bytes + size > self.most {
            return Err(kept);
        }
        match self.lists.get_mut(list_of(size)) {
            Some(list) => list.push(kept),
            None => return Err(kept),
        }
        self.bytes += size;
        Ok(())
    }

    /// Takes all out: sizes and blocks.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (usize, Kept)> + '_ {
        self.bytes = 0;
        let lists = self.lists.iter_mut().enumerate();
        lists.flat_map(|(list, blocks)| blocks.drain(..).map(move |kept| (size_of(list), kept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_one_size() {
        let fine = (1..=16).map(|lines| lines * ALIGN);
        let sizes: Vec<usize> = fine.chain((2..=64).map(|kib| kib * FINE)).collect();
        for (list, size) in sizes.iter().enumerate() {
            assert_eq!((list_of(*size), size_of(list)), (list, *size));
        }
        assert_eq!(sizes.last(), Some(&LARGEST));
    }
}
