//! The innermost loops: one for each way operands lie in memory.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::mem::MaybeUninit;
use std::slice;

use crate::dtype::Element;
use crate::kernel::nest::{Nest, Run};
use crate::kernel::simd::{Vectorised, vectorised};

/// `out = f(a)` over a nest of (a, out), in vector code where possible.
pub(super) fn map1<T: Element, U: Element>(nest: &Nest<2>, f: impl Fn(T) -> U + Copy) {
    nest.for_each_run(&mut |run| {
        vectorised(Dense1 {
            run,
            f,
            types: Types::new(),
        })
    });
}

/// `out = f(a)` over a nest of (a, out), for functions that vector code gains nothing for.
pub(super) fn each1<T: Element, U: Element>(nest: &Nest<2>, f: impl Fn(T) -> U + Copy) {
    nest.for_each_run(&mut |run| strided1(run, f));
}

/// `out = f(a, b)` over a nest of (a, b, out), in vector code where possible.
pub(super) fn map2<T: Element, U: Element>(nest: &Nest<3>, f: impl Fn(T, T) -> U + Copy) {
    nest.for_each_run(&mut |run| {
        vectorised(Dense2 {
            run,
            f,
            types: Types::new(),
        })
    });
}

/// `out = f(a, b)` over a nest of (a, b, out), for functions that vector code gains nothing for.
pub(super) fn each2<T: Element, U: Element>(nest: &Nest<3>, f: impl Fn(T, T) -> U + Copy) {
    nest.for_each_run(&mut |run| strided2(run, f));
}

/// The element types of the inputs and the output.
struct Types<T, U>(std::marker::PhantomData<fn(T) -> U>);

impl<T, U> Types<T, U> {
    const IN: isize = size_of::<T>() as isize;
    const OUT: isize = size_of::<U>() as isize;

    fn new() -> Self {
        Types(std::marker::PhantomData)
    }
}

struct Dense1<T, U, F> {
    run: Run<2>,
    f: F,
    #[allow(dead_code, reason = "carries the types")]
    types: Types<T, U>,
}

impl<T: Element, U: Element, F: Fn(T) -> U + Copy> Vectorised for Dense1<T, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Dense1 { run, f, .. } = self;
        let Run {
            at: [a, out],
            steps: [a_step, out_step],
            count,
        } = run;
        if out_step != Types::<T, U>::OUT || a_step != Types::<T, U>::IN {
            strided1(run, f);
        } else if a == out {
            // SAFETY: by the promises made for the tiles; a run stays inside them. `T` and `U` are one type here.
            unsafe {
                for i in 0..count {
                    let element = a.cast::<T>().add(i);
                    element.cast::<U>().write(f(element.read()));
                }
            }
        } else {
            // SAFETY: by the promises made for the tiles, which share no element; a run stays inside them.
            let (a, out) = unsafe { (input::<T>(a, count), output::<U>(out, count)) };
            for (out, &a) in out.iter_mut().zip(a) {
                out.write(f(a));
            }
        }
    }
}

struct Dense2<T, U, F> {
    run: Run<3>,
    f: F,
    #[allow(dead_code, reason = "carries the types")]
    types: Types<T, U>,
}

impl<T: Element, U: Element, F: Fn(T, T) -> U + Copy> Vectorised for Dense2<T, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Dense2 { run, f, .. } = self;
        let Run {
            at: [a, b, out],
            steps: [a_step, b_step, out_step],
            count,
        } = run;
        let dense = Types::<T, U>::IN;
        if out_step != Types::<T, U>::OUT {
            return strided2(run, f);
        }
        // SAFETY: by the promises made for the tiles; a run stays inside them. Slices are made only of operands that
        // are not the output, and where an input is the output, `T` and `U` are one type.
        unsafe {
            match (a_step, b_step) {
                (step, 0) if step == dense => {
                    let b = b.cast::<T>().read();
                    if a == out {
                        for i in 0..count {
                            let element = a.cast::<T>().add(i);
                            element.cast::<U>().write(f(element.read(), b));
                        }
                    } else {
                        let (a, out) = (input::<T>(a, count), output::<U>(out, count));
                        for (out, &a) in out.iter_mut().zip(a) {
                            out.write(f(a, b));
                        }
                    }
                }
                (0, step) if step == dense && b != out => {
                    let a = a.cast::<T>().read();
                    let (b, out) = (input::<T>(b, count), output::<U>(out, count));
                    for (out, &b) in out.iter_mut().zip(b) {
                        out.write(f(a, b));
                    }
                }
                (first, second) if first == dense && second == dense && b != out => {
                    let b = input::<T>(b, count);
                    if a == out {
                        for (i, &b) in b.iter().enumerate() {
                            let element = a.cast::<T>().add(i);
                            element.cast::<U>().write(f(element.read(), b));
                        }
                    } else {
                        let (a, out) = (input::<T>(a, count), output::<U>(out, count));
                        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                            out.write(f(a, b));
                        }
                    }
                }
                _ => strided2(run, f),
            }
        }
    }
}

#[inline(always)]
fn strided1<T: Element, U: Element>(run: Run<2>, f: impl Fn(T) -> U) {
    let Run {
        at: [mut a, mut out],
        steps: [a_step, out_step],
        count,
    } = run;
    for _ in 0..count {
        // SAFETY: by the promises made for the tiles; a run stays inside them.
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
        // SAFETY: by the promises made for the tiles; a run stays inside them.
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
unsafe fn input<'a, T>(at: *mut u8, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(at.cast::<T>(), count) }
}

/// A dense run of an output.
///
/// # Safety
/// There is room for `count` elements, which nothing else reads or writes while the slice is used.
#[inline(always)]
unsafe fn output<'a, U>(at: *mut u8, count: usize) -> &'a mut [MaybeUninit<U>] {
    // SAFETY: the caller's promise; uninitialised memory is allowed by the type.
    unsafe { slice::from_raw_parts_mut(at.cast::<MaybeUninit<U>>(), count) }
}
