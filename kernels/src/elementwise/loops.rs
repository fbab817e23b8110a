//! The innermost loops: one for each way operands lie in memory.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::slice;

use crate::Tile;
use crate::dtype::Element;
use crate::nest::{Nest, Run};
use crate::simd::{Vectorised, vectorised};

/// A loop over one run of `N` operands whose function and dtypes are settled: the inputs first, then the output.
///
/// # Safety
/// To call it: the run's inputs hold elements of the dtypes that the block was asked for, the output has room for the
/// result's, and the output either shares no element with an input, or is exactly where an input of the same size lies.
pub(crate) type Block<const N: usize> = unsafe fn(Run<N>);

/// Evaluates an expression with `W` standing for a plain type of the size of the dtype's elements.
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

/// Runs a block over every run of the tiles that it was asked for.
pub(super) fn over<const N: usize>(tiles: [&Tile; N], block: Block<N>) {
    // Small operations are mostly of dense vectors, and a nest of loops takes longer to build than those to add.
    if let Some(run) = dense(tiles) {
        // SAFETY: by the promises made for the tiles; the run is all of them.
        return unsafe { block(run) };
    }
    // SAFETY: by the promises made for the tiles; a run stays inside them.
    Nest::new(tiles).for_each_run(&mut |run| unsafe { block(run) });
}

/// Vectors of one length whose elements are neighbours, as one run.
fn dense<const N: usize>(tiles: [&Tile; N]) -> Option<Run<N>> {
    let [count] = *tiles[N - 1].dims() else {
        return None;
    };
    let is_dense = |tile: &&Tile| tile.dims() == [count] && tile.layout().strides[0] == 1;
    if count == 0 || !tiles.iter().all(is_dense) {
        return None;
    }
    Some(Run {
        at: tiles.map(Tile::first),
        steps: tiles.map(|tile| tile.dtype().size() as isize),
        count,
    })
}

/// `out = f(a)` over a run of (a, out), in vector code where possible.
pub(super) fn map1<T: Element, U: Element, F: Fn(T) -> U + Copy>(_: F) -> Block<2> {
    |run| {
        vectorised(Dense1::<T, U, F> {
            run,
            types: PhantomData,
        })
    }
}

/// `out = f(a)` over a run of (a, out), for functions that vector code gains nothing for.
pub(super) fn each1<T: Element, U: Element, F: Fn(T) -> U + Copy>(_: F) -> Block<2> {
    |run| strided1(run, function::<F>())
}

/// As [`map1`], with another function where an element is one of those that `is_rare` says.
pub(super) fn map1_unless<T, U, F, R, S>(_: F, _: R, _: S) -> Block<2>
where
    T: Element,
    U: Element,
    F: Fn(T) -> U + Copy,
    R: Fn(T) -> bool + Copy,
    S: Fn(T) -> U + Copy,
{
    |run| {
        vectorised(Unless::<T, U, F, R, S> {
            run,
            types: PhantomData,
        })
    }
}

/// `out = f(a, b)` over a run of (a, b, out), in vector code where possible.
pub(super) fn map2<T: Element, U: Element, F: Fn(T, T) -> U + Copy>(_: F) -> Block<3> {
    |run| {
        vectorised(Dense2::<T, U, F> {
            run,
            types: PhantomData,
        })
    }
}

/// `out = f(a, b)` over a run of (a, b, out), for functions that vector code gains nothing for.
pub(super) fn each2<T: Element, U: Element, F: Fn(T, T) -> U + Copy>(_: F) -> Block<3> {
    |run| strided2(run, function::<F>())
}

/// The only value of the type of a function or of a closure that captures nothing. Callers were given one by value, and
/// its type is all there is to it.
#[inline(always)]
fn function<F: Copy>() -> F {
    const {
        assert!(size_of::<F>() == 0, "a block's function captures nothing");
    }
    // SAFETY: the type has no bytes to read, and it has values: every block is made from one.
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
        let f = function::<F>();
        let Run {
            at: [a, out],
            steps: [a_step, out_step],
            count,
        } = self.run;
        if out_step != step::<U>() || a_step != step::<T>() {
            strided1(self.run, f);
        } else {
            // SAFETY: the block's promise.
            unsafe { dense1(a, out, count, f) };
        }
    }
}

struct Unless<T, U, F, R, S> {
    run: Run<2>,
    types: PhantomData<(T, U, F, R, S)>,
}

