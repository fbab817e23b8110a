//! Elements read and written by the indices of their own line.

use super::OutOfBounds;
use crate::Tile;
use crate::dtype::DType;
use crate::elementwise::with_word;
use crate::nest::{Nest, Run};
use crate::part::Part;

/// Computes `out[.., j, ..] = input[.., indices[.., j, ..], ..]` along dimension `axis`.
///
/// # Errors
/// Returns an error if an index is outside of the axis of the input.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn take_along(
    axis: usize,
    input: &Tile,
    indices: &Tile,
    out: &mut Tile,
) -> Result<(), OutOfBounds> {
    assert_eq!(input.dtype(), out.dtype(), "elements keep their type");
    let lines = Lines::new(axis, input, indices, out)?;
    with_word!(out.dtype(), W => lines.copy::<W>(true));
    Ok(())
}

/// Computes `out[.., indices[.., j, ..], ..] = values[.., j, ..]` along dimension `axis`. Of equal
/// indices in a line the last one takes effect.
///
/// # Errors
/// Returns an error if an index is outside of the axis of the output. Nothing is written then.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn put_along(
    axis: usize,
    values: &Tile,
    indices: &Tile,
    out: &mut Tile,
) -> Result<(), OutOfBounds> {
    assert_eq!(values.dtype(), out.dtype(), "elements keep their type");
    let lines = Lines::new(axis, out, indices, values)?;
    with_word!(out.dtype(), W => lines.copy::<W>(false));
    Ok(())
}

/// Lines along an axis of the array that the indices refer to, of the indices, and of the array
/// with an element for each index.
struct Lines<'a> {
    /// Position 0 of the axis of each.
    tiles: [Tile<'a>; 3],
    /// The step along the axis of each, in bytes.
    steps: [isize; 3],
    /// The number of elements of the lines that the indices refer to.
    length: usize,
    /// The number of indices of a line.
    count: usize,
}

impl<'a> Lines<'a> {
    fn new(
        axis: usize,
        named: &'a Tile,
        indices: &'a Tile,
        counted: &'a Tile,
    ) -> Result<Lines<'a>, OutOfBounds> {
        assert_eq!(indices.dtype(), DType::I64, "indices are i64");
        assert_eq!(indices.dims(), counted.dims(), "an element for each index");
        let (Some(&length), Some(&count)) = (named.dims().get(axis), indices.dims().get(axis))
        else {
            unreachable!("there is an axis {axis}");
        };
        let tiles = [named, indices, counted];
        let lines = Lines {
            tiles: tiles.map(|tile| tile.without(axis)),
            steps: tiles.map(|tile| tile.byte_stride(axis)),
            length,
            count,
        };
        match first_outside(indices, length) {
            Some(index) => Err(OutOfBounds { index, length }),
            None => Ok(lines),
        }
    }

    /// Copies from the positions that the indices name to those of the indices, or back.
    fn copy<W: Copy>(&self, takes: bool) {
        let [named, indices, counted] = &self.tiles;
        let (back, count) = (self.steps[0].wrapping_mul(self.length as isize), self.count);
        Nest::new([named, indices, counted]).for_each_run(&mut |run: Run<3>| {
            let copy = |row: usize, j: usize| {
                let [named, index, counted] = std::array::from_fn(|k| {
                    let along = if k == 0 {
                        0
                    } else {
                        self.steps[k] * j as isize
                    };
                    run.at[k].wrapping_offset(run.steps[k] * row as isize + along)
                });
                // SAFETY: by the promises made for the tiles: a run and its lines stay inside them,
                // and every index was checked to be inside of the axis.
                unsafe {
                    let index = index.cast::<i64>().read() as isize;
                    // Half of the indices may be negative, so a branch would be unpredictable.
                    let around = back & (index >> (isize::BITS - 1));
                    let named = named.wrapping_offset(self.steps[0].wrapping_mul(index) + around);
                    let (named, counted) = (named.cast::<W>(), counted.cast::<W>());
                    match takes {
                        true => counted.write(named.read()),
                        false => named.write(counted.read()),
                    }
                }
            };
            // The loop with the shorter steps is inside.
            if self.steps[1].abs() <= run.steps[1].abs() || run.count == 1 {
                (0..run.count).for_each(|row| (0..count).for_each(|j| copy(row, j)));
            } else {
                (0..count).for_each(|j| (0..run.count).for_each(|row| copy(row, j)));
            }
        });
    }
}

/// Returns the first index outside of an axis.
fn first_outside(indices: &Tile, length: usize) -> Option<i64> {
    let mut wrong = None;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let is_outside = |index: i64| (index < -length) | (index >= length);
    Nest::in_order([indices]).for_each_run(&mut |run: Run<1>| {
        if wrong.is_some() {
            return;
        }
        let index = |n: usize| {
            let at = run.at[0].wrapping_offset(run.steps[0] * n as isize);
            // SAFETY: by the promises made for the tile; a run stays inside it.
            unsafe { at.cast::<i64>().read() }
        };
        if run.steps[0] == size_of::<i64>() as isize {
            // SAFETY: as above; the elements of the run follow each other.
            let dense = unsafe { std::slice::from_raw_parts(run.at[0].cast::<i64>(), run.count) };
            // The loop has no early exit, so that it becomes vector code.
            if !(dense.iter()).fold(false, |outside, index| outside | is_outside(*index)) {
                return;
            }
        }
        wrong = (0..run.count).map(index).find(|index| is_outside(*index));
    });
    wrong
}
