//! Positions of values in a sorted vector.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::array;
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
            places::<T>(right, length, |at| ranks[at], line, values, out);
        } else {
            places::<T>(right, length, |at| element(at).rank(), line, values, out);
        }
    });
}

/// Implements [`search`] in a vector whose elements have these ranks.
fn places<T: Ordered>(
    right: bool,
    length: usize,
    rank_at: impl Fn(usize) -> T::Key,
    line: Option<Line>,
    values: &Tile,
    out: &Tile,
) where
    f64: CastFrom<T>,
{
    let mut searches = Searches::new(length, line);
    Nest::new([values, out]).for_each_run(&mut |run: Run<2>| {
        let [from, to] =
            [0, 1].map(|k| move |i: usize| run.at[k].wrapping_offset(run.steps[k] * i as isize));
        // SAFETY: by the promises made for the tiles; a run stays inside them.
        let value = |i: usize| unsafe { from(i).cast::<T>().read() };
        let is_before = |rank: T::Key, at: usize| {
            let other = rank_at(at);
            if right { other <= rank } else { other < rank }
        };
        searches.each(
            run.count,
            |i| f64::cast_from(value(i)),
            |i| value(i).rank(),
            is_before,
            // SAFETY: as above.
            |i, place| unsafe { to(i).cast::<i64>().write(place as i64) },
        );
    });
}

/// Searches of one sorted vector.
pub(super) struct Searches {
    length: usize,
    line: Option<Line>,
    /// The place that was found last: the next one may be close to it.
    last: usize,
}

/// The number of searches that run together, so that their loads are in flight at the same time.
const TOGETHER: usize = 8;

impl Searches {
    /// Searches of a vector of `length` elements. `line` predicts places.
    pub(super) fn new(length: usize, line: Option<Line>) -> Searches {
        Searches {
            length,
            line,
            last: 0,
        }
    }

    /// Calls `emit` with the number of each of `count` values, and the number of elements before
    /// it. `key` is what `is_before` compares with the element at a place; it returns true up to
    /// some place, and false from there on.
    #[inline(always)]
    pub(super) fn each<K: Copy>(
        &mut self,
        count: usize,
        value: impl Fn(usize) -> f64,
        key: impl Fn(usize) -> K,
        is_before: impl Fn(K, usize) -> bool,
        mut emit: impl FnMut(usize, usize),
    ) {
        let length = self.length;
        let near_or_far = |guess: usize, key: K| {
            let is_before = |at: usize| is_before(key, at);
            near(guess, length, is_before).unwrap_or_else(|| first_behind(length, is_before))
        };
        if let Some(line) = &self.line {
            for i in 0..count {
                emit(i, near_or_far(line.place(value(i)), key(i)));
            }
            return;
        }
        let mut first = 0;
        while first < count {
            let end = count.min(first + TOGETHER);
            let is_close = near(self.last, length, |at| is_before(key(first), at)).is_some();
            if is_close || end - first < TOGETHER {
                for i in first..end {
                    self.last = near_or_far(self.last, key(i));
                    emit(i, self.last);
                }
            } else {
                let keys: [K; TOGETHER] = array::from_fn(|k| key(first + k));
                let places = all_behind(length, keys, &is_before);
                for (k, place) in places.into_iter().enumerate() {
                    emit(first + k, place);
                }
                self.last = places[TOGETHER - 1];
            }
            first = end;
        }
    }
}

/// Returns the number of elements before a value. `is_before` is true up to some place, and false
/// from there on.
#[inline(always)]
fn first_behind(length: usize, is_before: impl Fn(usize) -> bool) -> usize {
    all_behind(length, [()], &|(), at| is_before(at))[0]
}

/// Like [`first_behind`], for several values at the same time.
#[inline(always)]
fn all_behind<K: Copy, const N: usize>(
    length: usize,
    keys: [K; N],
    is_before: &impl Fn(K, usize) -> bool,
) -> [usize; N] {
    let mut low = [0; N];
    let mut count = length;
    while count > 0 {
        // Each result is at least its `low`, and at most `low + count`.
        let half = count.div_ceil(2);
        for (low, key) in low.iter_mut().zip(keys) {
            // The side cannot be predicted, so half of the branches would be mispredicted.
            *low = select_unpredictable(is_before(key, *low + half - 1), *low + half, *low);
        }
        count -= half;
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
pub(super) struct Line {
    first: f64,
    /// The number of elements for each unit of value.
    slope: f64,
}

impl Line {
    /// Returns the line from the first element to the last, if the elements sampled in between are
    /// on it.
    pub(super) fn through(length: usize, element: impl Fn(usize) -> f64) -> Option<Line> {
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