/// Elements that are looked at together for rare ones.
const CHUNK: usize = 64;

impl<T, U, F, R, S> Vectorised for Unless<T, U, F, R, S>
where
    T: Element,
    U: Element,
    F: Fn(T) -> U + Copy,
    R: Fn(T) -> bool + Copy,
    S: Fn(T) -> U + Copy,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (f, is_rare, slow) = (function::<F>(), function::<R>(), function::<S>());
        let Run {
            at: [a, out],
            steps: [a_step, out_step],
            count,
        } = self.run;
        if out_step != step::<U>() || a_step != step::<T>() {
            return strided1(self.run, |x: T| if is_rare(x) { slow(x) } else { f(x) });
        }
        let mut inputs = [T::ZERO; CHUNK];
        for first in (0..count).step_by(CHUNK) {
            let inputs = &mut inputs[..CHUNK.min(count - first)];
            // The output may be written over the input. SAFETY: the block's promise.
            let out = unsafe {
                inputs.copy_from_slice(input(a.cast::<T>().add(first).cast(), inputs.len()));
                output::<U>(out.cast::<U>().add(first).cast(), inputs.len())
            };
            let mut some = false;
            for (out, &mut x) in out.iter_mut().zip(&mut *inputs) {
                some |= is_rare(x);
                out.write(f(x));
            }
            if some {
                for (out, &mut x) in out.iter_mut().zip(inputs) {
                    if is_rare(x) {
                        out.write(slow(x));
                    }
                }
            }
        }
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
            steps: [a_step, b_step, out_step],
            count,
        } = self.run;
        let dense = step::<T>();
        if out_step != step::<U>() {
            return strided2(self.run, f);
        }
        // SAFETY: the block's promise. Slices are made only of operands that are not the output, and where an input is
        // the output, `T` and `U` have one size.
        unsafe {
            match (a_step, b_step) {
                (step, 0) if step == dense => {
                    let b = b.cast::<T>().read();
                    dense1(a, out, count, |a| f(a, b));
                }
                (0, step) if step == dense => {
                    let a = a.cast::<T>().read();
                    dense1(b, out, count, |b| f(a, b));
                }
                (first, second) if first == dense && second == dense => {
                    if a == b {
                        return dense1(a, out, count, |x: T| f(x, x));
                    }
                    if a == out {
                        for (i, &b) in input::<T>(b, count).iter().enumerate() {
                            let element = a.cast::<T>().add(i);
                            element.cast::<U>().write(f(element.read(), b));
                        }
                    } else if b == out {
                        for (i, &a) in input::<T>(a, count).iter().enumerate() {
                            let element = b.cast::<T>().add(i);
                            element.cast::<U>().write(f(a, element.read()));
                        }
                    } else {
                        let (a, b) = (input::<T>(a, count), input::<T>(b, count));
                        for ((out, &a), &b) in output::<U>(out, count).iter_mut().zip(a).zip(b) {
                            out.write(f(a, b));
                        }
                    }
                }
                _ => strided2(self.run, f),
            }
        }
    }
}

/// `out = f(a)` over a dense run.
///
/// # Safety
/// As for a block.
#[inline(always)]
unsafe fn dense1<T, U>(a: *mut u8, out: *mut u8, count: usize, f: impl Fn(T) -> U)
where
    T: Element,
    U: Element,
{
    // SAFETY: the caller's promise. Slices are made only of operands that share no element; where both are one place,
    // `T` and `U` have one size.
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

/// The distance of neighbours, in bytes.
#[inline(always)]
const fn step<T>() -> isize {
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

/// A dense run of an input.
///
/// # Safety
/// `count` initialised elements lie there, and nothing writes them while the slice is used.
#[inline(always)]
pub(super) unsafe fn input<'a, T>(at: *mut u8, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(at.cast::<T>(), count) }
}

/// A dense run of an output.
///
/// # Safety
/// There is room for `count` elements, which nothing else reads or writes while the slice is used.
#[inline(always)]
pub(super) unsafe fn output<'a, U>(at: *mut u8, count: usize) -> &'a mut [MaybeUninit<U>] {
    // SAFETY: the caller's promise; uninitialised memory is allowed by the type.
    unsafe { slice::from_raw_parts_mut(at.cast::<MaybeUninit<U>>(), count) }
}
