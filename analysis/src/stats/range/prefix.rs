//! A Fenwick tree: values are added at positions one by one, and the values before a position are
//! combined.

/// Values that can be combined in any order.
pub(super) trait Combine: Copy {
    /// The neutral element of the combination.
    const NEUTRAL: Self;

    /// Returns the combination of both.
    fn with(self, other: Self) -> Self;
}

/// Values at positions, initially neutral.
pub(super) struct Prefixes<T> {
    /// Node `i` (from 1) covers the positions `i - lowest_bit(i) .. i`.
    nodes: Vec<T>,
}

impl<T: Combine> Prefixes<T> {
    /// Creates a tree for the positions `0..places`.
    pub(super) fn new(places: usize) -> Self {
        Prefixes {
            nodes: vec![T::NEUTRAL; places + 1],
        }
    }

    /// Adds a value at a position.
    pub(super) fn add(&mut self, place: usize, value: T) {
        let mut node = place + 1;
        while let Some(slot) = self.nodes.get_mut(node) {
            *slot = slot.with(value);
            node += lowest_bit(node);
        }
    }

    /// Returns the combination of the values at positions `0..count`.
    pub(super) fn before(&self, count: usize) -> T {
        let mut node = count;
        let mut sum = T::NEUTRAL;
        while node > 0 {
            sum = self.nodes.get(node).map_or(sum, |value| sum.with(*value));
            node -= lowest_bit(node);
        }
        sum
    }
}

fn lowest_bit(node: usize) -> usize {
    node & node.wrapping_neg()
}
