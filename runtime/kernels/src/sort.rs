//! Sorted lines along an axis, and sorted tiles of a long vector, which are merged afterwards.
//!
//! The order is NumPy's: numbers from the smallest to the largest, then NaN. If numbers of elements
//! are returned, equal elements keep their order. If values are returned, -0.0 comes before 0.0, so
//! that the result does not depend on the cut.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

mod distinct;
mod line;
mod merge;
pub(crate) mod order;
pub(crate) mod radix;
mod sample;
mod select;
mod short;
mod vectors;
pub(crate) mod word;

pub use distinct::{count_distinct, distinct, run_lengths, run_numbers};
pub use merge::{Runs, merge, merge_numbered};
pub(crate) use order::{Digits, Ordered};
pub use select::{argpartition, partition};

use self::line::convert;
use self::radix::{order_words, sort_words};
use self::word::Word;
use std::slice;

use super::Tile;
use super::elementwise::with_word;
use super::nest::{Nest, Run};
use crate::dtype::{DType, with_comparable, with_complex};
use crate::part::Part;

/// Sorts each line of `input` along dimension `axis` to `out`. Both have the same shape and type.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn sort(axis: usize, input: &Tile, out: &mut Tile) {
    assert_eq!(input.dtype(), out.dtype(), "elements keep their type");
    let Some(count) = lines(axis, input, out) else {
        return;
    };
    // A line without gaps is quicker to sort than to distribute to vectors of many lines.
    let has_gaps = input.byte_stride(axis) != input.dtype().size() as isize;
    let is_short = has_gaps && short::is_short(count, input);
    with_comparable!(input.dtype(), T => match is_short {
        true => short::sort::<T>(axis, count, input, out),
        false => sort_digits::<T>(axis, count, input, out),
    }, else sort_complex(axis, count, input, out));
}

fn sort_digits<T: Digits>(axis: usize, count: usize, input: &Tile, out: &Tile) {
    let steps = [input.byte_stride(axis), out.byte_stride(axis)];
    let size = size_of::<T::Word>() as isize;
    let (mut apart, mut spare) = (Vec::new(), Vec::new());
    if steps[1] != size {
        apart.resize(count, T::Word::narrow(0));
    }
    for_each_line([&input.without(axis), &out.without(axis)], &mut |[
        from,
        to,
    ]| {
        // Words are as wide as elements, so they are sorted in the output if it has no gaps.
        let at = match steps[1] == size {
            true => to.cast::<T::Word>(),
            false => apart.as_mut_ptr(),
        };
        // SAFETY: by the promises made for the tiles, the line has `count` elements in both.
        let words = unsafe {
            convert((from, steps[0]), (at.cast(), size), count, |element: T| {
                T::word(element.key())
            });
            slice::from_raw_parts_mut(at, count)
        };
        let sorted = match sort_words(words, &mut spare, 0) {
            true => spare.as_ptr(),
            false => words.as_ptr(),
        };
        // SAFETY: as above; there are as many sorted words.
        unsafe {
            convert(
                (sorted.cast(), size),
                (to, steps[1]),
                count,
                |word: T::Word| T::from_key(T::key_of(word)),
            );
        }
    });
}

/// Sorts complex numbers by comparison, since their keys are not words.
fn sort_complex(axis: usize, count: usize, input: &Tile, out: &Tile) {
    let steps = [input.byte_stride(axis), out.byte_stride(axis)];
    with_complex!(input.dtype(), T => {
        let mut line: Vec<<T as Ordered>::Key> = Vec::with_capacity(count);
        for_each_line([&input.without(axis), &out.without(axis)], &mut |[from, to]| {
            line.clear();
            // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
            line.extend((0..count).map(|i| unsafe { element::<T>(from, steps[0], i).key() }));
            line.sort_unstable();
            for (i, key) in line.iter().enumerate() {
                let to = to.wrapping_offset(steps[1] * i as isize);
                // SAFETY: as above.
                unsafe { to.cast::<T>().write(T::from_key(*key)) };
            }
        });
    }, else unreachable!("real numbers are sorted by digits"));
}

