//! Counts of numbers, and row-major numbers of indices.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::slice;

use super::Tile;
use super::index::OutOfBounds;
use super::nest::{Nest, Run};
use super::simd::{Vectorised, vectorised};
use crate::dtype::{DType, Element, Number, with_number};

/// Counts how many elements of `numbers` (`i64`) are `n`, in `out[n]`; with weights, adds up the
/// weights of these elements in row-major order. `out` is a vector, of `i64` without weights and
/// otherwise of their type.
///
/// # Errors
/// Returns an error if a number is below 0, or not below the length of `out`.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn count(numbers: &Tile, weights: Option<&Tile>, out: &mut Tile) -> Result<(), OutOfBounds> {
    assert_eq!(numbers.dtype(), DType::I64, "numbers are i64");
    let dtype = weights.map_or(DType::I64, |weights| weights.dtype());
    assert_eq!(dtype, out.dtype(), "sums have the type of the weights");
    let &[length] = out.dims() else {
        unreachable!("counts are a vector");
    };
    if weights.is_none()
        && let Some(done) = count_dense(numbers, out)
    {
        return done;
    }
    if let Some(weights) = weights
        && let Some(done) = weigh_dense(numbers, weights, out)
    {
        return done;
    }
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

/// Returns the smallest and the largest of some `i64` numbers; `None` without numbers.
pub fn bounds(numbers: &Tile) -> Option<(i64, i64)> {
    assert_eq!(numbers.dtype(), DType::I64, "numbers are i64");
    let count = numbers.layout().shape.len();
    if count == 0 {
        return None;
    }
    if numbers.layout().is_contiguous() {
        let first = numbers.first().cast::<i64>();
        // SAFETY: by the promises made for the tile, which has `count` contiguous elements.
        let numbers = unsafe { slice::from_raw_parts(first, count) };
        return Some(vectorised(Bounds(numbers)));
    }
    let mut bounds = (i64::MAX, i64::MIN);
    Nest::new([numbers]).for_each_run(&mut |run: Run<1>| {
        for i in 0..run.count as isize {
            let at = run.at[0].wrapping_offset(run.steps[0] * i);
            // SAFETY: as above; a run stays inside the tile.
            let number = unsafe { at.cast::<i64>().read() };
            bounds = (bounds.0.min(number), bounds.1.max(number));
        }
    });
    Some(bounds)
}

/// The smallest and the largest number of a slice.
struct Bounds<'a>(&'a [i64]);

impl Vectorised for Bounds<'_> {
    type Output = (i64, i64);

    #[inline(always)]
    fn run(self) -> (i64, i64) {
        let start = (i64::MAX, i64::MIN);
        let step = |(low, high): (i64, i64), number: &i64| (low.min(*number), high.max(*number));
        self.0.iter().fold(start, step)
    }
}

/// The number of tables of counts, used in turn: an increment waits for the one before it only if
/// both are in the same table and of the same number.
const TABLES: usize = 2;

/// The most counts of a table that is duplicated: all tables fit the L1 cache.
const SMALL: usize = 1024;

/// Implements [`count`] without weights for contiguous numbers; `None` for others.
fn count_dense(numbers: &Tile, out: &mut Tile) -> Option<Result<(), OutOfBounds>> {
    let &[length] = out.dims() else { return None };
    let many = numbers.layout().shape.len();
    let are_dense = numbers.layout().is_contiguous() && out.layout().is_contiguous();
    if !are_dense || many == 0 || length == 0 {
        return None;
    }
    for place in 0..length {
        // SAFETY: by the promises made for the tile, which has `length` elements.
        unsafe { out.first().cast::<i64>().add(place).write(0) };
    }
    // SAFETY: by the promises made for the tiles: `many` and `length` contiguous elements exist;
    // those of `out` were just written.
    let (numbers, out) = unsafe {
        (
            slice::from_raw_parts(numbers.first().cast::<i64>(), many),
            slice::from_raw_parts_mut(out.first().cast::<i64>(), length),
        )
    };
    let mut are_inside = true;
    // Tables that are cleared cost as much as some hundred increments.
    if length <= SMALL && many >= SMALL {
        let mut tables = [[0i64; SMALL]; TABLES];
        let (rows, rest) = numbers.as_chunks::<TABLES>();
        for row in rows {
            for (table, &index) in tables.iter_mut().zip(row) {
                are_inside &= (index as u64) < length as u64;
                table[index as usize % SMALL] += 1;
            }
        }
        for &index in rest {
            are_inside &= (index as u64) < length as u64;
            tables[0][index as usize % SMALL] += 1;
        }
        for (place, sum) in out.iter_mut().enumerate() {
            *sum = tables.iter().map(|table| table[place]).sum();
        }
    } else {
        for &index in numbers {
            let place = usize::try_from(index).ok();
            match place.and_then(|place| out.get_mut(place)) {
                Some(sum) => *sum += 1,
                None => are_inside = false,
            }
        }
    }
    Some(checked(are_inside, numbers, length))
}

/// Returns an error for the first number that is not below `length`, unless all `are_inside`.
fn checked(are_inside: bool, numbers: &[i64], length: usize) -> Result<(), OutOfBounds> {
    if are_inside {
        return Ok(());
    }
    let is_outside = |index: &&i64| usize::try_from(**index).map_or(true, |place| place >= length);
    let index = numbers.iter().find(is_outside);
    index.map_or(Ok(()), |&index| Err(OutOfBounds { index, length }))
}

