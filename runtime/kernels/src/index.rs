//! Elements read and written by indices along an axis.
//!
//! Indices are `i64`, and count from the back if they are negative. An index outside of the axis is
//! known only when the kernel runs. It is returned as an error, and nothing is written.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

mod along;

pub use along::{put_along, take_along};

use super::Tile;
use super::elementwise::with_word;
use super::nest::{Nest, Run};
use crate::dtype::DType;
use crate::part::Part;
use crate::simd::{Vectorised, vectorised};

/// An index outside of its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The first index out of bounds, as in the array of indices.
    pub index: i64,
    /// The number of elements along the axis.
    pub length: usize,
}

/// Computes `out[.., j, ..] = input[.., indices[j], ..]` along dimension `axis`.
///
/// # Errors
/// Returns an error if an index is outside of the axis of the input.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn take(axis: usize, input: &Tile, indices: &Tile, out: &mut Tile) -> Result<(), OutOfBounds> {
    assert_eq!(input.dtype(), out.dtype(), "elements keep their type");
    let picks = Picks::new(axis, input, indices, out)?;
    with_word!(out.dtype(), W => picks.copy::<W>(true));
    Ok(())
}

/// Computes `out[.., indices[j], ..] = values[.., j, ..]` along dimension `axis`. Of equal indices
/// the last one takes effect.
///
/// # Errors
/// Returns an error if an index is outside of the axis of the output.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there is no such axis.
pub fn put(axis: usize, values: &Tile, indices: &Tile, out: &mut Tile) -> Result<(), OutOfBounds> {
    assert_eq!(values.dtype(), out.dtype(), "elements keep their type");
    let picks = Picks::new(axis, out, indices, values)?;
    with_word!(out.dtype(), W => picks.copy::<W>(false));
    Ok(())
}

/// Pairs of positions: one along the axis that the indices refer to, and the number of the index
/// along the other axis.
struct Picks<'a> {
    /// The two operands at position 0 of the axis, without the axis.
    named: Tile<'a>,
    counted: Tile<'a>,
    /// The step along the axis in both operands, in bytes.
    named_step: isize,
    counted_step: isize,
    /// The indices, all of them inside of the axis.
    indices: Indices,
    length: usize,
    /// Whether all indices are known to count from the front.
    is_from_front: bool,
}

/// `count` indices of type `i64` that are `step` bytes apart.
#[derive(Clone, Copy)]
struct Indices {
    at: *const u8,
    step: isize,
    count: usize,
}

impl Indices {
    /// Returns all indices, if they are contiguous.
    fn dense(&self) -> Option<&[i64]> {
        if self.step != size_of::<i64>() as isize || self.count == 0 {
            return None;
        }
        // SAFETY: by the promises made for the tile of the indices.
        Some(unsafe { std::slice::from_raw_parts(self.at.cast::<i64>(), self.count) })
    }

    fn get(&self, j: usize) -> i64 {
        debug_assert!(j < self.count);
        let at = self.at.wrapping_offset(self.step * j as isize);
        // SAFETY: by the promises made for the tile of the indices.
        unsafe { at.cast::<i64>().read() }
    }
}

/// Finds the least and the largest index.
struct Extent<'a>(&'a [i64]);

impl Vectorised for Extent<'_> {
    type Output = (i64, i64);

    #[inline(always)]
    fn run(self) -> (i64, i64) {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for &index in self.0 {
            least = least.min(index);
            most = most.max(index);
        }
        (least, most)
    }
}

