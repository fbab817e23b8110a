//! Properties of regions, checked with sets of element numbers.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::MAX_DIMS;

/// A random view of a store, made by steps on single axes and on the whole view.
#[derive(Clone, Debug)]
struct TestViews {
    store: Shape,
    view: Layout,
    /// Whether the view is a strided box of the store. Slices and permutations keep it one.
    is_box: bool,
}

impl TestViews {
    fn region(&self) -> Option<Region> {
        Region::of(&self.view, &self.store)
    }

    fn elements(&self) -> BTreeSet<usize> {
        let view = &self.view;
        let at = |flat| view.offset_of(&view.shape.unravel(flat)[..view.rank()]);
        (0..view.shape.len()).map(at).collect()
    }
}

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap()
}

/// Returns the region of one element.
fn single(flat: usize, store: &Shape) -> Region {
    let mut view = Layout::contiguous(Shape::SCALAR);
    view.offset = flat;
    Region::of(&view, store).unwrap()
}

/// Returns the start, end and step of a slice, in sevenths of an axis.
fn cut() -> impl Strategy<Value = (usize, usize, isize)> {
    let step = prop_oneof![3 => Just(1), 1 => Just(2), 1 => Just(3), 1 => Just(-1), 1 => Just(-2)];
    (0..=7_usize, 0..=7_usize, step).prop_map(|(a, b, step)| (a.min(b), a.max(b), step))
}

/// Returns a random view of a store of these dimensions.
fn drawn(dims: Vec<usize>) -> impl Strategy<Value = TestViews> {
    let rank = dims.len();
    let cuts = prop::collection::vec(cut(), rank);
    (cuts, 0..6_u8, 0..rank.max(1)).prop_map(move |(cuts, then, axis)| {
        let store = shape(&dims);
        let mut view = Layout::contiguous(store);
        for (axis, (start, end, step)) in cuts.iter().enumerate() {
            let at = |sevenths: usize| (sevenths * dims[axis]).div_ceil(7) as isize;
            let (start, end) = (at(*start), at(*end));
            view = match step {
                step if *step > 0 => view.slice(axis, Some(start), Some(end), *step).unwrap(),
                // Backward from the end, as in Python.
                step if start > 0 => view
                    .slice(axis, Some(end - 1), Some(start - 1), *step)
                    .unwrap(),
                step => view.slice(axis, None, None, *step).unwrap(),
            };
        }
        let mut is_box = true;
        match then {
            0 => view = view.transpose(),
            1 if !view.shape.is_empty() && rank > 0 => view = view.index(axis, 0).unwrap(),
            2 if rank < MAX_DIMS => view = view.insert_axis(axis).unwrap(),
            // All elements as one vector, if they are evenly spaced.
            3 => {
                if let Some(line) = view.reshape(shape(&[view.shape.len()])) {
                    (view, is_box) = (line, false);
                }
            }
            // A diagonal.
            4 if rank >= 2 => {
                let length = view.shape.dims()[0].min(view.shape.dims()[1]);
                view.strides[1] += view.strides[0];
                view.shape = view.shape.with_dim(1, length).unwrap();
                if length > 0 {
                    view = view.index(0, 0).unwrap();
                }
                is_box = false;
            }
            _ => {}
        }
        TestViews {
            store,
            view,
            is_box,
        }
    })
}

/// Returns two random views of one store.
fn pair() -> impl Strategy<Value = (TestViews, TestViews)> {
    prop::collection::vec(1..8_usize, 0..=4)
        .prop_flat_map(|dims| (drawn(dims.clone()), drawn(dims)))
}