/// Implements [`count`] with weights for contiguous operands; `None` for others. Each sum has its
/// weights in row-major order, so there is one table.
fn weigh_dense(numbers: &Tile, weights: &Tile, out: &mut Tile) -> Option<Result<(), OutOfBounds>> {
    let &[length] = out.dims() else { return None };
    let many = numbers.layout().shape.len();
    let are_dense = [numbers, weights, out]
        .iter()
        .all(|tile| tile.layout().is_contiguous());
    if !are_dense || many == 0 || length == 0 || weights.layout().shape.len() != many {
        return None;
    }
    with_number!(weights.dtype(), T => {
        for place in 0..length {
            // SAFETY: by the promises made for the tile, which has `length` elements.
            unsafe { out.first().cast::<T>().add(place).write(T::ZERO) };
        }
        // SAFETY: by the promises made for the tiles: `many` and `length` contiguous elements are
        // there; those of `out` were just written.
        let (numbers, weights, out) = unsafe {
            (
                slice::from_raw_parts(numbers.first().cast::<i64>(), many),
                slice::from_raw_parts(weights.first().cast::<T>(), many),
                slice::from_raw_parts_mut(out.first().cast::<T>(), length),
            )
        };
        let mut are_inside = true;
        for (&index, &weight) in numbers.iter().zip(weights) {
            // A negative number becomes one that is too large.
            match out.get_mut(index as usize) {
                Some(sum) => *sum = sum.plus(weight),
                None => are_inside = false,
            }
        }
        Some(checked(are_inside, numbers, length))
    }, else None)
}

/// Computes `out = so_far * length + indices`, all of `i64`, which adds an axis to a row-major
/// number. Indices below 0 count from the back.
///
/// # Errors
/// Returns an error if an index is outside of an axis of this length.
///
/// # Panics
/// Panics if the shapes or types do not fit.
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

/// The order of axes in which indices become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AxisOrder {
    /// The last axis changes fastest: row-major, as in C.
    RowMajor,
    /// The first axis changes fastest: column-major, as in Fortran.
    ColumnMajor,
}

impl AxisOrder {
    /// Returns the axes from the one that changes fastest, of `count`.
    fn fastest_first(self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).map(move |axis| match self {
            AxisOrder::RowMajor => count - 1 - axis,
            AxisOrder::ColumnMajor => axis,
        })
    }
}

/// Whether all elements of a tile of `i64` are at least 0 and below `length`.
///
/// # Panics
/// Panics if the type does not fit.
pub fn are_below(length: usize, numbers: &Tile) -> bool {
    assert_eq!(numbers.dtype(), DType::I64, "numbers are i64");
    let mut are_inside = true;
    Nest::new([numbers]).for_each_run(&mut |run: Run<1>| {
        for n in 0..run.count as isize {
            let at = run.at[0].wrapping_offset(run.steps[0] * n);
            // SAFETY: by the promises made for the tile; a run stays inside it.
            are_inside &= (unsafe { at.cast::<i64>().read() } as u64) < length as u64;
        }
    });
    are_inside
}

/// Sets `out[axis][n]` to the index along `axis`, of `dims` elements, of element `n` of `numbers`
/// in row-major order. All are `i64`, and `out` is without gaps. The numbers are those of elements
/// of an array with these axes.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn unravel(order: AxisOrder, dims: &[usize], numbers: &Tile, out: &mut Tile) {
    let many = numbers.layout().shape.len();
    let is_fit = numbers.dtype() == DType::I64
        && out.dtype() == DType::I64
        && out.layout().is_contiguous()
        && out.layout().shape.len() == many * dims.len();
    assert!(is_fit, "a row of i64 for each axis");
    let (to, mut next) = (out.first().cast::<i64>(), 0);
    Nest::in_order([numbers]).for_each_run(&mut |run: Run<1>| {
        for n in 0..run.count as isize {
            let at = run.at[0].wrapping_offset(run.steps[0] * n);
            // SAFETY: by the promises made for the tile; a run stays inside it.
            let mut rest = unsafe { at.cast::<i64>().read() } as u64;
            for axis in order.fastest_first(dims.len()) {
                let length = (dims[axis] as u64).max(1);
                // SAFETY: by the promises made for the tile, which has `many` elements for each
                // axis.
                unsafe { to.add(axis * many + next).write((rest % length) as i64) };
                rest /= length;
            }
            next += 1;
        }
    });
}

/// Sets `out` to the numbers of elements, in an array with axes of `dims` elements, that have
/// `indices` along each axis. All are `i64` of one shape. Returns `false` if an index is outside of
/// its axis; `out` has no meaning then.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn ravel_all(order: AxisOrder, dims: &[usize], indices: &[Tile], out: &mut Tile) -> bool {
    assert_eq!(dims.len(), indices.len(), "indices along each axis");
    assert_eq!(out.dtype(), DType::I64, "numbers are i64");
    let (mut step, mut are_inside, mut is_first) = (1i64, true, true);
    for axis in order.fastest_first(dims.len()) {
        let (indices, length) = (&indices[axis], dims[axis]);
        assert_eq!(indices.dtype(), DType::I64, "indices are i64");
        Nest::new([indices, &*out]).for_each_run(&mut |run: Run<2>| {
            for n in 0..run.count as isize {
                let [index, sum] = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * n));
                let sum = sum.cast::<i64>();
                // SAFETY: by the promises made for the tiles; a run stays inside them. Sums are
                // read after the first axis has written them.
                unsafe {
                    let index = index.cast::<i64>().read();
                    are_inside &= (index as u64) < length as u64;
                    let so_far = if is_first { 0 } else { sum.read() };
                    sum.write(index.wrapping_mul(step).wrapping_add(so_far));
                }
            }
        });
        (step, is_first) = (step.wrapping_mul(length as i64), false);
    }
    are_inside
}
