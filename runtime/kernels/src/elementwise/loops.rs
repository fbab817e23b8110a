//! The innermost loops, one for each memory layout of operands.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

use crate::Tile;
use crate::chain::{Block, copy_block};
use crate::dtype::{CastFrom, DType, Element};
use crate::nest::Run;
use crate::simd::{Vectorised, try_vectorised, vectorised_or};

/// Evaluates an expression with `W` as the name of a plain type of the size of the dtype's
/// elements.
macro_rules! with_word {
    ($dtype:expr, $W:ident => $body:expr) => {
        match $dtype.size() {
            1 => {
                type $W = u8;
                $body
            }
            2 => {
                type $W = u16;
                $body
            }
            4 => {
                type $W = u32;
                $body
            }
            8 => {
                type $W = u64;
                $body
            }
            _ => {
                type $W = [u64; 2];
                $body
            }
        }
    };
}

pub(crate) use with_word;

/// Runs a block, which must be for the dtypes of the tiles, over every run of the tiles.
pub(super) fn over<const N: usize>(tiles: [&Tile; N], block: Block<N>) {
    // SAFETY: the block is for the dtypes of the tiles, whose promises hold.
    unsafe { weft_elements::over(tiles, block) };
}

/// Returns the loop `out = f(a)` over a run of (a, out), in vector code if operands are dense.
pub(super) fn map1<T: Element, U: Element, F: Fn(T) -> U + Copy>(_: F) -> Block<2> {
    |run| {
        let body = Dense1::<T, U, F> {
            run,
            types: PhantomData,
        };
        if run.steps != [step::<T>(), step::<U>()] || try_vectorised(body).is_err() {
            strided1(run, function::<F>());
        }
    }
}

/// Returns the loop that writes a small constant for every input.
pub(super) fn constant<T: Element + CastFrom<u8>, const VALUE: u8>() -> Block<2> {
    |run| {
        let value = T::cast_from(VALUE);
        let Run {
            at: [_, out],
            steps: [_, step],
            count,
        } = run;
        for i in 0..count as isize {
            // SAFETY: the block's promise.
            unsafe { out.wrapping_offset(step * i).cast::<T>().write(value) };
        }
    }
}

/// Returns the loop `out = f(a)` over a run of (a, out), for functions that take so long that
/// copying strided operands costs little. All loops are vector code.
pub(super) fn long1<T: Element, U: Element, F: Fn(T) -> U + Copy>(_: F) -> Block<2> {
    |run| through_strips(run, [T::DTYPE, U::DTYPE], apart::<T, U, F>)
}

/// Returns the loop `out = f(a)` over a run of (a, out), for functions without a benefit from
/// vector code.
pub(super) fn each1<T: Element, U: Element, F: Fn(T) -> U + Copy>(_: F) -> Block<2> {
    |run| strided1(run, function::<F>())
}

/// Returns the loop `out = f(a, b)` over a run of (a, b, out), in vector code if operands are dense
/// or a single element.
pub(super) fn map2<T: Element, U: Element, F: Fn(T, T) -> U + Copy>(_: F) -> Block<3> {
    run2::<T, U, F>
}

/// Returns the loop `out = f(b, a)` over a run of (a, b, out), by the loops of [`map2`].
pub(super) fn map2_swapped<T: Element, U: Element, F: Fn(T, T) -> U + Copy>(_: F) -> Block<3> {
    |run| {
        let Run {
            at: [a, b, out],
            steps: [a_step, b_step, out_step],
            count,
        } = run;
        run2::<T, U, F>(Run {
            at: [b, a, out],
            steps: [b_step, a_step, out_step],
            count,
        });
    }
}

// Not inlined: two blocks share it if one swaps its operands.
#[inline(never)]
fn run2<T: Element, U: Element, F: Fn(T, T) -> U + Copy>(run: Run<3>) {
    let [a_step, b_step, out_step] = run.steps;
    let dense = step::<T>();
    let is_dense = match (a_step, b_step) {
        (a, b) if a == dense => b == dense || b == 0,
        (a, b) => a == 0 && b == dense,
    };
    let is_dense = is_dense && out_step == step::<U>();
    if is_dense
        && run.at[1] == run.at[2]
        && a_step == dense
        && b_step == dense
        && run.at[0] != run.at[2]
    {
        return over_second(run, T::DTYPE, run2::<T, U, F>);
    }
    let body = Dense2::<T, U, F> {
        run,
        types: PhantomData,
    };
    if !is_dense || try_vectorised(body).is_err() {
        strided2(run, function::<F>());
    }
}

