//! Folds along an axis for many outputs at a time: the axis is walked once for a strip of neighbouring outputs.

#![allow(
    unsafe_code,
    reason = "reads operands through the addresses of their tiles"
)]

use super::order::{BLOCK, LANES, Pairwise};
use super::simd::{Vectorised, vectorised};

/// The number of outputs in one strip.
pub(super) const STRIP: usize = 512;

/// Terms of a lane that are added at a time.
const ROWS: usize = 4;

/// The terms of a strip: output `w` folds the elements `at + w * across + i * along`, in bytes, for `i` up to `count`.
#[derive(Clone, Copy)]
pub(super) struct Strip {
    pub(super) at: *const u8,
    pub(super) width: usize,
    pub(super) across: isize,
    pub(super) count: usize,
    pub(super) along: isize,
}

/// How the terms of a strip are folded; `row(i)` is what all terms number `i` have in common.
#[derive(Clone, Copy)]
pub(super) struct Steps<A, R, S, J> {
    pub(super) start: A,
    pub(super) row: R,
    pub(super) step: S,
    pub(super) join: J,
}

/// The folds of a strip, in the order of [`order`](super::order), given to `emit` with the number of the output.
///
/// # Safety
/// The elements of the strip are initialised, of type `T`, and nothing writes them meanwhile; its width is at most
/// [`STRIP`].
pub(super) unsafe fn fold_strip<T, A, C, R, S, J>(
    strip: Strip,
    steps: Steps<A, R, S, J>,
    mut emit: impl FnMut(usize, A),
) where
    T: Copy,
    A: Copy,
    C: Copy,
    R: Fn(usize) -> C + Copy,
    S: Fn(A, T, C) -> A + Copy,
    J: Fn(A, A) -> A + Copy,
{
    let mut lanes = [[steps.start; STRIP]; LANES];
    let mut first = 0;
    // Most axes are one block long, and the pairwise levels of a strip are large.
    if strip.count <= BLOCK {
        vectorised(StripBlock {
            strip,
            first,
            steps,
            lanes: &mut lanes,
            types: std::marker::PhantomData,
        });
        (0..strip.width).for_each(|w| emit(w, lanes[0][w]));
        return;
    }
    let mut total = Pairwise::<[A; STRIP]>::new();
    let join = |mut a: [A; STRIP], b: [A; STRIP]| {
        for (a, b) in a.iter_mut().zip(b) {
            *a = (steps.join)(*a, b);
        }
        a
    };
    while first < strip.count {
        vectorised(StripBlock {
            strip,
            first,
            steps,
            lanes: &mut lanes,
            types: std::marker::PhantomData,
        });
        total.push(lanes[0], join);
        first += BLOCK;
    }
    if let Some(total) = total.finish(join) {
        (0..strip.width).for_each(|w| emit(w, total[w]));
    }
}

/// One block of a strip; leaves the result in lane 0.
struct StripBlock<'a, T, A, R, S, J> {
    strip: Strip,
    first: usize,
    steps: Steps<A, R, S, J>,
    lanes: &'a mut [[A; STRIP]; LANES],
    types: std::marker::PhantomData<T>,
}

impl<T, A, C, R, S, J> Vectorised for StripBlock<'_, T, A, R, S, J>
where
    T: Copy,
    A: Copy,
    C: Copy,
    R: Fn(usize) -> C + Copy,
    S: Fn(A, T, C) -> A + Copy,
    J: Fn(A, A) -> A + Copy,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let StripBlock {
            strip,
            first,
            steps,
            lanes,
            ..
        } = self;
        let width = strip.width;
        for lane in lanes.iter_mut() {
            lane[..width].fill(steps.start);
        }
        let is_dense = strip.across == size_of::<T>() as isize;
        let row_at = |i: usize| strip.at.wrapping_offset(i as isize * strip.along);
        let end = strip.count.min(first + BLOCK);
        let mut from = first;
        // Several terms of a lane at a time, so that its results are loaded and stored less often.
        while is_dense && from + ROWS * LANES <= end {
            for (at, lane) in lanes.iter_mut().enumerate() {
                let lane = &mut lane[..width];
                let i: [usize; ROWS] = std::array::from_fn(|row| from + at + row * LANES);
                // SAFETY: the promise made for the strip.
                let rows =
                    i.map(|i| unsafe { std::slice::from_raw_parts(row_at(i).cast::<T>(), width) });
                let common = i.map(steps.row);
                let mut w = 0;
                while w < width {
                    let mut acc = lane[w];
                    let mut row = 0;
                    while row < ROWS {
                        acc = (steps.step)(acc, rows[row][w], common[row]);
                        row += 1;
                    }
                    lane[w] = acc;
                    w += 1;
                }
            }
            from += ROWS * LANES;
        }
        for i in from..end {
            let row = row_at(i);
            let common = (steps.row)(i);
            let lane = &mut lanes[i % LANES][..width];
            if is_dense {
                // SAFETY: the promise made for the strip.
                let terms = unsafe { std::slice::from_raw_parts(row.cast::<T>(), width) };
                for (acc, &term) in lane.iter_mut().zip(terms) {
                    *acc = (steps.step)(*acc, term, common);
                }
            } else {
                for (w, acc) in lane.iter_mut().enumerate() {
                    let term = row.wrapping_offset(w as isize * strip.across).cast::<T>();
                    // SAFETY: the promise made for the strip.
                    *acc = (steps.step)(*acc, unsafe { term.read() }, common);
                }
            }
        }
        let mut half = LANES / 2;
        while half > 0 {
            let (low, high) = lanes.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(high) {
                for (a, &b) in low[..width].iter_mut().zip(&high[..width]) {
                    *a = (steps.join)(*a, b);
                }
            }
            half /= 2;
        }
    }
}
