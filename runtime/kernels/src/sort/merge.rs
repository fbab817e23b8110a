//! Merges of two sorted runs, for many pairs of runs at once.
//!
//! A tile of the output finds by bisection the places of its first and last element in both runs
//! (the "merge path" of Odeh, Green, Mwassi, Shmueli, Birk: Merge Path, IPDPSW 2012), so that tiles
//! may be cut anywhere.

use std::array;
use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

use super::{Digits, Ordered};
use crate::Tile;
use crate::dtype::{DType, with_comparable, with_complex};

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
    // Bits of floats in integer registers, so that no branch selects one of two.
    with_comparable!(input.dtype(), T => {
        merge_by(runs, first, input, out, |bits: <T as Digits>::Word| T::of_bits(bits).key());
    }, else with_complex!(input.dtype(), T => merge_by(runs, first, input, out, T::key),
        else unreachable!("what is not complex is compared")));
}

fn merge_by<T: Copy, K: Ord>(
    runs: Runs,
    first: usize,
    input: &Tile,
    out: &mut Tile,
    key: impl Fn(T) -> K + Copy,
) {
    let (from, to) = (dense::<T>(input), dense_mut::<T>(out));
    for_each_pair(runs, first, to.len(), &mut |pair| {
        let [left, right] = [&from[pair.left()], &from[pair.right()]];
        let to = &mut to[pair.out.0 - first..pair.out.1 - first];
        let first = pair.out.0 - pair.start;
        merge_into(left, right, first, to.len(), key, |at, value, _| {
            to[at].write(value);
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
    with_comparable!(inputs[0].dtype(), T => {
        let rank = |bits: <T as Digits>::Word| T::of_bits(bits).rank();
        merge_numbered_by(runs, first, inputs, [out, numbers_out], rank);
    }, else with_complex!(inputs[0].dtype(), T => {
        merge_numbered_by(runs, first, inputs, [out, numbers_out], T::rank);
    }, else unreachable!("what is not complex is compared")));
}

fn merge_numbered_by<T: Copy, K: Ord>(
    runs: Runs,
    first: usize,
    inputs: [&Tile; 2],
    [out, numbers_out]: [&mut Tile; 2],
    rank: impl Fn(T) -> K + Copy,
) {
    let (from, to) = (dense::<T>(inputs[0]), dense_mut::<T>(out));
    let (numbers, out_numbers) = (dense::<i64>(inputs[1]), dense_mut::<i64>(numbers_out));
    for_each_pair(runs, first, to.len(), &mut |pair| {
        let [left, right] = [&from[pair.left()], &from[pair.right()]];
        let [left_numbers, right_numbers] = [&numbers[pair.left()], &numbers[pair.right()]];
        let range = pair.out.0 - first..pair.out.1 - first;
        let (to, out_numbers) = (&mut to[range.clone()], &mut out_numbers[range]);
        let first = pair.out.0 - pair.start;
        merge_into(
            left,
            right,
            first,
            to.len(),
            rank,
            |at, value, (is_left, i)| {
                to[at].write(value);
                let numbers = select_unpredictable(is_left, left_numbers, right_numbers);
                out_numbers[at].write(numbers[i]);
            },
        );
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

/// The parts of a merge that advance together, so that one does not wait for another's comparison.
const PARTS: usize = 4;

/// The fewest elements that the parts merge before they look for the end of a run.
const FEW: usize = 16;

/// Calls `put` for `count` merged elements from `first` on: with the number of the element, its
/// value, whether it is of the left run, and its place there.
#[inline(always)]
fn merge_into<T: Copy, K: Ord>(
    left: &[T],
    right: &[T],
    first: usize,
    count: usize,
    key: impl Fn(T) -> K + Copy,
    mut put: impl FnMut(usize, T, (bool, usize)),
) {
    let start = |part| first + count * part / PARTS;
    // The next place in both runs. Their sum is the place of the merged element.
    let mut next: [[usize; 2]; PARTS] = array::from_fn(|part| split(start(part), left, right, key));
    loop {
        let lefts = |part: usize| {
            let [l, r] = next[part];
            let of_part = start(part + 1) - (l + r);
            of_part.min(left.len() - l).min(right.len() - r)
        };
        let steps = (0..PARTS).map(lefts).min().unwrap_or(0);
        if steps < FEW {
            break;
        }
        for _ in 0..steps {
            for [l, r] in &mut next {
                let (a, b) = (left[*l], right[*r]);
                let is_left = key(a) <= key(b);
                let value = select_unpredictable(is_left, a, b);
                let from = select_unpredictable(is_left, *l, *r);
                put(*l + *r - first, value, (is_left, from));
                *l += usize::from(is_left);
                *r += usize::from(!is_left);
            }
        }
    }
    for (part, [mut l, mut r]) in next.into_iter().enumerate() {
        let end = start(part + 1);
        while l + r < end {
            let is_left = match (left.get(l), right.get(r)) {
                (Some(a), Some(b)) => key(*a) <= key(*b),
                (a, _) => a.is_some(),
            };
            let (value, from) = if is_left { (left[l], l) } else { (right[r], r) };
            put(l + r - first, value, (is_left, from));
            l += usize::from(is_left);
            r += usize::from(!is_left);
        }
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
