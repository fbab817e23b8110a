//! Sets of elements of a store, as intervals of their row-major numbers.

use smallvec::SmallVec;

use crate::shape::Layout;

/// Elements `first` to `end` (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl Span {
    /// The elements from the first to the last of a view; `None` where it has none.
    pub(crate) fn of(layout: &Layout) -> Option<Span> {
        let (first, last) = layout.extent()?;
        Some(Span {
            first,
            end: last + 1,
        })
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.end - self.first
    }

    /// Whether every element of `other` is in this.
    pub(crate) fn holds(&self, other: &Span) -> bool {
        self.first <= other.first && other.end <= self.end
    }

    /// The elements from the first of either to the last of either.
    pub(crate) fn hull(&self, other: &Span) -> Span {
        Span {
            first: self.first.min(other.first),
            end: self.end.max(other.end),
        }
    }

    /// The elements in both; `None` where there are none.
    pub(crate) fn common(&self, other: &Span) -> Option<Span> {
        let (first, end) = (self.first.max(other.first), self.end.min(other.end));
        (first < end).then_some(Span { first, end })
    }
}

/// Intervals that neither meet nor touch, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spans(SmallVec<[Span; 2]>);

impl Spans {
    /// Adds elements.
    pub(super) fn add(&mut self, span: Span) {
        let mut joined = span;
        self.0.retain(|known| {
            let apart = known.end < joined.first || joined.end < known.first;
            if !apart {
                joined = joined.hull(known);
            }
            apart
        });
        let place = self.0.partition_point(|known| known.first < joined.first);
        self.0.insert(place, joined);
    }

    /// Takes elements away.
    pub(super) fn remove(&mut self, span: Span) {
        if !self.0.iter().any(|known| known.common(&span).is_some()) {
            return;
        }
        let mut left = SmallVec::new();
        for known in &self.0 {
            for (first, end) in [
                (known.first, known.end.min(span.first)),
                (known.first.max(span.end), known.end),
            ] {
                if first < end {
                    left.push(Span { first, end });
                }
            }
        }
        self.0 = left;
    }

    /// The elements of `span` that are in the set.
    pub(super) fn within(&self, span: Span) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().filter_map(move |known| known.common(&span))
    }

    /// The elements of `span` that are not in the set.
    pub(super) fn missing(&self, span: Span) -> Spans {
        let mut missing = Spans(SmallVec::from_slice(&[span]));
        for known in &self.0 {
            missing.remove(*known);
        }
        missing
    }

    /// Whether there are no elements.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The intervals.
    pub(super) fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn elements(spans: &Spans) -> BTreeSet<usize> {
        spans.iter().flat_map(|span| span.first..span.end).collect()
    }

    proptest! {
        #[test]
        fn intervals_are_the_sets_they_stand_for(
            steps in prop::collection::vec((any::<bool>(), 0usize..40, 1usize..12), 0..30),
            probe in (0usize..40, 1usize..20),
        ) {
            let (mut spans, mut set) = (Spans::default(), BTreeSet::new());
            for (add, first, length) in steps {
                let span = Span { first, end: first + length };
                if add {
                    spans.add(span);
                    set.extend(first..first + length);
                } else {
                    spans.remove(span);
                    set.retain(|at| !(first..first + length).contains(at));
                }
                prop_assert_eq!(elements(&spans), set.clone());
                let gaps = spans.0.windows(2).all(|pair| pair[0].end < pair[1].first);
                prop_assert!(gaps, "{:?}", spans);
            }
            let probe = Span { first: probe.0, end: probe.0 + probe.1 };
            let missing: BTreeSet<_> = (probe.first..probe.end).filter(|at| !set.contains(at)).collect();
            prop_assert_eq!(elements(&spans.missing(probe)), missing);
        }
    }
}
