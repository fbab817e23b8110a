//! Blocks of a store's elements.

use smallvec::SmallVec;

/// A rectangular block of a store: along each axis, the first index and one past the last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block {
    bounds: SmallVec<[(usize, usize); 3]>,
}

impl Block {
    /// Creates a block from its bounds along each axis.
    pub fn new(bounds: impl IntoIterator<Item = (usize, usize)>) -> Block {
        Block {
            bounds: bounds.into_iter().collect(),
        }
    }

    /// Returns the first index and one past the last along each axis.
    #[inline]
    pub fn bounds(&self) -> &[(usize, usize)] {
        &self.bounds
    }

    /// Returns this block with other bounds along `axis`.
    pub fn with(&self, axis: usize, bounds: (usize, usize)) -> Block {
        let mut block = self.clone();
        block.bounds[axis] = bounds;
        block
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.bounds.iter().map(|(first, end)| end - first).product()
    }

    /// Whether the block has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the intersection of two blocks; `None` if it is empty.
    pub fn meet(&self, other: &Block) -> Option<Block> {
        let bounds = self.bounds.iter().zip(&other.bounds);
        let meet = Block::new(bounds.map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))));
        meet.bounds
            .iter()
            .all(|(first, end)| first < end)
            .then_some(meet)
    }

    /// Returns this block in coordinates that start at the first index of `outer`, which contains
    /// it.
    pub fn within(&self, outer: &Block) -> Block {
        let bounds = self.bounds.iter().zip(&outer.bounds);
        Block::new(bounds.map(|(own, outer)| (own.0 - outer.0, own.1 - outer.0)))
    }

    /// Adds the blocks that make up this block without `other` to `rest`.
    pub(crate) fn without(&self, other: &Block, rest: &mut Vec<Block>) {
        let Some(hole) = self.meet(other) else {
            return rest.push(self.clone());
        };
        let mut left = self.clone();
        for (axis, (first, end)) in hole.bounds.iter().enumerate() {
            let (own_first, own_end) = left.bounds[axis];
            for (from, to) in [(own_first, *first), (*end, own_end)] {
                if from < to {
                    let mut part = left.clone();
                    part.bounds[axis] = (from, to);
                    rest.push(part);
                }
            }
            left.bounds[axis] = (*first, *end);
        }
    }

    /// Returns the union of two blocks if it is a block.
    pub(crate) fn join(&self, other: &Block) -> Option<Block> {
        let mut joined = self.clone();
        let mut differing = 0;
        for (own, other) in joined.bounds.iter_mut().zip(&other.bounds) {
            if own == other {
                continue;
            }
            differing += 1;
            match (own.1 == other.0, other.1 == own.0) {
                (true, _) => own.1 = other.1,
                (_, true) => own.0 = other.0,
                _ => return None,
            }
        }
        (differing <= 1).then_some(joined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_block_becomes_relative_to_outer_block() {
        let outer = Block::new([(2, 8), (10, 20)]);
        let inner = Block::new([(3, 8), (10, 12)]);
        assert_eq!(inner.within(&outer), Block::new([(1, 6), (0, 2)]));
        assert_eq!(outer.within(&outer), Block::new([(0, 6), (0, 10)]));
    }
}
