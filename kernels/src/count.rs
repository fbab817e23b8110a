//! How often numbers occur, and row-major numbers of indices.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::Tile;
use super::index::OutOfBounds;
use super::nest::{Nest, Run};
use crate::dtype::{DType, Element, Number, with_number};

/// `out[n]` = how many elements of `numbers` (`i64`) are `n`, or with weights the sum of the weights of these, added up in
/// row-major order. `out` is a vector, of `i64` without weights and else of their type.
///
/// # Errors
/// A number is below 0 or not below the length of `out`.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn count(numbers: &Tile, weights: Option<&Tile>, out: &mut Tile) -> Result<(), OutOfBounds> {
    assert_eq!(numbers.dtype(), DType::I64, "numbers are i64");
    let dtype = weights.map_or(DType::I64, |weights| weights.dtype());
    assert_eq!(dtype, out.dtype(), "sums have the type of the weights");
    let &[length] = out.dims() else {
        unreachable!("counts are a vector");
    };
    let step = out.byte_stride(0);
    let mut wrong = None;
    with_number!(dtype, T => {
        for n in 0..length as isize {
            // SAFETY: by the promises made for the tile, which has `length` elements.
            unsafe { out.first().wrapping_offset(step * n).cast::<T>().write(T::ZERO) };
        }
        let mut add = |index: i64, weight: T| {
            let place = usize::try_from(index).ok().filter(|&place| place < length);
            let Some(place) = place else {
                wrong.get_or_insert(OutOfBounds { index, length });
                return;
            };
            let sum = out.first().wrapping_offset(step * place as isize).cast::<T>();
            // SAFETY: as above.
            unsafe { sum.write(sum.read().plus(weight)) };
        };
        match weights {
            None => Nest::in_order([numbers]).for_each_run(&mut |run: Run<1>| {
                for i in 0..run.count as isize {
                    // SAFETY: by the promises made for the tile; a run stays inside it.
                    let index = unsafe { run.at[0].wrapping_offset(run.steps[0] * i).cast::<i64>().read() };
                    add(index, T::ONE);
                }
            }),
            Some(weights) => Nest::in_order([weights, numbers]).for_each_run(&mut |run: Run<2>| {
                for i in 0..run.count as isize {
                    let [weight, index] = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * i));
                    // SAFETY: as above.
                    let (weight, index) = unsafe { (weight.cast::<T>().read(), index.cast::<i64>().read()) };
                    add(index, weight);
                }
            }),
        }
    }, else unreachable!("counts are numbers"));
    wrong.map_or(Ok(()), Err)
}

/// `out` = `so_far * length + indices`, all of `i64`, where indices below 0 count from the back: one axis more of a
/// row-major number.
///
/// # Errors
/// An index lies outside an axis of this length.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn ravel(
    length: usize,
    so_far: &Tile,
    indices: &Tile,
    out: &mut Tile,
) -> Result<(), OutOfBounds> {
    let are_numbers = [so_far, indices, out]
        .iter()
        .all(|tile| tile.dtype() == DType::I64);
    assert!(are_numbers, "indices are i64");
    let mut wrong = None;
    Nest::new([so_far, indices, out]).for_each_run(&mut |run: Run<3>| {
        for i in 0..run.count as isize {
            let [so_far, index, out] =
                [0, 1, 2].map(|k| run.at[k].wrapping_offset(run.steps[k] * i));
            // SAFETY: by the promises made for the tiles; a run stays inside them.
            let (so_far, index) =
                unsafe { (so_far.cast::<i64>().read(), index.cast::<i64>().read()) };
            let from_front = if index < 0 {
                index.wrapping_add(length as i64)
            } else {
                index
            };
            if from_front < 0 || from_front >= length as i64 {
                wrong.get_or_insert(OutOfBounds { index, length });
                return;
            }
            // SAFETY: as above.
            unsafe {
                out.cast::<i64>()
                    .write(so_far.wrapping_mul(length as i64).wrapping_add(from_front))
            };
        }
    });
    wrong.map_or(Ok(()), Err)
}
