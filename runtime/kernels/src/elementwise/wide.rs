//! Loops over functions of many instructions. Most are those of [`math`](crate::math), computed in
//! `f64` and rounded to the elements' type.
//!
//! The functions are methods of types instead of closures: see [`wide!`]. A long closure would stay
//! a separate function, compiled without the instruction set of the loop that calls it.

#![allow(
    unsafe_code,
    reason = "reads and writes runs of elements by address, as the other loops do"
)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::loops::{STRIP, Strip, input, output, step, through_strips};
use crate::chain::{Block, copy_block};
use crate::dtype::Element;
use crate::nest::Run;
use crate::simd::{Vectorised, vectorised};

/// A function of one element.
pub(super) trait Function<T> {
    /// The type of the result.
    type Out: Element;

    /// Whether [`apply`](Self::apply) leaves elements to [`rare`](Self::rare).
    const HAS_RARE: bool = false;

    /// Whether `rare` becomes vector code: then many rare elements do not take much longer.
    const IS_RARE_WIDE: bool = false;

    /// Returns the value at `x`.
    fn apply(x: T) -> Self::Out;

    /// Returns whether `apply` is wrong at `x`.
    #[inline(always)]
    fn is_rare(_: T) -> bool {
        false
    }

    /// Returns the value where `apply` is wrong.
    #[inline]
    fn rare(x: T) -> Self::Out {
        Self::apply(x)
    }
}

/// A function of two elements.
pub(super) trait Function2<T> {
    /// Whether [`apply`](Self::apply) leaves elements to [`rare`](Self::rare).
    const HAS_RARE: bool = false;

    /// Whether `rare` becomes vector code: then many rare elements do not take much longer.
    const IS_RARE_WIDE: bool = false;

    /// Returns the value at `x` and `y`.
    fn apply(x: T, y: T) -> T;

    /// Returns whether `apply` is wrong at `x` and `y`.
    #[inline(always)]
    fn is_rare(_: T, _: T) -> bool {
        false
    }

    /// Returns the value where `apply` is wrong.
    #[inline]
    fn rare(x: T, y: T) -> T {
        Self::apply(x, y)
    }
}

/// Creates the loop of a function that is written like a closure. Behind `unless` it says where
/// the function is wrong, and computes those elements: `each` alone, or `all` in vector code.
macro_rules! wide {
    (|$x:ident: $T:ident| -> $Out:ty $body:block) => {{
        struct Written;
        impl $crate::elementwise::wide::Function<$T> for Written {
            type Out = $Out;

            #[inline(always)]
            fn apply($x: $T) -> $Out $body
        }
        $crate::elementwise::wide::wide1::<$T, Written>()
    }};
    (|$x:ident: $T:ident| -> $Out:ty $body:block, unless $is_rare:expr => $kind:ident $rare:block) => {{
        struct Written;
        impl $crate::elementwise::wide::Function<$T> for Written {
            type Out = $Out;
            const HAS_RARE: bool = true;
            const IS_RARE_WIDE: bool = $crate::elementwise::wide::wide!(@ $kind);

            #[inline(always)]
            fn apply($x: $T) -> $Out $body
            #[inline(always)]
            fn is_rare($x: $T) -> bool {
                $is_rare
            }
            #[inline(always)]
            fn rare($x: $T) -> $Out $rare
        }
        $crate::elementwise::wide::wide1::<$T, Written>()
    }};
    (|$x:ident: $T:ident, $y:ident: $U:ident| $body:block, unless $is_rare:expr => $kind:ident $rare:block) => {{
        struct Written;
        impl $crate::elementwise::wide::Function2<$T> for Written {
            const HAS_RARE: bool = true;
            const IS_RARE_WIDE: bool = $crate::elementwise::wide::wide!(@ $kind);

            #[inline(always)]
            fn apply($x: $T, $y: $U) -> $T $body
            #[inline(always)]
            fn is_rare($x: $T, $y: $U) -> bool {
                $is_rare
            }
            #[inline(always)]
            fn rare($x: $T, $y: $U) -> $T $rare
        }
        $crate::elementwise::wide::wide2::<$T, Written>()
    }};
    (@ each) => { false };
    (@ all) => { true };
    (|$x:ident: $T:ident, $y:ident: $U:ident| $body:expr) => {{
        struct Written;
        impl $crate::elementwise::wide::Function2<$T> for Written {
            #[inline(always)]
            fn apply($x: $T, $y: $U) -> $T {
                $body
            }
        }
        $crate::elementwise::wide::wide2::<$T, Written>()
    }};
}