/// Returns the loop `out = f(a, b)` over a run of (a, b, out), for functions without a benefit from
/// vector code.
pub(super) fn each2<T: Element, U: Element, F: Fn(T, T) -> U + Copy>(_: F) -> Block<3> {
    |run| strided2(run, function::<F>())
}

/// The number of bytes of an operand that are copied at a time, which stay in the L1 cache.
pub(super) const STRIP: usize = 4096;

/// Memory for a strip, aligned for every element.
pub(super) type Strip = MaybeUninit<[u64; STRIP / 8]>;

/// Runs a block of (a, b, out), whose output is in the place of `b`, on copies of strips of `b`.
fn over_second(run: Run<3>, dtype: DType, block: Block<3>) {
    let mut strip = Strip::uninit();
    let strip: *mut u8 = strip.as_mut_ptr().cast();
    let length = STRIP / dtype.size();
    for first in (0..run.count).step_by(length) {
        let count = length.min(run.count - first);
        let mut at = [0, 1, 2].map(|k| run.at[k].wrapping_offset(run.steps[k] * first as isize));
        // SAFETY: the strip has room for `count` elements, which are initialised in `b`; the rest
        // is the block's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(at[1], strip, count * dtype.size());
            at[1] = strip;
            block(Run { at, count, ..run });
        }
    }
}

/// Runs a loop over dense, disjoint operands; other operands are copied strip by strip.
pub(super) fn through_strips(
    run: Run<2>,
    dtypes: [DType; 2],
    dense: unsafe fn(a: *const u8, out: *mut u8, count: usize),
) {
    let [a_size, out_size] = dtypes.map(|dtype| dtype.size() as isize);
    let copies_out = run.steps[1] != out_size;
    let copies_in = run.steps[0] != a_size || (run.at[0] == run.at[1] && !copies_out);
    if !copies_in && !copies_out {
        // SAFETY: the block's promise.
        return unsafe { dense(run.at[0], run.at[1], run.count) };
    }
    let mut strips = [Strip::uninit(); 2];
    let [a_strip, out_strip] = strips.each_mut().map(|strip| strip.as_mut_ptr().cast());
    let [copy_in, copy_out] = dtypes.map(copy_block);
    let length = STRIP / a_size.max(out_size) as usize;
    for first in (0..run.count).step_by(length) {
        let count = length.min(run.count - first);
        let at = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * first as isize));
        let from = if copies_in { a_strip } else { at[0] };
        let to = if copies_out { out_strip } else { at[1] };
        // SAFETY: the strips have room for `count` elements, and are written before they are read;
        // the rest is the block's promise.
        unsafe {
            if copies_in {
                copy_in(Run {
                    at: [at[0], from],
                    steps: [run.steps[0], a_size],
                    count,
                });
            }
            dense(from, to, count);
            if copies_out {
                copy_out(Run {
                    at: [to, at[1]],
                    steps: [out_size, run.steps[1]],
                    count,
                });
            }
        }
    }
}

/// Implements the loop of [`long1`].
///
/// # Safety
/// There must be `count` elements at `a`, and room for as many results at `out`, which share no
/// byte with them.
unsafe fn apart<T: Element, U: Element, F: Fn(T) -> U + Copy>(
    a: *const u8,
    out: *mut u8,
    count: usize,
) {
    // SAFETY: the caller's promise.
    let (a, out) = unsafe { (input::<T>(a, count), output::<U>(out, count)) };
    vectorised_or(
        Contiguous {
            a,
            out,
            f: function::<F>(),
        },
        |Contiguous { a, out, f }| {
            for (out, &a) in out.iter_mut().zip(a) {
                out.write(f(a));
            }
        },
    );
}

struct Contiguous<'a, T, U, F> {
    a: &'a [T],
    out: &'a mut [MaybeUninit<U>],
    f: F,
}

impl<T: Element, U: Element, F: Fn(T) -> U + Copy> Vectorised for Contiguous<'_, T, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (out, &a) in self.out.iter_mut().zip(self.a) {
            out.write((self.f)(a));
        }
    }
}

