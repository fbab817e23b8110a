//! Membership in a set of integers, by a table of those between the smallest and the largest.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::Tile;
use super::nest::{Nest, Run};
use crate::dtype::{CastFrom, DType, with_integer};

/// A table of marks.
#[derive(Debug)]
pub struct Members {
    dtype: DType,
    /// The smallest number of the set, as its lowest 64 bits.
    least: i64,
    /// Whether each number from the smallest to the largest is in the set.
    marks: Vec<bool>,
}

impl Members {
    /// Returns the table of integers; `None` without any, for another type, or if the smallest and
    /// the largest are `most` or more apart.
    pub fn of(set: &Tile, most: usize) -> Option<Members> {
        let mut members = Members {
            dtype: set.dtype(),
            least: 0,
            marks: Vec::new(),
        };
        with_integer!(set.dtype(), T => {
            let mut ends: Option<(T, T)> = None;
            let mut widen = |value: T| {
                let (low, high) = ends.unwrap_or((value, value));
                ends = Some((low.min(value), high.max(value)));
            };
            Nest::new([set]).for_each_run(&mut |run: Run<1>| {
                for i in 0..run.count as isize {
                    let from = run.at[0].wrapping_offset(run.steps[0] * i);
                    // SAFETY: by the promises made for the tile; a run stays inside it.
                    widen(unsafe { from.cast::<T>().read() });
                }
            });
            let (low, high) = ends?;
            members.least = i64::cast_from(low);
            let span = members.place(i64::cast_from(high));
            members.marks = vec![false; usize::try_from(span).ok().filter(|span| *span < most)? + 1];
            Nest::new([set]).for_each_run(&mut |run: Run<1>| {
                for i in 0..run.count as isize {
                    let from = run.at[0].wrapping_offset(run.steps[0] * i);
                    // SAFETY: as above.
                    let place = members.place(i64::cast_from(unsafe { from.cast::<T>().read() }));
                    members.marks[place as usize] = true;
                }
            });
        }, else return None);
        Some(members)
    }

    /// Writes whether each of `numbers` is in the set to `out` (`bool`).
    ///
    /// # Panics
    /// Panics if the shapes or types do not fit.
    pub fn mark(&self, numbers: &Tile, out: &mut Tile) {
        assert_eq!(numbers.dtype(), self.dtype, "one type");
        assert_eq!(out.dtype(), DType::Bool, "marks are bool");
        let marks = &self.marks[..];
        with_integer!(numbers.dtype(), T => {
            let least = self.least as T;
            Nest::new([numbers, out]).for_each_run(&mut |run: Run<2>| {
                for i in 0..run.count as isize {
                    let [from, to] = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * i));
                    // SAFETY: by the promises made for the tiles; a run stays inside them.
                    unsafe {
                        let number = from.cast::<T>().read();
                        let place = self.place(i64::cast_from(number)) as usize;
                        // The place of a smaller number is wrong if the difference overflows.
                        let is_in = number >= least && marks.get(place).copied().unwrap_or(false);
                        to.cast::<bool>().write(is_in);
                    }
                }
            });
        }, else unreachable!("a table of integers"));
    }

    /// Returns the place of a number that is not below the smallest.
    #[inline(always)]
    fn place(&self, number: i64) -> u64 {
        number.wrapping_sub(self.least) as u64
    }
}
