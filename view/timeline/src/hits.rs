//! A set of slices, such as the result of a search.

/// A set of slices by number, one bit each.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    words: Vec<u64>,
    count: u64,
}

impl Hits {
    /// Creates an empty set of slices with numbers below `items`.
    pub fn new(items: u32) -> Self {
        Hits {
            words: vec![0; (items as usize).div_ceil(64)],
            count: 0,
        }
    }

    /// Adds a slice. Returns whether it is new.
    pub fn insert(&mut self, item: u32) -> bool {
        let Some(word) = self.words.get_mut(item as usize / 64) else {
            return false;
        };
        let bit = 1 << (item % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        self.count += u64::from(is_new);
        is_new
    }

    /// Returns the number of slices in the set.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns whether a slice is in the set.
    pub fn has(&self, item: u32) -> bool {
        let word = self.words.get(item as usize / 64);
        word.is_some_and(|word| word >> (item % 64) & 1 == 1)
    }

    /// Returns whether one of `count` slices starting at `first` is in the set.
    pub fn any(&self, first: u32, count: u32) -> bool {
        self.next(first).is_some_and(|next| next - first < count)
    }

    /// Returns the first slice in the set with this number or a higher one.
    pub fn next(&self, from: u32) -> Option<u32> {
        let mut at = from as usize / 64;
        let mut word = self.words.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *self.words.get(at)?;
        }
        Some(at as u32 * 64 + word.trailing_zeros())
    }

    /// Iterates over the slices in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.next(0), |last| self.next(last.checked_add(1)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_inserted_items() {
        let mut hits = Hits::new(200);
        for item in [3, 64, 199, 3, 500] {
            hits.insert(item);
        }
        assert_eq!(hits.iter().collect::<Vec<_>>(), [3, 64, 199]);
        assert_eq!(hits.len(), 3);
        assert!(hits.any(4, 61) && !hits.any(4, 60) && !hits.any(3, 0));
        assert!(hits.has(64) && !hits.has(65) && !hits.has(9999));
    }
}
