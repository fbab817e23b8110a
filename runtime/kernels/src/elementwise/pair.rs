//! Two sums, differences or products of floats in one loop, so that the result of the first stays
//! in a register.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::marker::PhantomData;

use super::loops::{function, step};
use crate::BinaryOp;
use crate::chain::{Block, Side};
use crate::dtype::{DType, Element, Real};
use crate::nest::Run;
use crate::simd::{Vectorised, vectorised_or};

/// Returns a loop over runs of (a, b, c, out) that computes both operations, each rounded as it is
/// alone; `None` if there is no such loop.
pub(super) fn pair_block(
    first: BinaryOp,
    second: BinaryOp,
    side: Side,
    dtype: DType,
) -> Option<Block<4>> {
    match dtype {
        DType::F32 => pair_loop::<f32, 16>(first, second, side),
        DType::F64 => pair_loop::<f64, 8>(first, second, side),
        _ => None,
    }
}

/// `N` elements are a cache line.
fn pair_loop<T: Real, const N: usize>(
    first: BinaryOp,
    second: BinaryOp,
    side: Side,
) -> Option<Block<4>> {
    match first {
        BinaryOp::Add => then::<T, N>(second, side, T::plus),
        BinaryOp::Sub => then::<T, N>(second, side, T::minus),
        BinaryOp::Mul => then::<T, N>(second, side, T::times),
        _ => None,
    }
}

fn then<T: Real, const N: usize>(
    second: BinaryOp,
    side: Side,
    first: impl Fn(T, T) -> T + Copy,
) -> Option<Block<4>> {
    Some(match (second, side) {
        (BinaryOp::Add, _) => block::<T, _, N>(move |a, b, c| first(a, b).plus(c)),
        (BinaryOp::Mul, _) => block::<T, _, N>(move |a, b, c| first(a, b).times(c)),
        (BinaryOp::Sub, Side::Left) => block::<T, _, N>(move |a, b, c| first(a, b).minus(c)),
        (BinaryOp::Sub, Side::Right) => block::<T, _, N>(move |a, b, c: T| c.minus(first(a, b))),
        _ => return None,
    })
}

fn block<T: Element, F: Fn(T, T, T) -> T + Copy, const N: usize>(_: F) -> Block<4> {
    |run| {
        // Passed by reference: a copy would read in pieces of 16 bytes what was written in pieces
        // of 8, and wait for the store.
        let pair = Pair::<T, F, N> {
            run: &run,
            types: PhantomData,
        };
        // SAFETY: the block's promise.
        vectorised_or(pair, |pair| unsafe {
            each::<T, F>(pair.run.at, pair.run.steps, pair.run.count, function::<F>());
        });
    }
}

struct Pair<'a, T, F, const N: usize> {
    run: &'a Run<4>,
    types: PhantomData<fn(T) -> F>,
}

impl<T: Element, F: Fn(T, T, T) -> T + Copy, const N: usize> Vectorised for Pair<'_, T, F, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let f = function::<F>();
        let Run {
            mut at,
            steps,
            count,
        } = *self.run;
        let is_line = |k: usize| steps[k] == step::<T>() || (k < 3 && steps[k] == 0);
        let lines = if (0..4).all(is_line) { count / N } else { 0 };
        // An element that stands for all becomes a line of copies, so that one loop covers every
        // combination.
        let mut copies = [[T::ZERO; N]; 3];
        let mut from = at;
        // A mask for the distance of each input from its first line: all bits, or none for copies.
        let mut kept = [usize::MAX; 3];
        // SAFETY: the block's promise; lines are complete within `count`. A line is read before one
        // is written, so that the output may be in the place of an input.
        unsafe {
            for k in 0..3 {
                if steps[k] == 0 && lines > 0 {
                    copies[k] = [at[k].cast::<T>().read(); N];
                    from[k] = (&raw mut copies[k]).cast();
                    kept[k] = 0;
                }
            }
            // Masks would take more registers than are available, so the usual case has code
            // without them.
            if kept == [usize::MAX; 3] {
                each_line::<T, F, N>(from, [usize::MAX; 3], lines, f);
            } else {
                each_line::<T, F, N>(from, kept, lines, f);
            }
            for (at, step) in at.iter_mut().zip(steps) {
                *at = at.wrapping_offset(step * (lines * N) as isize);
            }
            each::<T, F>(at, steps, count - lines * N, f);
        }
    }
}

/// Computes `count` elements one by one.
///
/// # Safety
/// As for a block.
#[inline(always)]
unsafe fn each<T: Element, F: Fn(T, T, T) -> T>(
    mut at: [*mut u8; 4],
    steps: [isize; 4],
    count: usize,
    f: F,
) {
    for _ in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let read = |k: usize| at[k].cast::<T>().read();
            at[3].cast::<T>().write(f(read(0), read(1), read(2)));
        }
        for (at, step) in at.iter_mut().zip(steps) {
            *at = at.wrapping_offset(step);
        }
    }
}

/// Computes `lines` lines, which begin at `from`. The distance of each input from its first line is
/// masked with `kept`.
///
/// # Safety
/// The lines of inputs must be initialised, and there must be room for those of the result. A line
/// of the result may share elements only with the same line of an input.
#[inline(always)]
unsafe fn each_line<T: Element, F: Fn(T, T, T) -> T + Copy, const N: usize>(
    from: [*mut u8; 4],
    kept: [usize; 3],
    lines: usize,
    f: F,
) {
    for number in 0..lines {
        let distance = number * size_of::<[T; N]>();
        let at = |k: usize| from[k].wrapping_add(distance & kept[k]).cast::<[T; N]>();
        // SAFETY: the caller's promise. A line is read before one is written.
        unsafe {
            let (a, b, c) = (at(0).read(), at(1).read(), at(2).read());
            let mut line = [T::ZERO; N];
            for i in 0..N {
                line[i] = f(a[i], b[i], c[i]);
            }
            from[3].wrapping_add(distance).cast::<[T; N]>().write(line);
        }
    }
}