/// For each line of `input` along dimension `axis`, sets `out` to the numbers of its elements
/// (`i64`) in sorted order. Equal elements keep their order.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn argsort(axis: usize, input: &Tile, out: &mut Tile) {
    assert_eq!(out.dtype(), DType::I64, "numbers of elements are i64");
    let Some(count) = lines(axis, input, out) else {
        return;
    };
    if short::is_short(count, input) && !input.dtype().is_complex() {
        with_comparable!(input.dtype(), T => return short::argsort::<T>(axis, count, input, out),
            else unreachable!("what is not complex is compared"));
    }
    let steps = [input.byte_stride(axis), out.byte_stride(axis)];
    for_each_line([&input.without(axis), &out.without(axis)], &mut |[
        from,
        to,
    ]| {
        // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
        unsafe {
            order(input.dtype(), from, steps[0], count, &mut |order| {
                for (i, at) in order.iter().enumerate() {
                    let to = to.wrapping_offset(steps[1] * i as isize);
                    to.cast::<u64>().write(*at);
                }
            });
        }
    });
}

/// Sorts a tile of a vector to `values`, and sets `numbers` (`i64`) to the elements' numbers in the
/// vector. `first` is the number of the tile's first element. Equal elements keep their order.
///
/// # Panics
/// Panics if the shapes or types do not fit, or the tile does not have one axis.
pub fn sort_numbered(first: usize, input: &Tile, values: &mut Tile, numbers: &mut Tile) {
    assert_eq!(input.dtype(), values.dtype(), "elements keep their type");
    assert_eq!(numbers.dtype(), DType::I64, "numbers of elements are i64");
    let (Some(count), Some(_)) = (lines(0, input, values), lines(0, input, numbers)) else {
        return;
    };
    assert_eq!(input.dims().len(), 1, "a tile of a vector");
    let step = input.byte_stride(0);
    with_word!(input.dtype(), W => {
        // SAFETY: by the promises made for the tiles; each has `count` elements.
        unsafe {
            order(input.dtype(), input.first(), step, count, &mut |order| {
                for (i, at) in order.iter().enumerate() {
                    let i = i as isize;
                    let value = values.first().wrapping_offset(values.byte_stride(0) * i);
                    let number = numbers.first().wrapping_offset(numbers.byte_stride(0) * i);
                    value.cast::<W>().write(element::<W>(input.first(), step, *at as usize));
                    number.cast::<i64>().write((first as u64 + *at) as i64);
                }
            });
        }
    });
}

/// Returns the length of the lines along an axis; `None` if there is nothing to do.
fn lines(axis: usize, input: &Tile, out: &Tile) -> Option<usize> {
    assert_eq!(input.dims(), out.dims(), "sorted lines keep their length");
    let Some(&count) = input.dims().get(axis) else {
        unreachable!("there is no axis {axis}");
    };
    (!input.layout().shape.is_empty()).then_some(count)
}

/// Calls `body` with the first element of each line in input and output.
fn for_each_line(tiles: [&Tile; 2], body: &mut dyn FnMut([*mut u8; 2])) {
    Nest::new(tiles).for_each_run(&mut |run: Run<2>| {
        for i in 0..run.count as isize {
            body([0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * i)));
        }
    });
}

/// Calls `emit` with the numbers of the elements of a line in sorted order. Equal elements keep
/// theirs.
///
/// # Safety
/// There must be `count` elements of this type, `step` bytes apart, from `from` on.
unsafe fn order(
    dtype: DType,
    from: *const u8,
    step: isize,
    count: usize,
    emit: &mut dyn FnMut(&[u64]),
) {
    // SAFETY: the caller's promise, here and below.
    with_comparable!(dtype, T => {
        let sorted = match step == size_of::<T>() as isize {
            true => order_words(count, |at| {
                // SAFETY: element `at` of `count`, which are contiguous.
                T::word(unsafe { from.cast::<T>().wrapping_add(at).read() }.rank())
            }),
            // SAFETY: element `at` of `count`.
            false => order_words(count, |at| T::word(unsafe { element::<T>(from, step, at) }.rank())),
        };
        emit(&sorted);
    }, else with_complex!(dtype, T => {
        // SAFETY: element `at` of `count`.
        let rank = |at| unsafe { element::<T>(from, step, at) }.rank();
        let mut line: Vec<_> = (0..count).map(|at| (rank(at), at as u64)).collect();
        // No two are equal, since the numbers differ.
        line.sort_unstable();
        let numbers: Vec<u64> = line.iter().map(|(_, at)| *at).collect();
        emit(&numbers);
    }, else unreachable!("real numbers are sorted by digits")));
}

/// Returns an element of a line.
///
/// # Safety
/// There must be one of this type, `step * at` bytes from `from`.
#[inline(always)]
unsafe fn element<T>(from: *const u8, step: isize, at: usize) -> T {
    // SAFETY: the caller's promise.
    unsafe { from.wrapping_offset(step * at as isize).cast::<T>().read() }
}
