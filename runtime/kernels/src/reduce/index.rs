//! Reductions that return an index: `argmin` and `argmax`.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::slice;

use super::along::{Line, split_axis};
use super::fold::{Largest, Smallest};
use crate::dtype::{Comparable, DType, Scalar, with_comparable};
use crate::nest::{Nest, Run};
use crate::order::{Fold, dense_vector, fold_block, fold_length, for_each_block};
use crate::shape::Shape;
use crate::simd::{Vectorised, vectorised};
use crate::{ReduceOp, Tile, elementwise};

/// Finds the first smallest or largest element of a tile, or the first NaN, and its row-major
/// number in the whole array of shape `whole`. The tile starts at index `first` of it.
///
/// `value` has one element of the type of `input`, and `index` one `i64`.
///
/// # Panics
/// Panics if `op` does not return an index, a type or shape does not fit, or there are no elements.
pub fn partial_index(
    op: ReduceOp,
    input: &Tile,
    first: &[usize],
    whole: Shape,
    value: &mut Tile,
    index: &mut Tile,
) {
    check(op, input, index.dtype());
    assert_eq!(
        value.dtype(),
        input.dtype(),
        "the value has the type of the input"
    );
    assert_eq!(
        first.len(),
        whole.rank(),
        "the tile starts at an index of the whole"
    );
    assert_eq!(
        input.layout().rank(),
        whole.rank(),
        "the tile has the rank of the whole"
    );
    let (best, place) = with_comparable!(input.dtype(), T => match op {
        ReduceOp::ArgMin => search::<T, Smallest<T>>(input, T::smaller),
        _ => search::<T, Largest<T>>(input, T::larger),
    }, else undefined(op, input.dtype()));
    let mut at = input.layout().shape.unravel(place);
    at.iter_mut()
        .zip(first)
        .for_each(|(at, first)| *at += first);
    elementwise::fill(best, value);
    elementwise::fill(Scalar::I64(whole.ravel(&at[..whole.rank()]) as i64), index);
}

/// Finds the index of the best pair in `values` and `indices`, which are results of
/// [`partial_index`]. For results of [`partial_axis_index`], does so for each line. Pairs follow
/// each other along the first axis. Of equal values, the smallest index is taken.
///
/// # Panics
/// Panics as [`partial_index`].
pub fn combine_index(op: ReduceOp, values: &Tile, indices: &Tile, index: &mut Tile) {
    check(op, values, index.dtype());
    assert_eq!(indices.dtype(), DType::I64, "indices are i64");
    let (line, values, index) = split_axis(0, values, index);
    let (places, indices, index) = split_axis(0, indices, &index);
    let lines = [line, places];
    with_comparable!(values.dtype(), T => match op {
        ReduceOp::ArgMin => choose(lines, [&values, &indices, &index], T::smaller),
        _ => choose(lines, [&values, &indices, &index], T::larger),
    }, else undefined(op, values.dtype()));
}

/// Sets `out` to the position along dimension `axis` of the first smallest or largest element, or
/// of the first NaN. `out` is `i64` and has that dimension removed, or kept with length 1.
///
/// # Panics
/// Panics if `op` does not return an index, a type or shape does not fit, or the axis has length 0.
pub fn axis_index(op: ReduceOp, axis: usize, input: &Tile, out: &mut Tile) {
    let (line, input, out) = split_axis(axis, input, out);
    if out.layout().shape.is_empty() {
        return;
    }
    check(op, &input, out.dtype());
    assert!(line.count > 0, "{op} of no elements is not defined");
    let lines = Lines {
        line,
        first: 0,
        input: &input,
        values: None,
        places: &out,
    };
    lines.search(op);
}

/// Like [`axis_index`], for a part of the axis that starts at position `first`. Also writes the
/// elements themselves to `values`.
///
/// # Panics
/// Panics as [`axis_index`] does, and if the type of `values` is not that of `input`.
pub fn partial_axis_index(
    op: ReduceOp,
    axis: usize,
    first: usize,
    input: &Tile,
    values: &mut Tile,
    indices: &mut Tile,
) {
    assert_eq!(
        values.dtype(),
        input.dtype(),
        "values have the type of the input"
    );
    let (line, input, indices) = split_axis(axis, input, indices);
    check(op, &input, indices.dtype());
    assert!(line.count > 0, "{op} of no elements is not defined");
    let lines = Lines {
        line,
        first: first as i64,
        input: &input,
        values: Some(values),
        places: &indices,
    };
    lines.search(op);
}

