//! Arrays whose elements depend on their indices only. Each kernel gets the position of its tile in
//! the whole array, so that the values do not depend on the cut.

#![allow(
    unsafe_code,
    reason = "writes operands through the addresses of their tiles"
)]

use super::Tile;
use crate::dtype::{CastFrom, DType, Element, Number, Scalar, f16, with_element, with_real};
use crate::shape::Shape;

/// Computes `out[i] = start + (first + i) step`, where the tile starts at index `first` of a
/// one-dimensional array.
///
/// Start and step are cast to the type of `out`. Floats are computed as in NumPy, with the step
/// that is left after rounding `start + step`. `f16` is computed in `f32`, and integers wrap.
///
/// # Panics
/// Panics unless `out` has one dimension and an integer or float type, and `first` has one entry.
pub fn arange(start: Scalar, step: Scalar, out: &mut Tile, first: &[usize]) {
    let first = only_index(first, out);
    if out.dtype() == DType::F16 {
        // Sixteen-bit floats count to 2048 only.
        let delta = (start.to::<f16>() + step.to::<f16>()).to_f32() - start.to::<f16>().to_f32();
        let start = start.to::<f16>().to_f32();
        return for_each_index(out, first, |i| f16::from_f32(start + i as f32 * delta));
    }
    with_real!(out.dtype(), T => {
        let start: T = start.to();
        let delta = start.plus(step.to()).minus(start);
        for_each_index(out, first, |i| start.plus(T::cast_from(i as u64).times(delta)));
    }, else unreachable!("a range of {} is not defined", out.dtype()));
}

/// Computes `out[i]` as number `first + i` of `count` evenly spaced values from `start` to `stop`.
/// The last one is `stop` if `endpoint`; otherwise `stop` would be the next one.
///
/// Computed in `f64` as in NumPy, then cast to the type of `out`. Integers are rounded to minus
/// infinity first.
///
/// # Panics
/// Panics unless `out` has one dimension and `first` has one entry.
pub fn linspace(
    start: f64,
    stop: f64,
    count: usize,
    endpoint: bool,
    out: &mut Tile,
    first: &[usize],
) {
    let first = only_index(first, out);
    let spaces = if endpoint {
        count.saturating_sub(1)
    } else {
        count
    } as f64;
    let step = (stop - start) / spaces;
    let value = |i: usize| {
        if endpoint && count > 1 && i == count - 1 {
            stop
        } else if spaces == 0.0 {
            start
        } else if step == 0.0 {
            // The step underflowed, so the precision of the quotient is kept instead.
            i as f64 / spaces * (stop - start) + start
        } else {
            i as f64 * step + start
        }
    };
    let is_integer = out.dtype().is_integer();
    with_element!(out.dtype(), T => {
        for_each_index(out, first, |i| T::cast_from(if is_integer { value(i).floor() } else { value(i) }));
    });
}

/// Sets `out` to one where the column is the row plus `k`, and to zero elsewhere. The tile starts
/// at (`first_row`, `first_column`) of a matrix.
///
/// # Panics
/// Panics unless `out` has two dimensions.
pub fn eye(k: isize, out: &mut Tile, first_row: usize, first_column: usize) {
    let &[rows, columns] = out.dims() else {
        unreachable!("a matrix has two dimensions");
    };
    super::elementwise::fill(Scalar::zero(out.dtype()), out);
    let layout = out.layout();
    for row in 0..rows {
        let column = (first_row + row)
            .checked_add_signed(k)
            .and_then(|c| c.checked_sub(first_column));
        let Some(column) = column.filter(|&column| column < columns) else {
            continue;
        };
        with_element!(out.dtype(), T => {
            let one = out.data().cast::<T>().wrapping_add(layout.offset_of(&[row, column]));
            // SAFETY: by the promises made for the tile; the index is in its shape.
            unsafe { one.write(T::ONE) };
        });
    }
}

fn only_index(first: &[usize], out: &Tile) -> usize {
    assert_eq!(out.layout().rank(), 1, "the values lie along one dimension");
    assert_eq!(
        first.len(),
        1,
        "a tile of one dimension starts at one index"
    );
    first[0]
}

/// Writes `value(i)` for each index of a one-dimensional tile that starts at `first`.
fn for_each_index<T: Element>(out: &Tile, first: usize, value: impl Fn(usize) -> T) {
    let whole = Shape::new(&[first + out.layout().shape.len()]).unwrap_or(out.layout().shape);
    for_each_flat(out, &[first], whole, &mut |flat, at, step, count| {
        for i in 0..count {
            // SAFETY: by the promises made for the tile; a run stays inside it.
            unsafe {
                at.wrapping_offset(step * i as isize)
                    .cast::<T>()
                    .write(value(flat + i))
            };
        }
    });
}

/// Returns the number of elements from the beginning of a row that have successive numbers in the
/// array of shape `whole` and lie at one distance in the tile.
fn row_length(out: &Tile, whole: Shape, last: usize) -> usize {
    let dims = out.dims();
    let mut length = dims[last];
    for axis in (0..last).rev() {
        // The next row of the tile follows in the array only if a row is a whole one.
        let follows = dims[axis + 1] == whole.dims()[axis + 1];
        if !follows || out.byte_stride(axis) != out.byte_stride(last) * length as isize {
            break;
        }
        length *= dims[axis];
    }
    length
}

/// Calls `body` for each row of a tile (along the last dimension, or along several last ones that
/// lie like one). The arguments are the row-major number of its first element in the array of shape
/// `whole`, its address, the step in bytes, and the length. The tile starts at index `first` of the
/// array.
pub(super) fn for_each_flat(
    out: &Tile,
    first: &[usize],
    whole: Shape,
    body: &mut dyn FnMut(usize, *mut u8, isize, usize),
) {
    let shape = out.layout().shape;
    assert_eq!(
        shape.rank(),
        whole.rank(),
        "the tile has the rank of the whole"
    );
    assert_eq!(
        shape.rank(),
        first.len(),
        "the tile starts at an index of the whole"
    );
    if shape.is_empty() {
        return;
    }
    let Some(last) = shape.rank().checked_sub(1) else {
        return body(0, out.first(), 0, 1);
    };
    let length = row_length(out, whole, last);
    for row in 0..shape.len() / length {
        let index = shape.unravel(row * length);
        let mut at = index;
        at.iter_mut()
            .zip(first)
            .for_each(|(at, first)| *at += first);
        let offset = out.layout().offset_of(&index[..shape.rank()]);
        let address = out.data().wrapping_add(offset * out.dtype().size());
        body(
            whole.ravel(&at[..shape.rank()]),
            address,
            out.byte_stride(last),
            length,
        );
    }
}
