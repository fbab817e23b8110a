//! Products of a vector and many rows of at most a block of terms, which lie dense.

#![allow(
    unsafe_code,
    reason = "reads rows through the addresses of their tile"
)]

use super::ring::Ring;
use crate::dtype::DType;
use crate::order::{LANES, join_lanes};
use crate::simd::{Vectorised, vectorised};

/// Calls `write` with each row's sum of products with `x`, in the order of [`order`](crate::order).
///
/// # Safety
/// `row` gives the first of as many elements as `x` has, for each of the rows, and `write` can be called with their numbers.
pub(super) unsafe fn each_short_row<T: Ring>(
    row: impl Fn(usize) -> *const T,
    x: &[T],
    rows: usize,
    write: impl Fn(usize, T),
) {
    vectorised(ShortRows {
        row,
        x,
        rows,
        write,
    });
}

struct ShortRows<'a, T, R, W> {
    row: R,
    x: &'a [T],
    rows: usize,
    write: W,
}

impl<T: Ring, R: Fn(usize) -> *const T, W: Fn(usize, T)> Vectorised for ShortRows<'_, T, R, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // SAFETY: the promise made for the rows. Of few terms only products of floats are worth code of their own.
        unsafe {
            match self.x.len() {
                _ if const { !matches!(T::DTYPE, DType::F32 | DType::F64) } => self.many(),
                1 => self.few::<1>(),
                2 => self.few::<2>(),
                3 => self.few::<3>(),
                4 => self.few::<4>(),
                5 => self.few::<5>(),
                6 => self.few::<6>(),
                7 => self.few::<7>(),
                _ => self.many(),
            }
        }
    }
}

impl<T: Ring, R: Fn(usize) -> *const T, W: Fn(usize, T)> ShortRows<'_, T, R, W> {
    /// Row by row: what fetches memory ahead sees one stream.
    ///
    /// # Safety
    /// As [`each_short_row`].
    #[inline(always)]
    unsafe fn many(self) {
        let terms = self.x.len();
        let (x, rest) = (self.x.as_ptr(), terms % LANES);
        let mut row = 0;
        while row < self.rows {
            let mut lanes = [T::ZERO; LANES];
            let a = (self.row)(row);
            let mut at = 0;
            // SAFETY: the caller's promise; the row and the vector have so many terms.
            unsafe {
                while at + LANES <= terms {
                    add::<T, LANES>(&mut lanes, a.add(at), x.add(at));
                    at += LANES;
                }
                let (a, x) = (a.add(at), x.add(at));
                match rest {
                    0 => {}
                    1 => add::<T, 1>(&mut lanes, a, x),
                    2 => add::<T, 2>(&mut lanes, a, x),
                    3 => add::<T, 3>(&mut lanes, a, x),
                    4 => add::<T, 4>(&mut lanes, a, x),
                    5 => add::<T, 5>(&mut lanes, a, x),
                    6 => add::<T, 6>(&mut lanes, a, x),
                    _ => add::<T, 7>(&mut lanes, a, x),
                }
            }
            (self.write)(row, join_lanes(lanes, T::sum));
            row += 1;
        }
    }

    /// Rows of `K` terms, fewer than there are lanes: each lane has one term or none.
    ///
    /// # Safety
    /// As [`each_short_row`].
    #[inline(always)]
    unsafe fn few<const K: usize>(self) {
        let mut x = [T::ZERO; K];
        x.copy_from_slice(self.x);
        let mut row = 0;
        while row < self.rows {
            // SAFETY: the caller's promise.
            let a = unsafe { (self.row)(row).cast::<[T; K]>().read() };
            let mut lanes = [T::ZERO; LANES];
            let mut lane = 0;
            while lane < K {
                lanes[lane] = T::ZERO.sum(a[lane].product(x[lane]));
                lane += 1;
            }
            (self.write)(row, join_lanes(lanes, T::sum));
            row += 1;
        }
    }
}

/// Adds a product to each of the first `K` lanes.
///
/// # Safety
/// There are `K` elements of both.
#[inline(always)]
unsafe fn add<T: Ring, const K: usize>(lanes: &mut [T; LANES], a: *const T, x: *const T) {
    // SAFETY: the caller's promise.
    let (a, x) = unsafe { (a.cast::<[T; K]>().read(), x.cast::<[T; K]>().read()) };
    let mut lane = 0;
    while lane < K {
        lanes[lane] = lanes[lane].sum(a[lane].product(x[lane]));
        lane += 1;
    }
}