fn check(op: ReduceOp, input: &Tile, index: DType) {
    assert!(op.is_index(), "{op} gives no index");
    assert_eq!(index, DType::I64, "an index is i64");
    assert!(
        !input.layout().shape.is_empty(),
        "{op} of no elements is not defined"
    );
}

fn undefined(op: ReduceOp, dtype: DType) -> ! {
    unreachable!("{op} is not defined for {dtype}");
}

/// Whether `new` replaces an earlier `old`: it is better and different.
#[inline(always)]
fn replaces<T: Comparable>(new: T, old: T, better: impl Fn(T, T) -> T) -> bool {
    // `better` keeps a NaN. Of equal values it may return either, which do not differ.
    let chosen = better(old, new);
    !old.is_not_a_number() & (chosen != old)
}

/// Returns the best element of a tile, and its row-major number in the tile.
fn search<T: Comparable, F: Fold<In = T, Acc = T>>(
    input: &Tile,
    better: impl Fn(T, T) -> T,
) -> (Scalar, usize) {
    if let Some(terms) = dense_vector::<T>(input)
        && !terms.is_empty()
    {
        let (value, place) = search_slice::<T, F>(terms, better);
        return (value.to_scalar(), place);
    }
    let mut best: Option<(T, usize)> = None;
    let mut seen = 0;
    for_each_block::<T, 1>([input], &mut |[block]| {
        let here = fold_block::<F>(block);
        if best.is_none_or(|(old, _)| replaces(here, old, &better)) {
            let place = find(block, here);
            best = Some((block[place], seen + place));
        }
        seen += block.len();
    });
    best.map_or((T::ZERO.to_scalar(), 0), |(value, place)| {
        (value.to_scalar(), place)
    })
}

/// Returns the best of at least one term, and its number.
fn search_slice<T: Comparable, F: Fold<In = T, Acc = T>>(
    terms: &[T],
    better: impl Fn(T, T) -> T,
) -> (T, usize) {
    let (mut best, mut first) = (terms[0], 0);
    for (number, block) in terms.chunks(fold_length::<F>()).enumerate() {
        let here = fold_block::<F>(block);
        if replaces(here, best, &better) {
            (best, first) = (here, number * fold_length::<F>());
        }
    }
    let place = find(&terms[first..], best);
    (terms[first + place], first + place)
}

/// Returns the place of the first term that equals `value`, or is NaN as it; 0 if there is none.
fn find<T: Comparable>(terms: &[T], value: T) -> usize {
    let is_it = |&term: &T| term == value || (term.is_not_a_number() && value.is_not_a_number());
    let first = vectorised(Finding { terms, value });
    let place = terms[first..].iter().position(is_it);
    place.map_or(0, |place| first + place)
}

/// The search for the first group of terms that has a value.
struct Finding<'a, T> {
    terms: &'a [T],
    value: T,
}

/// The number of terms that are compared together.
const GROUP: usize = 64;

impl<T: Comparable> Vectorised for Finding<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Finding { terms, value } = self;
        let (groups, rest) = terms.as_chunks::<GROUP>();
        let is_nan = value.is_not_a_number();
        let mut group = 0;
        while group < groups.len() {
            let (mut found, mut at) = (false, 0);
            while at < GROUP {
                let term = groups[group][at];
                found |= (term == value) | (is_nan & term.is_not_a_number());
                at += 1;
            }
            if found {
                return group * GROUP;
            }
            group += 1;
        }
        terms.len() - rest.len()
    }
}

/// Chooses along the lines of `values` and of their indices.
fn choose<T: Comparable>(lines: [Line; 2], tiles: [&Tile; 3], better: impl Fn(T, T) -> T + Copy) {
    Nest::new(tiles).for_each_run(&mut |run| {
        let Run { at, steps, count } = run;
        for element in 0..count as isize {
            let [values, indices, out] =
                std::array::from_fn(|tile| at[tile].wrapping_offset(steps[tile] * element));
            let mut best: Option<(T, i64)> = None;
            for part in 0..lines[0].count as isize {
                // SAFETY: by the promises made for the tiles; a run stays inside them, and a line
                // inside its tile.
                let (value, index) = unsafe {
                    let value = values.wrapping_offset(lines[0].step * part).cast::<T>();
                    let index = indices.wrapping_offset(lines[1].step * part).cast::<i64>();
                    (value.read(), index.read())
                };
                let wins = best.is_none_or(|(old, at)| {
                    let ties = old == value || (old.is_not_a_number() && value.is_not_a_number());
                    replaces(value, old, better) || (ties && index < at)
                });
                if wins {
                    best = Some((value, index));
                }
            }
            let index = best.map_or(0, |(_, index)| index);
            // SAFETY: as above.
            unsafe { out.cast::<i64>().write(index) };
        }
    });
}

