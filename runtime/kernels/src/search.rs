//! Positions of values in a sorted vector.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::hint::select_unpredictable;

use super::Tile;
use super::nest::{Nest, Run};
use super::sort::Ordered;
use crate::dtype::{CastFrom, DType, with_element};

/// For each element of `values`, sets `out` (`i64`) to the position at which it would be inserted
/// into `sorted` (a vector). This is after all smaller elements, and with `right` also after equal
/// ones. NaN is larger than all numbers.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn search(right: bool, sorted: &Tile, values: &Tile, out: &mut Tile) {
    assert_eq!(sorted.dtype(), values.dtype(), "one order for both");
    assert_eq!(out.dtype(), DType::I64, "places are i64");
    let &[length] = sorted.dims() else {
        unreachable!("a sorted vector");
    };
    let step = sorted.byte_stride(0);
    with_element!(values.dtype(), T => {
        let element = |at: usize| {
            debug_assert!(at < length);
            let at = sorted.first().wrapping_offset(step * at as isize);
            // SAFETY: by the promises made for the tile, which has `length` elements.
            unsafe { at.cast::<T>().read() }
        };
        let line = Line::through(length, |at| f64::cast_from(element(at)));
        if values.layout().shape.len() >= length {
            // The rank of each element is needed about once or more often.
            let ranks: Vec<_> = (0..length).map(|at| element(at).rank()).collect();
            places::<T>(right, length, |at| ranks[at], line.as_ref(), values, out);
        } else {
            places::<T>(right, length, |at| element(at).rank(), line.as_ref(), values, out);
        }
    });
}

/// Implements [`search`] in a vector whose elements have these ranks.
fn places<T: Ordered>(
    right: bool,
    length: usize,
    rank_at: impl Fn(usize) -> T::Key,
    line: Option<&Line>,
    values: &Tile,
    out: &Tile,
) where
    f64: CastFrom<T>,
{
    Nest::new([values, out]).for_each_run(&mut |run: Run<2>| {
        for i in 0..run.count as isize {
            let [value, out] = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * i));
            // SAFETY: by the promises made for the tiles; a run stays inside them.
            let value = unsafe { value.cast::<T>().read() };
            let rank = value.rank();
            let is_before = |at: usize| {
                let other = rank_at(at);
                if right { other <= rank } else { other < rank }
            };
            let guess = line.map(|line| line.place(f64::cast_from(value)));
            let place = guess.and_then(|guess| near(guess, length, is_before));
            let place = place.unwrap_or_else(|| first_behind(length, is_before));
            // SAFETY: as above.
            unsafe { out.cast::<i64>().write(place as i64) };
        }
    });
}

/// Returns the number of elements before a value. `is_before` is true up to some place, and false
/// from there on.
#[inline(always)]
fn first_behind(length: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut count) = (0, length);
    while count > 0 {
        let half = count / 2;
        // The side cannot be predicted, so half of the branches would be mispredicted.
        let before = is_before(low + half);
        low = select_unpredictable(before, low + half + 1, low);
        count = select_unpredictable(before, count - half - 1, half);
    }
    low
}

/// Like [`first_behind`], for a place next to `guess`; `None` if it is further away.
#[inline(always)]
fn near(guess: usize, length: usize, is_before: impl Fn(usize) -> bool) -> Option<usize> {
    let mut place = guess.min(length);
    for _ in 0..3 {
        if place > 0 && !is_before(place - 1) {
            place -= 1;
        } else if place < length && is_before(place) {
            place += 1;
        } else {
            return Some(place);
        }
    }
    None
}

/// A straight line through the elements of a vector, such as evenly spaced edges, which predicts
/// positions.
struct Line {
    first: f64,
    /// The number of elements for each unit of value.
    slope: f64,
}

impl Line {
    /// Returns the line from the first element to the last, if the elements sampled in between are
    /// on it.
    fn through(length: usize, element: impl Fn(usize) -> f64) -> Option<Line> {
        const LOOKS: usize = 16;
        if length < LOOKS {
            return None;
        }
        let last = length - 1;
        let (first, end) = (element(0), element(last));
        let slope = last as f64 / (end - first);
        let line = Line { first, slope };
        let is_on = |at: usize| (line.elements(element(at)) - at as f64).abs() <= 1.0;
        let all = slope.is_finite() && (1..LOOKS).all(|look| is_on(last * look / LOOKS));
        all.then_some(line)
    }

    fn elements(&self, value: f64) -> f64 {
        (value - self.first) * self.slope
    }

    /// Returns the approximate number of elements before a value. Numbers out of range are cast to
    /// the nearest position.
    fn place(&self, value: f64) -> usize {
        (self.elements(value) as usize).saturating_add(1)
    }
}
