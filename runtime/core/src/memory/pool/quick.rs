//! Lists of small free blocks, by size; they serve most requests of a running program.

use super::super::supply::ALIGN;
use super::super::uses::Uses;

/// Size up to which blocks have lists.
pub(super) const LARGEST: usize = 65_536;
/// Size at which the step between sizes changes: a cache line up to here, 1024 bytes above.
const FINE: usize = 1024;

/// A block that waits for the next request of its size.
#[derive(Debug)]
pub(super) struct FreeBlock {
    pub(super) start: u64,
    pub(super) uses: Uses,
}

/// The lists.
#[derive(Debug)]
pub(super) struct Quick {
    lists: Vec<Vec<FreeBlock>>,
    bytes: usize,
    most: usize,
}

/// Returns the list for blocks of a size; sizes are rounded.
fn list_of(size: usize) -> usize {
    if size <= FINE {
        size / ALIGN - 1
    } else {
        FINE / ALIGN + size / FINE - 2
    }
}

/// Returns the size of the blocks in a list.
fn size_of(list: usize) -> usize {
    let fine = FINE / ALIGN;
    if list < fine {
        (list + 1) * ALIGN
    } else {
        (list - fine + 2) * FINE
    }
}

impl Quick {
    /// Creates lists that hold at most `most` bytes in total.
    pub(super) fn new(most: usize) -> Quick {
        let lists = list_of(LARGEST) + 1;
        Quick {
            lists: (0..lists).map(|_| Vec::new()).collect(),
            bytes: 0,
            most,
        }
    }

    /// Returns the number of bytes in the lists.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a block of this size.
    pub(super) fn take(&mut self, size: usize) -> Option<FreeBlock> {
        let kept = self.lists.get_mut(list_of(size))?.pop()?;
        self.bytes -= size;
        Some(kept)
    }

    /// Keeps a block; returns it as an error if it is too large or too much is kept.
    pub(super) fn keep(&mut self, size: usize, kept: FreeBlock) -> Result<(), FreeBlock> {
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

    /// Removes all blocks, with their sizes.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (usize, FreeBlock)> + '_ {
        self.bytes = 0;
        let lists = self.lists.iter_mut().enumerate();
        lists.flat_map(|(list, blocks)| blocks.drain(..).map(move |kept| (size_of(list), kept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_has_one_block_size() {
        let fine = (1..=16).map(|lines| lines * ALIGN);
        let sizes: Vec<usize> = fine.chain((2..=64).map(|kib| kib * FINE)).collect();
        for (list, size) in sizes.iter().enumerate() {
            assert_eq!((list_of(*size), size_of(list)), (list, *size));
        }
        assert_eq!(sizes.last(), Some(&LARGEST));
    }
}
