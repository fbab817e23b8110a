//! Elements in order: lines along an axis, and tiles of a long vector that are merged afterwards.
//!
//! The order is NumPy's: numbers from the smallest to the largest, then NaN. Elements that are equal keep their order
//! where their numbers are asked for; of sorted values -0.0 stands before 0.0, so that the result is one, however a
//! vector is cut.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

mod merge;
pub(crate) mod order;

pub use merge::{Runs, merge, merge_numbered};
pub(crate) use order::Ordered;

use super::Tile;
use super::nest::{Nest, Run};
use crate::dtype::{DType, with_element};

/// `out` = the lines of `input` along dimension `axis`, each in order; both have one shape and type.
///
/// # Panics
/// If the shapes or types do not fit, or there is no such axis.
pub fn sort(axis: usize, input: &Tile, out: &mut Tile) {
    assert_eq!(input.dtype(), out.dtype(), "elements keep their type");
    let Some(count) = lines(axis, input, out) else {
        return;
    };
    with_element!(input.dtype(), T => {
        let mut line: Vec<<T as Ordered>::Key> = Vec::with_capacity(count);
        let steps = [input.byte_stride(axis), out.byte_stride(axis)];
        for_each_line([&input.without(axis), &out.without(axis)], &mut |[from, to]| {
            line.clear();
            // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
            line.extend((0..count as isize).map(|i| unsafe {
                from.wrapping_offset(steps[0] * i).cast::<T>().read().key()
            }));
            line.sort_unstable();
            for (i, key) in line.iter().enumerate() {
                let to = to.wrapping_offset(steps[1] * i as isize);
                // SAFETY: as above.
                unsafe { to.cast::<T>().write(T::from_key(*key)) };
            }
        });
    });
}

/// `out` = for each line of `input` along dimension `axis`, the numbers of its elements (`i64`) in the order of these.
/// Equal elements keep their order.
///
/// # Panics
/// If the shapes or types do not fit, or there is no such axis.
pub fn argsort(axis: usize, input: &Tile, out: &mut Tile) {
    assert_eq!(out.dtype(), DType::I64, "numbers of elements are i64");
    let Some(count) = lines(axis, input, out) else {
        return;
    };
    with_element!(input.dtype(), T => {
        let mut line = Vec::with_capacity(count);
        let steps = [input.byte_stride(axis), out.byte_stride(axis)];
        for_each_line([&input.without(axis), &out.without(axis)], &mut |[from, to]| {
            // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
            unsafe { number::<T>(&mut line, from, steps[0], count) };
            for (i, (_, at)) in line.iter().enumerate() {
                let to = to.wrapping_offset(steps[1] * i as isize);
                // SAFETY: as above.
                unsafe { to.cast::<i64>().write(*at as i64) };
            }
        });
    });
}

/// `values` = a tile of a vector in order, and `numbers` = where in the vector (`i64`) they stood, where `first` is the
/// number of the tile's first element. Equal elements keep their order.
///
/// # Panics
/// If the shapes or types do not fit, or the tile has not one axis.
pub fn sort_numbered(first: usize, input: &Tile, values: &mut Tile, numbers: &mut Tile) {
    assert_eq!(input.dtype(), values.dtype(), "elements keep their type");
    assert_eq!(numbers.dtype(), DType::I64, "numbers of elements are i64");
    let (Some(count), Some(_)) = (lines(0, input, values), lines(0, input, numbers)) else {
        return;
    };
    assert_eq!(input.dims().len(), 1, "a tile of a vector");
    with_element!(input.dtype(), T => {
        let mut line = Vec::with_capacity(count);
        let step = input.byte_stride(0);
        // SAFETY: by the promises made for the tiles; each has `count` elements.
        unsafe { number::<T>(&mut line, input.first(), step, count) };
        for (i, (_, at)) in line.iter().enumerate() {
            let i = i as isize;
            let value = values.first().wrapping_offset(values.byte_stride(0) * i);
            let number = numbers.first().wrapping_offset(numbers.byte_stride(0) * i);
            // SAFETY: as above.
            unsafe {
                let from = input.first().wrapping_offset(step * *at as isize);
                value.cast::<T>().write(from.cast::<T>().read());
                number.cast::<i64>().write((first + *at) as i64);
            }
        }
    });
}

/// The length of the lines along an axis; `None` where there is nothing to do.
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

/// Fills `line` with the ranks of elements and their numbers, in order.
///
/// # Safety
/// `count` elements lie `step` bytes apart from `from` on.
unsafe fn number<T: Ordered>(
    line: &mut Vec<(T::Key, usize)>,
    from: *const u8,
    step: isize,
    count: usize,
) {
    line.clear();
    line.extend((0..count).map(|i| {
        // SAFETY: the caller's promise.
        let value = unsafe { from.wrapping_offset(step * i as isize).cast::<T>().read() };
        (value.rank(), i)
    }));
    // No two are equal, since the numbers differ.
    line.sort_unstable();
}
