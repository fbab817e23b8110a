//! Folds along an axis for many outputs at a time. The axis is traversed once for a strip of
//! neighbouring outputs.

#![allow(
    unsafe_code,
    reason = "reads operands through the addresses of their tiles"
)]

use std::mem::MaybeUninit;

use super::order::{BLOCK, LANES, Pairwise, gather, join_lanes};
use super::simd::{Vectorised, vectorised_or};

/// The number of outputs in one strip.
pub(super) const STRIP: usize = 512;

/// The number of terms of a lane that are added at a time.
const ROWS: usize = 4;

/// The terms of a strip. Output `w` folds the elements `at + w * across + i * along`, in bytes, for
/// `i` below `count`.
#[derive(Clone, Copy)]
pub(super) struct Strip {
    pub(super) at: *const u8,
    pub(super) width: usize,
    pub(super) across: isize,
    pub(super) count: usize,
    pub(super) along: isize,
}

/// The steps of a strip's folds. `row(i)` is a value that all terms number `i` share.
#[derive(Clone, Copy)]
pub(super) struct Steps<A, R, S, J> {
    pub(super) start: A,
    pub(super) row: R,
    pub(super) step: S,
    pub(super) join: J,
}

/// Folds a strip in the order of [`order`](super::order), and calls `emit` with the number and the
/// result of each output.
///
/// # Safety
/// The elements of the strip must be initialised and of type `T`, and nothing may write them
/// meanwhile. Its width must be at most [`STRIP`].
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
    let block = |first, lanes: &mut Lanes<A>| {
        let block = StripBlock {
            strip,
            first,
            steps,
            lanes,
            types: std::marker::PhantomData,
        };
        vectorised_or(block, StripBlock::scalar);
    };
    block(0, &mut lanes);
    // Most axes are one block long, and the pairwise levels of a strip are large.
    if strip.count > BLOCK {
        join_blocks(
            strip.count,
            &mut lanes,
            &mut |first, lanes| block(first, lanes),
            &|a, b| {
                for (a, &b) in a.iter_mut().zip(b) {
                    *a = (steps.join)(*a, b);
                }
            },
        );
    }
    for (w, &result) in lanes[0][..strip.width].iter().enumerate() {
        emit(w, result);
    }
}

/// The running results of a strip.
type Lanes<A> = [[A; STRIP]; LANES];

/// Joins the results of all blocks in lane 0, where that of the first one is. Not inlined, so that
/// all folds of a type share it: blocks are long.
#[inline(never)]
fn join_blocks<A: Copy>(
    count: usize,
    lanes: &mut Lanes<A>,
    block: &mut dyn FnMut(usize, &mut Lanes<A>),
    join: &dyn Fn(&mut [A; STRIP], &[A; STRIP]),
) {
    let joined = |mut a: [A; STRIP], b: [A; STRIP]| {
        join(&mut a, &b);
        a
    };
    let mut total = Pairwise::<[A; STRIP]>::new();
    total.push(lanes[0], joined);
    for first in (BLOCK..count).step_by(BLOCK) {
        block(first, lanes);
        total.push(lanes[0], joined);
    }
    if let Some(total) = total.finish(joined) {
        lanes[0] = total;
    }
}

/// One block of a strip, whose result is computed in lane 0.
struct StripBlock<'a, T, A, R, S, J> {
    strip: Strip,
    first: usize,
    steps: Steps<A, R, S, J>,
    /// A slice, so that loops over the lanes are not unrolled.
    lanes: &'a mut [[A; STRIP]],
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
        let mut scratch = [const { MaybeUninit::<T>::uninit() }; STRIP];
        let row_at = |i: usize| strip.at.wrapping_offset(i as isize * strip.along);
        let end = strip.count.min(first + BLOCK);
        let mut from = first;
        // Several terms of a lane at a time, so that its results are loaded and stored less often.
        while is_dense && from + ROWS * LANES <= end {
            for (at, lane) in lanes.iter_mut().enumerate() {
                let lane = &mut lane[..width];
                let number = |row: usize| from + at + row * LANES;
                let mut rows = [&[] as &[T]; ROWS];
                let mut common = [(steps.row)(number(0)); ROWS];
                let mut row = 0;
                while row < ROWS {
                    let start = row_at(number(row)).cast::<T>();
                    // SAFETY: the promise made for the strip.
                    rows[row] = unsafe { std::slice::from_raw_parts(start, width) };
                    common[row] = (steps.row)(number(row));
                    row += 1;
                }
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
            // SAFETY: the promise made for the strip.
            let terms = unsafe {
                if is_dense {
                    std::slice::from_raw_parts(row.cast::<T>(), width)
                } else {
                    gather(row, strip.across, &mut scratch[..width])
                }
            };
            for (acc, &term) in lane.iter_mut().zip(terms) {
                *acc = (steps.step)(*acc, term, common);
            }
        }
        let mut half = lanes.len() / 2;
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

impl<T, A, C, R, S, J> StripBlock<'_, T, A, R, S, J>
where
    T: Copy,
    A: Copy,
    C: Copy,
    R: Fn(usize) -> C + Copy,
    S: Fn(A, T, C) -> A + Copy,
    J: Fn(A, A) -> A + Copy,
{
    /// Folds without vectors, term by term: small code for machines without such vector units.
    fn scalar(self) {
        let StripBlock {
            strip,
            steps,
            lanes,
            ..
        } = self;
        for lane in lanes.iter_mut() {
            lane[..strip.width].fill(steps.start);
        }
        for i in self.first..strip.count.min(self.first + BLOCK) {
            let common = (steps.row)(i);
            let mut at = strip.at.wrapping_offset(i as isize * strip.along);
            for acc in &mut lanes[i % LANES][..strip.width] {
                // SAFETY: the promise made for the strip.
                *acc = (steps.step)(*acc, unsafe { at.cast::<T>().read() }, common);
                at = at.wrapping_offset(strip.across);
            }
        }
        for w in 0..strip.width {
            let mut terms = [steps.start; LANES];
            for (term, lane) in terms.iter_mut().zip(lanes.iter()) {
                *term = lane[w];
            }
            lanes[0][w] = join_lanes(terms, steps.join);
        }
    }
}