impl<'a> Picks<'a> {
    fn new(
        axis: usize,
        named: &'a Tile,
        indices: &Tile,
        counted: &'a Tile,
    ) -> Result<Picks<'a>, OutOfBounds> {
        assert_eq!(indices.dtype(), DType::I64, "indices are i64");
        let (&[count], Some(&length)) = (indices.dims(), named.dims().get(axis)) else {
            unreachable!("indices have one axis, and the other operands axis {axis}");
        };
        let shape = named.layout().shape.with_dim(axis, count);
        assert_eq!(
            Some(counted.layout().shape),
            shape,
            "there is one position for each index, and the other axes are the same"
        );
        let mut picks = Picks {
            named: named.without(axis),
            counted: counted.without(axis),
            named_step: named.byte_stride(axis),
            counted_step: counted.byte_stride(axis),
            indices: Indices {
                at: indices.first(),
                step: indices.byte_stride(0),
                count,
            },
            length,
            is_from_front: false,
        };
        if let Some(indices) = picks.indices.dense()
            && let Ok(end) = i64::try_from(length)
        {
            let (least, most) = vectorised(Extent(indices));
            picks.is_from_front = least >= 0;
            if least >= -end && most < end {
                return Ok(picks);
            }
        }
        match picks.first_outside() {
            Some(j) => Err(OutOfBounds {
                index: picks.indices.get(j),
                length,
            }),
            None => Ok(picks),
        }
    }

    /// Returns the number of the first index outside of the axis.
    fn first_outside(&self) -> Option<usize> {
        (0..self.indices.count).find(|&j| self.place(j).is_none())
    }

    /// Returns the position that index number `j` refers to; `None` if it is outside of the axis.
    fn place(&self, j: usize) -> Option<usize> {
        let index = self.indices.get(j);
        let from_front = if index < 0 {
            index.wrapping_add(self.length as i64)
        } else {
            index
        };
        usize::try_from(from_front)
            .ok()
            .filter(|&place| place < self.length)
    }

    /// Copies from the positions of the indices to consecutive ones, or back, in the order of the
    /// indices.
    fn copy<W: Copy>(&self, takes: bool) {
        let dense = self.indices.dense();
        if self.named.layout().shape.len() == 1
            && let Some(indices) = dense
        {
            let at = [self.named.first(), self.counted.first()];
            return self.copy_line::<W>(takes, at, indices);
        }
        Nest::new([&self.named, &self.counted]).for_each_run(&mut |run: Run<2>| {
            // The loop with the shorter steps is inside.
            if self.counted_step.abs() <= run.steps[1].abs() {
                for row in 0..run.count as isize {
                    let at = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * row));
                    if let Some(indices) = dense {
                        self.copy_line::<W>(takes, at, indices);
                        continue;
                    }
                    for j in 0..self.indices.count {
                        self.copy_run::<W>(
                            takes,
                            j,
                            Run {
                                at,
                                count: 1,
                                ..run
                            },
                        );
                    }
                }
            } else {
                for j in 0..self.indices.count {
                    self.copy_run::<W>(takes, j, run);
                }
            }
        });
    }

    /// Copies one element for each index. `named` and `counted` are the addresses of both operands
    /// at position 0 of the axis.
    #[inline(always)]
    fn copy_line<W: Copy>(&self, takes: bool, [named, counted]: [*mut u8; 2], indices: &[i64]) {
        let size = size_of::<W>() as isize;
        if self.is_from_front && self.named_step == size && self.counted_step == size {
            let (named, counted) = (named.cast::<W>(), counted.cast::<W>());
            for (j, &index) in indices.iter().enumerate() {
                let (named, counted) = (
                    named.wrapping_offset(index as isize),
                    counted.wrapping_add(j),
                );
                // SAFETY: by the promises made for the tiles; every index was checked to be inside
                // of the axis.
                unsafe {
                    match takes {
                        true => counted.write(named.read()),
                        false => named.write(counted.read()),
                    }
                }
            }
            return;
        }
        let back = self.named_step.wrapping_mul(self.length as isize);
        for (j, &index) in indices.iter().enumerate() {
            // Half of the indices may be negative, so a branch would be unpredictable.
            let around = back & (index >> (i64::BITS - 1)) as isize;
            let named = named.wrapping_offset(self.named_step.wrapping_mul(index as isize));
            let named = named.wrapping_offset(around).cast::<W>();
            let counted = counted
                .wrapping_offset(self.counted_step * j as isize)
                .cast::<W>();
            // SAFETY: by the promises made for the tiles; every index was checked to be inside of
            // the axis.
            unsafe {
                match takes {
                    true => counted.write(named.read()),
                    false => named.write(counted.read()),
                }
            }
        }
    }

    /// Copies the elements that index number `j` refers to, over a run of the other axes.
    #[inline(always)]
    fn copy_run<W: Copy>(&self, takes: bool, j: usize, run: Run<2>) {
        // The index was checked by the constructor.
        let place = self.place(j).unwrap_or(0);
        let named = run.at[0].wrapping_offset(self.named_step * place as isize);
        let counted = run.at[1].wrapping_offset(self.counted_step * j as isize);
        let (from, from_step, to, to_step) = if takes {
            (named, run.steps[0], counted, run.steps[1])
        } else {
            (counted, run.steps[1], named, run.steps[0])
        };
        // SAFETY: by the promises made for the tiles: the run stays inside them, and so do both
        // positions. The elements that are written are not those that are read.
        unsafe {
            if from_step == size_of::<W>() as isize && to_step == from_step {
                from.cast::<W>()
                    .copy_to_nonoverlapping(to.cast::<W>(), run.count);
                return;
            }
            for i in 0..run.count as isize {
                let value = from.wrapping_offset(from_step * i).cast::<W>().read();
                to.wrapping_offset(to_step * i).cast::<W>().write(value);
            }
        }
    }
}
