//! Products of a vector and many rows, of at most a block of terms.

#![allow(unsafe_code, reason = "reads rows through the addresses of their tile")]

use super::fetch::{LINE, fetch};
use super::ring::Ring;
use crate::dtype::DType;
use crate::order::{LANES, join_lanes};
use crate::simd::{Vectorised, vectorised};

/// The number of rows between a read and its prefetch, if rows are not adjacent.
const AHEAD: usize = 8;

/// Calls `write` with each row's sum of products with `x`, in the order of [`order`](crate::order).
///
/// # Safety
/// For each row, `row` must return the address of the first of as many elements as `x` has, `step`
/// elements apart. It must be allowed to call `write` with the rows' numbers. For other numbers
/// `row` may return any address.
pub(super) unsafe fn each_short_row<T: Ring>(
    row: impl Fn(usize) -> *const T,
    step: isize,
    x: &[T],
    rows: usize,
    write: impl Fn(usize, T),
) {
    vectorised(ShortRows {
        row,
        step,
        x,
        rows,
        write,
    });
}

struct ShortRows<'a, T, R, W> {
    row: R,
    step: isize,
    x: &'a [T],
    rows: usize,
    write: W,
}

impl<T: Ring, R: Fn(usize) -> *const T, W: Fn(usize, T)> Vectorised for ShortRows<'_, T, R, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // SAFETY: the promise made for the rows. With few terms only products of floats are worth
        // code of their own.
        unsafe {
            match self.x.len() {
                _ if self.step != 1 => self.many::<false>(),
                _ if const { !matches!(T::DTYPE, DType::F32 | DType::F64) } => self.many::<true>(),
                1 => self.few::<1>(),
                2 => self.few::<2>(),
                3 => self.few::<3>(),
                4 => self.few::<4>(),
                5 => self.few::<5>(),
                6 => self.few::<6>(),
                7 => self.few::<7>(),
                _ => self.many::<true>(),
            }
        }
    }
}

impl<T: Ring, R: Fn(usize) -> *const T, W: Fn(usize, T)> ShortRows<'_, T, R, W> {
    /// Multiplies row by row. The prefetcher sees one stream.
    ///
    /// # Safety
    /// As for [`each_short_row`]. The elements of a row must be contiguous if `DENSE`.
    #[inline(always)]
    unsafe fn many<const DENSE: bool>(self) {
        let terms = self.x.len();
        let step = if DENSE { 1 } else { self.step };
        let bytes = size_of_val(self.x) * step.unsigned_abs();
        let apart = (self.row)(1).addr().abs_diff((self.row)(0).addr());
        // If elements are far apart, the memory between them would be prefetched too.
        let is_near = step > 0 && step as usize * size_of::<T>() <= LINE;
        let is_apart = apart > bytes && is_near;
        let (x, rest) = (self.x.as_ptr(), terms % LANES);
        let mut row = 0;
        while row < self.rows {
            let mut lanes = [T::ZERO; LANES];
            let a = (self.row)(row);
            if is_apart {
                fetch((self.row)(row + AHEAD).cast(), bytes);
            }
            let mut at = 0;
            // SAFETY: the caller's promise; the row and the vector have `terms` elements.
            unsafe {
                while at + LANES <= terms {
                    add::<T, LANES>(&mut lanes, a.offset(at as isize * step), step, x.add(at));
                    at += LANES;
                }
                let (a, x) = (a.wrapping_offset(at as isize * step), x.add(at));
                match rest {
                    0 => {}
                    1 => add::<T, 1>(&mut lanes, a, step, x),
                    2 => add::<T, 2>(&mut lanes, a, step, x),
                    3 => add::<T, 3>(&mut lanes, a, step, x),
                    4 => add::<T, 4>(&mut lanes, a, step, x),
                    5 => add::<T, 5>(&mut lanes, a, step, x),
                    6 => add::<T, 6>(&mut lanes, a, step, x),
                    _ => add::<T, 7>(&mut lanes, a, step, x),
                }
            }
            (self.write)(row, join_lanes(lanes, T::sum));
            row += 1;
        }
    }

    /// Multiplies rows of `K` terms, fewer than there are lanes. Each lane has at most one term.
    ///
    /// # Safety
    /// See [`each_short_row`].
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
/// There must be `K` elements of both. Those of `a` must be `step` apart.
#[inline(always)]
unsafe fn add<T: Ring, const K: usize>(
    lanes: &mut [T; LANES],
    from: *const T,
    step: isize,
    x: *const T,
) {
    // SAFETY: the caller's promise.
    let x = unsafe { x.cast::<[T; K]>().read() };
    let mut a = [T::ZERO; K];
    let mut lane = 0;
    // SAFETY: the caller's promise.
    unsafe {
        if step == 1 {
            a = from.cast::<[T; K]>().read();
        } else {
            while lane < K {
                a[lane] = from.offset(lane as isize * step).read();
                lane += 1;
            }
        }
    }
    lane = 0;
    while lane < K {
        lanes[lane] = lanes[lane].sum(a[lane].product(x[lane]));
        lane += 1;
    }
}