/// Returns the only value of the type of a function, or of a closure without captures. Callers got
/// one by value, and its type determines it.
#[inline(always)]
pub(super) fn function<F: Copy>() -> F {
    const {
        assert!(size_of::<F>() == 0, "a block's function captures nothing");
    }
    // SAFETY: the type has no bytes to read, and it has a value, from which the block was created.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

struct Dense1<T, U, F> {
    run: Run<2>,
    types: PhantomData<fn(T, F) -> U>,
}

impl<T: Element, U: Element, F: Fn(T) -> U + Copy> Vectorised for Dense1<T, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Run {
            at: [a, out],
            count,
            ..
        } = self.run;
        // SAFETY: the block's promise; the caller has checked the steps.
        unsafe { dense1(a, out, count, function::<F>()) };
    }
}

struct Dense2<T, U, F> {
    run: Run<3>,
    types: PhantomData<fn(T, F) -> U>,
}

impl<T: Element, U: Element, F: Fn(T, T) -> U + Copy> Vectorised for Dense2<T, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let f = function::<F>();
        let Run {
            at: [a, b, out],
            steps: [a_step, b_step, _],
            count,
        } = self.run;
        // SAFETY: the block's promise; the caller has checked the steps. Slices are created only of
        // operands that are not the output, and if an input is the output, `T` and `U` have the
        // same size.
        unsafe {
            if b_step == 0 {
                let b = b.cast::<T>().read();
                dense1(a, out, count, |a| f(a, b));
            } else if a_step == 0 {
                let a = a.cast::<T>().read();
                dense1(b, out, count, |b| f(a, b));
            } else if a == out {
                for i in 0..count {
                    let (element, b) = (a.cast::<T>().add(i), b.cast::<T>().add(i).read());
                    element.cast::<U>().write(f(element.read(), b));
                }
            } else {
                let (a, b) = (input::<T>(a, count), input::<T>(b, count));
                for ((out, &a), &b) in output::<U>(out, count).iter_mut().zip(a).zip(b) {
                    out.write(f(a, b));
                }
            }
        }
    }
}

/// Computes `out = f(a)` over a dense run.
///
/// # Safety
/// As for a block.
#[inline(always)]
unsafe fn dense1<T, U>(a: *mut u8, out: *mut u8, count: usize, f: impl Fn(T) -> U)
where
    T: Element,
    U: Element,
{
    // SAFETY: the caller's promise. Slices are created only of operands that share no element. If
    // both are the same memory, `T` and `U` have the same size.
    unsafe {
        if a == out {
            for i in 0..count {
                let element = a.cast::<T>().add(i);
                element.cast::<U>().write(f(element.read()));
            }
        } else {
            for (out, &a) in output::<U>(out, count).iter_mut().zip(input::<T>(a, count)) {
                out.write(f(a));
            }
        }
    }
}

/// Returns the step of contiguous elements in bytes.
#[inline(always)]
pub(super) const fn step<T>() -> isize {
    size_of::<T>() as isize
}

#[inline(always)]
fn strided1<T: Element, U: Element>(run: Run<2>, f: impl Fn(T) -> U) {
    let Run {
        at: [mut a, mut out],
        steps: [a_step, out_step],
        count,
    } = run;
    for _ in 0..count {
        // SAFETY: the block's promise.
        unsafe { out.cast::<U>().write(f(a.cast::<T>().read())) };
        a = a.wrapping_offset(a_step);
        out = out.wrapping_offset(out_step);
    }
}

#[inline(always)]
fn strided2<T: Element, U: Element>(run: Run<3>, f: impl Fn(T, T) -> U) {
    let Run {
        at: [mut a, mut b, mut out],
        steps: [a_step, b_step, out_step],
        count,
    } = run;
    for _ in 0..count {
        // SAFETY: the block's promise.
        unsafe {
            out.cast::<U>()
                .write(f(a.cast::<T>().read(), b.cast::<T>().read()))
        };
        a = a.wrapping_offset(a_step);
        b = b.wrapping_offset(b_step);
        out = out.wrapping_offset(out_step);
    }
}

/// Returns a dense run of an input.
///
/// # Safety
/// There must be `count` initialised elements, which nothing writes while the slice is used.
#[inline(always)]
pub(super) unsafe fn input<'a, T>(at: *const u8, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(at.cast::<T>(), count) }
}

/// Returns a dense run of an output.
///
/// # Safety
/// There must be room for `count` elements, which nothing else reads or writes while the slice is
/// used.
#[inline(always)]
pub(super) unsafe fn output<'a, U>(at: *mut u8, count: usize) -> &'a mut [MaybeUninit<U>] {
    // SAFETY: the caller's promise; uninitialised memory is allowed by the type.
    unsafe { slice::from_raw_parts_mut(at.cast::<MaybeUninit<U>>(), count) }
}
