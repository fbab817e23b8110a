//! A tree of prefixes (Fenwick's): values come in one by one at places, and what lies before a place is combined.

/// Values that can be combined in any order.
pub(super) trait Combine: Copy {
    /// Changes nothing when combined with.
    const NEUTRAL: Self;

    /// Both together.
    fn with(self, other: Self) -> Self;
}

/// Values at places, none of them known at first.
pub(super) struct Prefixes<T> {
    /// Node `i` (from 1) holds the places `i - lowest_bit(i) .. i`.
    nodes: Vec<T>,
}

impl<T: Combine> Prefixes<T> {
    /// Room for places `0..places`.
    pub(super) fn new(places: usize) -> Self {
        Prefixes {
            nodes: vec![T::NEUTRAL; places + 1],
        }
    }

    /// Adds a value at a place.
    pub(super) fn add(&mut self, place: usize, value: T) {
        let mut node = place + 1;
        while let Some(slot) = self.nodes.get_mut(node) {
            *slot = slot.with(value);
            node += lowest_bit(node);
        }
    }

    /// Returns all values at places `0..count`.
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
