//! Sets of elements of a store, as intervals of row-major indices, and of pages, as intervals of
//! page indices.

use std::ops::Range;

use smallvec::SmallVec;

use crate::shape::{Layout, Shape};

/// Elements or pages `first` to `end` (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl Span {
    /// Returns the range from the first to the last element of a view; `None` if the view is empty.
    pub(crate) fn from_layout(layout: &Layout) -> Option<Span> {
        let (first, last) = layout.extent()?;
        Some(Span {
            first,
            end: last + 1,
        })
    }

    /// Returns the number of elements or pages.
    pub(crate) fn len(&self) -> usize {
        self.end - self.first
    }

    /// Whether this span contains `other`.
    pub(crate) fn holds(&self, other: &Span) -> bool {
        self.first <= other.first && other.end <= self.end
    }

    /// Returns the smallest span that contains both.
    pub(crate) fn hull(&self, other: &Span) -> Span {
        Span {
            first: self.first.min(other.first),
            end: self.end.max(other.end),
        }
    }

    /// Returns these elements as a view of their store.
    pub(crate) fn row(&self) -> Option<Layout> {
        let row = Layout::contiguous(Shape::new(&[self.len()])?);
        Some(Layout {
            offset: self.first,
            ..row
        })
    }

    /// Returns the intersection; `None` if it is empty.
    pub(crate) fn common(&self, other: &Span) -> Option<Span> {
        let (first, end) = (self.first.max(other.first), self.end.min(other.end));
        (first < end).then_some(Span { first, end })
    }
}

/// Maximum number of runs that a view is split into.
const MAX_RUNS: usize = 1 << 14;

/// Splits the elements of a view into runs at gaps of at least `gap` elements, unless there would
/// be too many runs.
pub(super) fn runs(view: &Layout, gap: usize) -> SmallVec<[Span; 1]> {
    let mut runs = SmallVec::new();
    add_runs(view, gap, &mut runs);
    runs
}

fn add_runs(view: &Layout, gap: usize, runs: &mut SmallVec<[Span; 1]>) {
    let steps = view.shape.dims().iter().zip(view.strides());
    let axes = steps.map(|(extent, step)| (*extent, step.unsigned_abs()));
    let outermost = axes
        .enumerate()
        .filter(|(_, (extent, _))| *extent > 1)
        .max_by_key(|(_, (_, step))| *step);
    if let Some((axis, (extent, step))) = outermost
        && let Some(one) = view.index(axis, 0).and_then(|one| Span::from_layout(&one))
        && one.len() + gap <= step
        && runs.len() + extent <= MAX_RUNS
    {
        for one in (0..extent).filter_map(|at| view.index(axis, at as isize)) {
            add_runs(&one, gap, runs);
        }
    } else {
        runs.extend(Span::from_layout(view));
    }
}

/// Disjoint intervals in ascending order, with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spans(SmallVec<[Span; 2]>);

impl Spans {
    /// Returns the indices of the intervals that overlap `span`; with `touching`, also of those
    /// adjacent to it.
    fn near(&self, span: Span, touching: bool) -> Range<usize> {
        let reach = usize::from(touching);
        let from = self
            .0
            .partition_point(|known| known.end + reach <= span.first);
        let to = self
            .0
            .partition_point(|known| known.first < span.end + reach);
        from..to.max(from)
    }

    /// Adds the elements of a span.
    pub(super) fn add(&mut self, span: Span) {
        let near = self.near(span, true);
        match self.0.get(near.clone()) {
            Some([first, .., last] | [first @ last]) => {
                let joined = span.hull(first).hull(last);
                self.0[near.start] = joined;
                self.0.drain(near.start + 1..near.end);
            }
            _ => self.0.insert(near.start, span),
        }
    }

    /// Removes the elements of a span.
    pub(super) fn remove(&mut self, span: Span) {
        let near = self.near(span, false);
        let left: SmallVec<[Span; 2]> = self.0[near.clone()]
            .iter()
            .flat_map(|known| {
                [
                    (known.first, known.end.min(span.first)),
                    (known.first.max(span.end), known.end),
                ]
            })
            .filter(|(first, end)| first < end)
            .map(|(first, end)| Span { first, end })
            .collect();
        self.0.drain(near.clone());
        self.0.insert_many(near.start, left);
    }

    /// Returns the parts of `span` that are in the set.
    pub(super) fn within(&self, span: Span) -> impl Iterator<Item = Span> + '_ {
        self.0[self.near(span, false)]
            .iter()
            .filter_map(move |known| known.common(&span))
    }

    /// Returns the parts of `span` that are not in the set.
    pub(super) fn missing(&self, span: Span) -> Spans {
        let mut missing = SmallVec::new();
        let mut first = span.first;
        for known in self.within(span) {
            if first < known.first {
                let end = known.first;
                missing.push(Span { first, end });
            }
            first = known.end;
        }
        if first < span.end {
            let end = span.end;
            missing.push(Span { first, end });
        }
        Spans(missing)
    }

    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        self.iter().map(|span| span.len()).sum()
    }

    /// Returns the interval that contains `span`; `None` if `span` is not fully in the set.
    pub(super) fn around(&self, span: Span) -> Option<Span> {
        let near = self.0.get(self.near(span, false).start)?;
        near.holds(&span).then_some(*near)
    }

    /// Whether there are no elements.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the intervals.
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

    #[test]
    fn splits_views_at_large_gaps() {
        let grid = Layout::contiguous(Shape::new(&[4, 100]).unwrap());
        let column = grid.slice(1, Some(10), Some(12), 1).unwrap();
        let span = |first, end| Span { first, end };
        let of_rows = [10, 110, 210, 310].map(|first| span(first, first + 2));
        assert_eq!(runs(&column, 98)[..], of_rows);
        assert_eq!(runs(&column, 99)[..], [span(10, 312)]);
        let back = column.slice(0, None, None, -1).unwrap();
        assert_eq!(runs(&back.transpose(), 98).len(), 4);
        assert_eq!(runs(&grid, 1)[..], [span(0, 400)]);
        assert_eq!(runs(&grid.slice(0, Some(4), None, 1).unwrap(), 1)[..], []);
        let tall = Layout::contiguous(Shape::new(&[MAX_RUNS + 1, 100]).unwrap());
        let column = tall.slice(1, Some(0), Some(1), 1).unwrap();
        assert_eq!(runs(&column, 50).len(), 1);
    }

    proptest! {
        #[test]
        fn spans_match_element_sets(
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
            prop_assert_eq!(spans.len(), set.len());
            let around = spans.around(probe);
            prop_assert_eq!(around.is_some(), (probe.first..probe.end).all(|at| set.contains(&at)));
            let missing: BTreeSet<_> = (probe.first..probe.end).filter(|at| !set.contains(at)).collect();
            prop_assert_eq!(elements(&spans.missing(probe)), missing);
        }
    }
}
