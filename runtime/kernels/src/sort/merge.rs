//! Merges of two sorted runs, for many pairs of runs at once.
//!
//! A tile of the output finds by bisection the places of its first and last element in both runs
//! (the "merge path" of Odeh, Green, Mwassi, Shmueli, Birk: Merge Path, IPDPSW 2012), so that tiles
//! may be cut anywhere.

use std::mem::MaybeUninit;

use super::Ordered;
use crate::Tile;
use crate::dtype::{DType, with_element};

/// The bounds of runs: a vector of `length` elements is cut into `runs` as evenly as possible.
/// Every `width` of these have been merged to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runs {
    /// The number of elements of the vector.
    pub length: usize,
    /// The number of runs that were sorted at first.
    pub runs: usize,
    /// The number of original runs that are one run before the merge.
    pub width: usize,
}

impl Runs {
    /// Returns the first element of the original run with this number.
    pub fn start(&self, run: usize) -> usize {
        let run = run.min(self.runs);
        ((self.length as u128 * run as u128) / self.runs.max(1) as u128) as usize
    }
}

/// Merges each two consecutive runs of `input`, and sets `out` to the elements from `first` on of
/// the result. `input` is the whole vector; both operands are dense.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn merge(runs: Runs, first: usize, input: &Tile, out: &mut Tile) {
    assert_eq!(input.dtype(), out.dtype(), "elements keep their type");
    with_element!(input.dtype(), T => {
        let (from, to) = (dense::<T>(input), dense_mut::<T>(out));
        for_each_pair(runs, first, to.len(), &mut |pair| {
            let [left, right] = [&from[pair.left()], &from[pair.right()]];
            let to = &mut to[pair.out.0 - first..pair.out.1 - first];
            let starts = split(pair.out.0 - pair.start, left, right, T::key);
            merge_into(left, right, starts, T::key, to.len(), |at, value, _| {
                to[at].write(value);
            });
        });
    });
}

/// Like [`merge`], for values with their numbers (`i64`). Equal values keep their order.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn merge_numbered(runs: Runs, first: usize, inputs: [&Tile; 2], outs: [&mut Tile; 2]) {
    let [out, numbers_out] = outs;
    assert_eq!(inputs[0].dtype(), out.dtype(), "elements keep their type");
    let are_numbers = inputs[1].dtype() == DType::I64 && numbers_out.dtype() == DType::I64;
    assert!(are_numbers, "numbers of elements are i64");
    with_element!(inputs[0].dtype(), T => {
        let (from, to) = (dense::<T>(inputs[0]), dense_mut::<T>(out));
        let (numbers, out_numbers) = (dense::<i64>(inputs[1]), dense_mut::<i64>(numbers_out));
        for_each_pair(runs, first, to.len(), &mut |pair| {
            let [left, right] = [&from[pair.left()], &from[pair.right()]];
            let [left_numbers, right_numbers] = [&numbers[pair.left()], &numbers[pair.right()]];
            let range = pair.out.0 - first..pair.out.1 - first;
            let (to, out_numbers) = (&mut to[range.clone()], &mut out_numbers[range]);
            let starts = split(pair.out.0 - pair.start, left, right, T::rank);
            merge_into(left, right, starts, T::rank, to.len(), |at, value, from| {
                to[at].write(value);
                out_numbers[at].write(match from {
                    From::Left(i) => left_numbers[i],
                    From::Right(i) => right_numbers[i],
                });
            });
        });
    });
}

/// Two neighbouring runs, and the range of their merged elements to compute.
struct Pair {
    start: usize,
    middle: usize,
    end: usize,
    out: (usize, usize),
}

impl Pair {
    fn left(&self) -> std::ops::Range<usize> {
        self.start..self.middle
    }

    fn right(&self) -> std::ops::Range<usize> {
        self.middle..self.end
    }
}

/// Calls `body` for each pair of runs with elements from `first` to `first + count` (exclusive).
fn for_each_pair(runs: Runs, first: usize, count: usize, body: &mut dyn FnMut(Pair)) {
    for run in (0..runs.runs).step_by(2 * runs.width) {
        let [start, middle, end] = [0, 1, 2].map(|k| runs.start(run + k * runs.width));
        let out = (start.max(first), end.min(first + count));
        if out.0 < out.1 {
            body(Pair {
                start,
                middle,
                end,
                out,
            });
        }
    }
}

/// Returns how many elements of the left run are among the first `count` merged ones.
fn split<T: Copy, K: Ord>(
    count: usize,
    left: &[T],
    right: &[T],
    key: impl Fn(T) -> K,
) -> [usize; 2] {
    let (mut low, mut high) = (count.saturating_sub(right.len()), count.min(left.len()));
    while low < high {
        let of_left = low + (high - low) / 2;
        // Of equal elements, the left one comes first. So it is included unless the right run's
        // last included element is smaller.
        if key(left[of_left]) <= key(right[count - of_left - 1]) {
            low = of_left + 1;
        } else {
            high = of_left;
        }
    }
    [low, count - low]
}

/// The run of an element, and its place there.
enum From {
    Left(usize),
    Right(usize),
}

/// Calls `put` with the place, the value and the origin of `count` elements of both runs in order,
/// from `starts` on.
#[inline(always)]
fn merge_into<T: Copy, K: Ord>(
    left: &[T],
    right: &[T],
    starts: [usize; 2],
    key: impl Fn(T) -> K,
    count: usize,
    mut put: impl FnMut(usize, T, From),
) {
    let [mut l, mut r] = starts;
    let mut at = 0;
    while at < count && l < left.len() && r < right.len() {
        let (a, b) = (left[l], right[r]);
        let is_left = key(a) <= key(b);
        // Both are loaded, so that the comparison only selects a value.
        let value = if is_left { a } else { b };
        put(
            at,
            value,
            if is_left {
                From::Left(l)
            } else {
                From::Right(r)
            },
        );
        l += usize::from(is_left);
        r += usize::from(!is_left);
        at += 1;
    }
    while at < count && l < left.len() {
        put(at, left[l], From::Left(l));
        (at, l) = (at + 1, l + 1);
    }
    while at < count && r < right.len() {
        put(at, right[r], From::Right(r));
        (at, r) = (at + 1, r + 1);
    }
}

fn length_of(tile: &Tile) -> usize {
    let &[count] = tile.dims() else {
        unreachable!("runs are part of a vector, not of {:?}", tile.dims());
    };
    assert!(tile.layout().is_contiguous(), "runs lie densely");
    count
}

/// Returns the elements of a vector that is read.
fn dense<'a, T>(tile: &'a Tile) -> &'a [T] {
    let count = length_of(tile);
    if count == 0 {
        return &[];
    }
    // SAFETY: by the promises made for the tile: `count` elements are there, and nothing writes
    // them meanwhile.
    unsafe { std::slice::from_raw_parts(tile.first().cast::<T>(), count) }
}

/// Returns the elements of a vector that is written.
fn dense_mut<'a, T>(tile: &'a mut Tile) -> &'a mut [MaybeUninit<T>] {
    let count = length_of(tile);
    if count == 0 {
        return &mut [];
    }
    // SAFETY: by the promises made for the tile: there is room for `count` elements, and nothing
    // else accesses it meanwhile.
    unsafe { std::slice::from_raw_parts_mut(tile.first().cast::<MaybeUninit<T>>(), count) }
}