/// The number of neighbouring lines that are searched at a time.
const STRIP: usize = 64;

/// The length below which many dense lines are searched at a time.
const SHORT: usize = 16;

/// Lines that are searched, and the places of the results.
struct Lines<'a> {
    line: Line,
    /// The number of the first element of each line.
    first: i64,
    input: &'a Tile<'a>,
    values: Option<&'a Tile<'a>>,
    places: &'a Tile<'a>,
}

impl Lines<'_> {
    fn search(&self, op: ReduceOp) {
        with_comparable!(self.input.dtype(), T => {
            let is_dense = self.line.step == size_of::<T>() as isize && self.line.count >= SHORT;
            match (op, is_dense) {
                (ReduceOp::ArgMin, true) => self.search_dense::<T, Smallest<T>>(T::smaller),
                (_, true) => self.search_dense::<T, Largest<T>>(T::larger),
                (ReduceOp::ArgMin, false) => self.search_strips(T::smaller),
                (_, false) => self.search_strips(T::larger),
            }
        }, else undefined(op, self.input.dtype()));
    }

    /// Searches one dense line after the other: folds its blocks, and looks for the result in the
    /// first block that has it.
    fn search_dense<T: Comparable, F: Fold<In = T, Acc = T>>(&self, better: impl Fn(T, T) -> T) {
        let values = self.values.unwrap_or(self.places);
        Nest::new([self.input, values, self.places]).for_each_run(&mut |run| {
            for w in 0..run.count as isize {
                let [from, value, place] =
                    std::array::from_fn(|tile| run.at[tile].wrapping_offset(run.steps[tile] * w));
                // SAFETY: by the promises made for the tiles; a dense line of the input starts
                // here.
                let terms = unsafe { slice::from_raw_parts(from.cast::<T>(), self.line.count) };
                let (best, at) = search_slice::<T, F>(terms, &better);
                // SAFETY: by the promises made for the tiles; a run stays inside them.
                unsafe {
                    if self.values.is_some() {
                        value.cast::<T>().write(best);
                    }
                    place.cast::<i64>().write(self.first + at as i64);
                }
            }
        });
    }

    /// Searches neighbouring lines together.
    fn search_strips<T: Comparable>(&self, better: impl Fn(T, T) -> T + Copy) {
        let Lines { line, .. } = *self;
        let values = self.values.unwrap_or(self.places);
        Nest::new([self.input, values, self.places]).for_each_run(&mut |run| {
            let Run {
                at: [from, values, places],
                steps: [across, value_step, place_step],
                count,
            } = run;
            for first in (0..count).step_by(STRIP) {
                let width = STRIP.min(count - first);
                let mut best = [T::ZERO; STRIP];
                let mut place = [0i64; STRIP];
                for i in 0..line.count {
                    let row =
                        from.wrapping_offset(i as isize * line.step + first as isize * across);
                    for w in 0..width {
                        let term = row.wrapping_offset(w as isize * across).cast::<T>();
                        // SAFETY: by the promises made for the tiles; the element is in the input.
                        let term = unsafe { term.read() };
                        if i == 0 || replaces(term, best[w], better) {
                            best[w] = term;
                            place[w] = self.first + i as i64;
                        }
                    }
                }
                for w in 0..width {
                    let at = (first + w) as isize;
                    let value = values.wrapping_offset(at * value_step).cast::<T>();
                    let to = places.wrapping_offset(at * place_step).cast::<i64>();
                    // SAFETY: by the promises made for the tiles; a run stays inside them.
                    unsafe {
                        if self.values.is_some() {
                            value.write(best[w]);
                        }
                        to.write(place[w]);
                    }
                }
            }
        });
    }
}