pub(super) use wide;

/// Returns the loop `out = f(a)` over a run of (a, out).
pub(super) fn wide1<T: Element, F: Function<T>>() -> Block<2> {
    |run| through_strips(run, [T::DTYPE, F::Out::DTYPE], dense1::<T, F>)
}

/// # Safety
/// There must be `count` elements at `a`, and room for as many results at `out`, which share no
/// byte with them.
unsafe fn dense1<T: Element, F: Function<T>>(a: *const u8, out: *mut u8, count: usize) {
    // SAFETY: the caller's promise.
    let (a, out) = unsafe { (input::<T>(a, count), output::<F::Out>(out, count)) };
    vectorised(Contiguous::<T, F> { a, out });
}

struct Contiguous<'a, T, F: Function<T>> {
    a: &'a [T],
    out: &'a mut [MaybeUninit<F::Out>],
}

impl<T: Element, F: Function<T>> Vectorised for Contiguous<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if !F::HAS_RARE {
            for (out, &a) in self.out.iter_mut().zip(self.a) {
                out.write(F::apply(a));
            }
            return;
        }
        for (out, a) in self.out.chunks_mut(CHUNK).zip(self.a.chunks(CHUNK)) {
            let mut some = false;
            for (out, &a) in out.iter_mut().zip(a) {
                some |= F::is_rare(a);
                out.write(F::apply(a));
            }
            if some && F::IS_RARE_WIDE {
                for (out, &a) in out.iter_mut().zip(a) {
                    let (usual, rare) = (F::apply(a), F::rare(a));
                    out.write(if F::is_rare(a) { rare } else { usual });
                }
            } else if some {
                for (out, &a) in out.iter_mut().zip(a) {
                    if F::is_rare(a) {
                        out.write(F::rare(a));
                    }
                }
            }
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

/// The number of elements that are checked together for rare ones.
const CHUNK: usize = 256;

impl<T: Element, F: Function2<T>> Vectorised for Pairs<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let length = if F::HAS_RARE {
            CHUNK
        } else {
            self.out.len().max(1)
        };
        let out = self.out.chunks_mut(length);
        match (self.a, self.b) {
            (Side::Many(a), Side::Many(b)) => {
                for ((out, a), b) in out.zip(a.chunks(length)).zip(b.chunks(length)) {
                    chunk::<T, F>(a.iter().copied().zip(b.iter().copied()), out);
                }
            }
            (Side::Many(a), Side::One(b)) => {
                for (out, a) in out.zip(a.chunks(length)) {
                    chunk::<T, F>(a.iter().map(|&a| (a, b)), out);
                }
            }
            (Side::One(a), Side::Many(b)) => {
                for (out, b) in out.zip(b.chunks(length)) {
                    chunk::<T, F>(b.iter().map(|&b| (a, b)), out);
                }
            }
            (Side::One(a), Side::One(b)) => {
                let is_rare = F::HAS_RARE && F::is_rare(a, b);
                let value = if is_rare {
                    F::rare(a, b)
                } else {
                    F::apply(a, b)
                };
                self.out.fill(MaybeUninit::new(value));
            }
        }
    }
}

/// Computes the function of all pairs in vector code, then of the rare pairs again.
#[inline(always)]
fn chunk<T: Copy, F: Function2<T>>(
    pairs: impl Iterator<Item = (T, T)> + Clone,
    out: &mut [MaybeUninit<T>],
) {
    let mut some = false;
    for (out, (a, b)) in out.iter_mut().zip(pairs.clone()) {
        some |= F::HAS_RARE && F::is_rare(a, b);
        out.write(F::apply(a, b));
    }
    if some && F::IS_RARE_WIDE {
        for (out, (a, b)) in out.iter_mut().zip(pairs) {
            let (usual, rare) = (F::apply(a, b), F::rare(a, b));
            out.write(if F::is_rare(a, b) { rare } else { usual });
        }
    } else if some {
        for (out, (a, b)) in out.iter_mut().zip(pairs) {
            if F::is_rare(a, b) {
                out.write(F::rare(a, b));
            }
        }
    }
}

/// Returns the loop `out = f(a, b)` over a run of (a, b, out). Strided operands, and those that the
/// output replaces, are copied strip by strip.
pub(super) fn wide2<T: Element, F: Function2<T>>() -> Block<3> {
    |run| pairs::<T, F>(run)
}

fn pairs<T: Element, F: Function2<T>>(all: Run<3>) {
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
