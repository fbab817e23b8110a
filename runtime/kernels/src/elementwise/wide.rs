//! Loops over the functions of [`math`](crate::math), computed in `f64` and rounded to the
//! elements' type.
//!
//! The functions are methods of types instead of closures. A long closure would stay a separate
//! function, compiled without the instruction set of the loop that calls it.

#![allow(
    unsafe_code,
    reason = "reads and writes runs of elements by address, as the other loops do"
)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::loops::{STRIP, Strip, input, output, step, through_strips};
use crate::chain::{Block, copy_block};
use crate::dtype::Element;
use crate::math::{self, Narrow};
use crate::nest::Run;
use crate::simd::{Vectorised, vectorised};

/// A function of one number.
pub(super) trait Function {
    /// Returns the value at `x`.
    fn of(x: f64) -> f64;
}

/// A function of two numbers.
pub(super) trait Function2 {
    /// Returns the value at `x` and `y`.
    fn of(x: f64, y: f64) -> f64;
}

macro_rules! functions {
    ($($name:ident = $function:ident,)*) => {
        $(
            pub(super) struct $name;
            impl Function for $name {
                #[inline(always)]
                fn of(x: f64) -> f64 {
                    math::$function(x)
                }
            }
        )*
    };
}

functions! {
    Asin = asin,
    Acos = acos,
    Atan = atan,
    Sinh = sinh,
    Cosh = cosh,
    Asinh = asinh,
    Acosh = acosh,
    Atanh = atanh,
    Cbrt = cbrt,
}

/// The angle of a real number.
pub(super) struct Angle;

impl Function for Angle {
    #[inline(always)]
    fn of(x: f64) -> f64 {
        math::atan2(0.0, x)
    }
}

pub(super) struct Atan2;

impl Function2 for Atan2 {
    #[inline(always)]
    fn of(y: f64, x: f64) -> f64 {
        math::atan2(y, x)
    }
}

pub(super) struct Pow;

impl Function2 for Pow {
    #[inline(always)]
    fn of(x: f64, y: f64) -> f64 {
        let power = math::pow(x, y);
        // A square has one rounding, as on its own.
        if y == 2.0 { x * x } else { power }
    }
}

/// Returns the loop `out = f(a)` over a run of (a, out).
pub(super) fn wide1<T: Element + Narrow, F: Function>() -> Block<2> {
    |run| through_strips(run, [T::DTYPE, T::DTYPE], dense1::<T, F>)
}

/// # Safety
/// There must be `count` elements at `a`, and room for as many results at `out`, which share no
/// byte with them.
unsafe fn dense1<T: Element + Narrow, F: Function>(a: *const u8, out: *mut u8, count: usize) {
    // SAFETY: the caller's promise.
    let (a, out) = unsafe { (input::<T>(a, count), output::<T>(out, count)) };
    vectorised(Apart::<T, F> {
        a,
        out,
        function: PhantomData,
    });
}

struct Apart<'a, T, F> {
    a: &'a [T],
    out: &'a mut [MaybeUninit<T>],
    function: PhantomData<F>,
}

impl<T: Element + Narrow, F: Function> Vectorised for Apart<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (out, a) in self.out.iter_mut().zip(self.a) {
            out.write(T::narrow(F::of(a.widen())));
        }
    }
}

/// An operand of two: contiguous elements, or one element for all.
enum Side<'a, T> {
    Many(&'a [T]),
    One(T),
}

struct Pairs<'a, T, F> {
    a: Side<'a, T>,
    b: Side<'a, T>,
    out: &'a mut [MaybeUninit<T>],
    function: PhantomData<F>,
}

impl<T: Element + Narrow, F: Function2> Vectorised for Pairs<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match (self.a, self.b) {
            (Side::Many(a), Side::Many(b)) => {
                for ((out, a), b) in self.out.iter_mut().zip(a).zip(b) {
                    out.write(T::narrow(F::of(a.widen(), b.widen())));
                }
            }
            (Side::Many(a), Side::One(b)) => {
                let b = b.widen();
                for (out, a) in self.out.iter_mut().zip(a) {
                    out.write(T::narrow(F::of(a.widen(), b)));
                }
            }
            (Side::One(a), Side::Many(b)) => {
                let a = a.widen();
                for (out, b) in self.out.iter_mut().zip(b) {
                    out.write(T::narrow(F::of(a, b.widen())));
                }
            }
            (Side::One(a), Side::One(b)) => {
                self.out
                    .fill(MaybeUninit::new(T::narrow(F::of(a.widen(), b.widen()))));
            }
        }
    }
}

/// Returns the loop `out = f(a, b)` over a run of (a, b, out). Strided operands, and those that the
/// output replaces, are copied strip by strip.
pub(super) fn wide2<T: Element + Narrow, F: Function2>() -> Block<3> {
    |run| pairs::<T, F>(run)
}

fn pairs<T: Element + Narrow, F: Function2>(all: Run<3>) {
    let dense = step::<T>();
    let is_copied = |k: usize| {
        let is_replaced = all.at[k] == all.at[2] && all.steps[k] == dense;
        all.steps[k] != 0 && (all.steps[k] != dense || is_replaced)
    };
    let copies = [is_copied(0), is_copied(1), all.steps[2] != dense];
    let mut strips = [Strip::uninit(); 3];
    let strips: [*mut u8; 3] = strips.each_mut().map(|strip| strip.as_mut_ptr().cast());
    let copy = copy_block(T::DTYPE);
    let length = match copies {
        [false, false, false] => all.count.max(1),
        _ => STRIP / T::DTYPE.size(),
    };
    for first in (0..all.count).step_by(length) {
        let count = length.min(all.count - first);
        let at = [0, 1, 2].map(|k| all.at[k].wrapping_offset(all.steps[k] * first as isize));
        // SAFETY: the strips have room for `count` elements, and are written before they are read;
        // the rest is the block's promise. No slice of an input is one of the output, since such
        // inputs are copied.
        unsafe {
            for k in [0, 1] {
                if copies[k] {
                    copy(Run {
                        at: [at[k], strips[k]],
                        steps: [all.steps[k], dense],
                        count,
                    });
                }
            }
            let side = |k: usize| match (copies[k], all.steps[k]) {
                (true, _) => Side::Many(input::<T>(strips[k], count)),
                (false, 0) => Side::One(at[k].cast::<T>().read()),
                (false, _) => Side::Many(input::<T>(at[k], count)),
            };
            let to = if copies[2] { strips[2] } else { at[2] };
            vectorised(Pairs::<T, F> {
                a: side(0),
                b: side(1),
                out: output::<T>(to, count),
                function: PhantomData,
            });
            if copies[2] {
                copy(Run {
                    at: [to, at[2]],
                    steps: [dense, all.steps[2]],
                    count,
                });
            }
        }
    }
}