/// The number of cases of a property; every run uses the default.
fn cases() -> ProptestConfig {
    let cases = std::env::var("WEFT_TEST_PROGRAMS")
        .ok()
        .and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: cases.unwrap_or(4000),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    /// A region contains the elements of its view: in its interval, which is tight, and in its
    /// block.
    #[test]
    fn region_covers_elements_of_its_view((view, _) in pair()) {
        let (elements, region) = (view.elements(), view.region());
        prop_assert_eq!(elements.is_empty(), region.is_none());
        let Some(region) = region else { return Ok(()) };
        let ends = (*elements.first().unwrap(), *elements.last().unwrap());
        prop_assert_eq!(region.interval(), ends);
        let (block, is_exact) = region.block(&view.store);
        let rank = view.store.rank();
        let held: BTreeSet<usize> = (0..view.store.len())
            .filter(|flat| {
                let index = view.store.unravel(*flat);
                let mut bounds = block.bounds().iter().zip(&index[..rank]);
                bounds.all(|((first, end), at)| first <= at && at < end)
            })
            .collect();
        prop_assert!(elements.is_subset(&held));
        prop_assert!(!is_exact || elements == held);
        for flat in 0..view.store.len() {
            let overlaps = region.overlaps(&single(flat, &view.store));
            prop_assert!(overlaps || !elements.contains(&flat));
            prop_assert!(!view.is_box || overlaps == elements.contains(&flat));
        }
    }

    /// Overlap and containment never err on the unsafe side, and are exact between boxes.
    #[test]
    fn region_relations_match_element_sets((a, b) in pair()) {
        let (Some(one), Some(other)) = (a.region(), b.region()) else { return Ok(()) };
        let (left, right) = (a.elements(), b.elements());
        let (meet, holds) = (!left.is_disjoint(&right), right.is_subset(&left));
        prop_assert!(one.overlaps(&other) || !meet);
        prop_assert_eq!(one.overlaps(&other), other.overlaps(&one));
        prop_assert!(holds || !one.contains(&other));
        if a.is_box && b.is_box {
            prop_assert_eq!(one.overlaps(&other), meet);
            prop_assert_eq!(one.contains(&other), holds);
        }
        let shared = left.intersection(&right).count();
        prop_assert!(one.shared(&other) >= shared);
        prop_assert_eq!(one.shared(&other), other.shared(&one));
        if a.is_box && b.is_box {
            prop_assert_eq!(one.shared(&other), shared);
        }
    }

    /// A region without another one keeps all elements that the other does not have, and gains
    /// none.
    #[test]
    fn region_difference_keeps_remaining_elements((a, b) in pair()) {
        let (Some(one), Some(other)) = (a.region(), b.region()) else { return Ok(()) };
        let mut left = one.clone();
        left.without(&other);
        let (own, taken) = (a.elements(), b.elements());
        for flat in 0..a.store.len() {
            let at = single(flat, &a.store);
            let is_left = own.contains(&flat) && !taken.contains(&flat);
            prop_assert!(left.overlaps(&at) || !is_left, "{} is lost", flat);
            prop_assert!(one.overlaps(&at) || !left.overlaps(&at), "{} is new", flat);
        }
        prop_assert!(one.contains(&left) || !a.is_box);
    }

    /// Spans of any length, with steps that have no common divisor.
    #[test]
    fn spans_overlap_if_they_share_an_index(
        first in 0..60_usize, step in 1..12_usize, count in 1..12_usize,
        other_first in 0..60_usize, other_step in 1..12_usize, other_count in 1..12_usize,
    ) {
        let span = |first, step, count: usize| Span { first, last: first + (count - 1) * step, step };
        let indices = |span: &Span| -> BTreeSet<usize> { (span.first..=span.last).step_by(span.step).collect() };
        let (a, b) = (span(first, step, count), span(other_first, other_step, other_count));
        prop_assert_eq!(a.overlaps(&b), !indices(&a).is_disjoint(&indices(&b)));
        prop_assert_eq!(a.holds(&b), indices(&b).is_subset(&indices(&a)));
        prop_assert_eq!(a.shared(&b), indices(&a).intersection(&indices(&b)).count());
    }
}

#[test]
fn spans_with_huge_steps_do_not_overflow() {
    let span = |first, last, step| Span { first, last, step };
    let (a, b) = (
        span(0, usize::MAX - 1, usize::MAX - 1),
        span(1, usize::MAX - 2, usize::MAX - 3),
    );
    assert!(!a.overlaps(&b) && !b.overlaps(&a));
    let even = span(0, usize::MAX - 1, 2);
    assert!(even.overlaps(&span(usize::MAX - 1, usize::MAX - 1, 1)));
    assert!(!even.overlaps(&span(usize::MAX, usize::MAX, 1)));
    assert_eq!((a.shared(&b), even.shared(&a)), (0, 2));
}

#[test]
fn matrix_columns_do_not_overlap() {
    let whole = Layout::contiguous(shape(&[4, 6]));
    let column = |at| Region::of(&whole.index(1, at).unwrap(), &whole.shape).unwrap();
    assert!(!column(2).overlaps(&column(3)));
    assert!(column(2).overlaps(&Region::of(&whole, &whole.shape).unwrap()));
    let every = |step, from| {
        let view = whole.slice(1, Some(from), None, step).unwrap();
        Region::of(&view, &whole.shape).unwrap()
    };
    assert!(!every(2, 0).overlaps(&column(3)));
    assert!(!every(2, 0).overlaps(&every(2, 1)));
    assert!(every(2, 0).contains(&column(4)) && !every(2, 0).contains(&column(5)));
}
