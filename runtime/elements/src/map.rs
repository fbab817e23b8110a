//! Rust functions of elements as functions of chains.

#![allow(unsafe_code, reason = "reads and writes elements by their addresses")]

use std::fmt;
use std::hash::Hasher;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::Handle;
use crate::chain::{Body, Function, StepKind, Wide, WideRun};
use crate::dtype::{DType, Element};
use crate::simd::{Vectorised, vectorised_or};

/// The number of elements computed at a time if an operand is not dense. Those of all operands stay
/// in the L1 cache.
const STRIP: usize = 256;

/// The number of bytes of an operand computed at a time if all operands are dense: two cache lines.
/// A loop that requests more at once keeps the processor from predicting the next reads in time.
const PAIR_BYTES: usize = 128;

/// A Rust function of up to six elements, each of its own type. `Args` is the tuple of these types.
pub trait MapFunction<Args>: Copy + Send + Sync + 'static {
    /// The type of the results.
    type Output: Element;
    /// The types of the inputs.
    const INPUTS: &'static [DType];

    /// Computes the results of a run.
    ///
    /// # Safety
    /// As for a [`Wide`] whose operands have these types.
    unsafe fn over(self, run: WideRun<'_>);
}

/// Memory for a strip, aligned so that vectors do not straddle cache lines.
#[repr(align(64))]
struct Strip<T>([MaybeUninit<T>; STRIP]);

impl<T> Strip<T> {
    const EMPTY: Strip<T> = Strip([const { MaybeUninit::uninit() }; STRIP]);
}

/// An input of a strip, read in place if it is dense, otherwise copied.
struct Lane<T> {
    at: *const u8,
    step: isize,
    copy: Strip<T>,
    /// The number of copies of a single value at the start of `copy`.
    same: usize,
}

impl<T: Element> Lane<T> {
    fn new(at: *mut u8, step: isize) -> Lane<T> {
        Lane {
            at,
            step,
            copy: Strip::EMPTY,
            same: 0,
        }
    }

    /// Returns the elements starting at `first` as contiguous memory.
    ///
    /// # Safety
    /// There must be `count` elements, at most [`STRIP`] if they are not contiguous.
    #[inline(always)]
    unsafe fn dense(&mut self, first: usize, count: usize) -> *const T {
        if self.step == size_of::<T>() as isize {
            return self.at.cast::<T>().wrapping_add(first);
        }
        if self.step == 0 {
            let (known, count) = (self.same.min(count), count);
            // SAFETY: the caller's promise.
            let value = unsafe { self.at.cast::<T>().read() };
            // A fill with a known type instead of a loop with steps: the compiler makes it stores
            // of whole vectors.
            self.copy.0[known..count].fill(MaybeUninit::new(value));
            self.same = self.same.max(count);
            return self.copy.0.as_ptr().cast();
        }
        for (at, copy) in self.copy.0[..count].iter_mut().enumerate() {
            let from = self.at.wrapping_offset(self.step * (first + at) as isize);
            // SAFETY: the caller's promise.
            *copy = MaybeUninit::new(unsafe { from.cast::<T>().read() });
        }
        self.copy.0.as_ptr().cast()
    }
}

/// The number that is not that of any input.
const NONE: usize = usize::MAX;

/// The elements of an input in a strip.
#[derive(Clone, Copy)]
struct Values<T: Copy> {
    at: *const T,
    /// The first element, in a register. If the input is one element for all, this is it.
    first: T,
}

impl<T: Element> Lane<T> {
    /// Returns the elements starting at `first`, at least one, of input number `NUMBER`. Input
    /// number `SAME` is one element for all.
    ///
    /// # Safety
    /// See [`dense`](Self::dense).
    #[inline(always)]
    unsafe fn values<const SAME: usize, const NUMBER: usize>(
        &mut self,
        first: usize,
        count: usize,
    ) -> Values<T> {
        // SAFETY: the caller's promise; an element that is for all exists.
        unsafe {
            let at = match SAME == NUMBER {
                true => self.at.cast(),
                false => self.dense(first, count),
            };
            let first = at.read();
            Values { at, first }
        }
    }
}

impl<T: Element> Values<T> {
    /// Returns the element at index `at`.
    ///
    /// # Safety
    /// The element must exist, and `SAME` and `NUMBER` must be those that the values were created
    /// with.
    #[inline(always)]
    unsafe fn at<const SAME: usize, const NUMBER: usize>(self, at: usize) -> T {
        match SAME == NUMBER {
            true => self.first,
            // SAFETY: the caller's promise.
            false => unsafe { self.at.add(at).read() },
        }
    }
}

macro_rules! functions {
    ($($count:literal: $($T:ident $at:ident $index:tt),*;)*) => {
        $(impl<F, R, $($T),*> MapFunction<($($T,)*)> for F
        where
            F: Fn($($T),*) -> R + Copy + Send + Sync + 'static,
            R: Element,
            $($T: Element),*
        {
            type Output = R;
            const INPUTS: &'static [DType] = &[$($T::DTYPE),*];

            unsafe fn over(self, run: WideRun<'_>) {
                struct Strips<'a, F, R, $($T),*> {
                    function: F,
                    run: WideRun<'a>,
                    types: PhantomData<fn($($T),*) -> R>,
                }
                impl<F, R, $($T),*> Strips<'_, F, R, $($T),*>
                where
                    F: Fn($($T),*) -> R,
                    R: Element,
                    $($T: Element),*
                {
                    /// Computes all results. Input number `SAME`, if any, is one element for all,
                    /// and stays in a register.
                    #[inline(always)]
                    fn each<const SAME: usize>(self) {
                        let Strips { function, run, .. } = self;
                        let (out, step) = (run.at[$count], run.steps[$count]);
                        let is_direct = step == size_of::<R>() as isize;
                        let widest = size_of::<R>()$(.max(size_of::<$T>()))*;
                        let pair = PAIR_BYTES / widest;
                        let is_dense = is_direct
                            $(&& (SAME == $index || run.steps[$index] == size_of::<$T>() as isize))*;
                        let strip = if is_dense { pair } else { STRIP };
                        $(let mut $at = Lane::<$T>::new(run.at[$index], run.steps[$index]);)*
                        let mut results = Strip::<R>::EMPTY;
                        for first in (0..run.count).step_by(strip) {
                            let count = strip.min(run.count - first);
                            let to = match is_direct {
                                true => out.cast::<R>().wrapping_add(first),
                                false => results.0.as_mut_ptr().cast::<R>(),
                            };
                            // SAFETY: the run has `count` elements starting at `first`, and a strip
                            // has room for them.
                            $(let $at = unsafe { $at.values::<SAME, $index>(first, count) };)*
                            for at in 0..count {
                                // SAFETY: index `at` is below `count`. If the output is exactly an
                                // input, an element is written after it was read.
                                unsafe {
                                    let value = function($($at.at::<SAME, $index>(at)),*);
                                    to.add(at).write(value);
                                }
                            }
                            if is_direct {
                                continue;
                            }
                            for (at, value) in results.0[..count].iter().enumerate() {
                                let place = out.wrapping_offset(step * (first + at) as isize);
                                // SAFETY: the run has the element, and the value was just written.
                                unsafe { place.cast::<R>().write(value.assume_init()) };
                            }
                        }
                    }
                }
                impl<F, R, $($T),*> Vectorised for Strips<'_, F, R, $($T),*>
                where
                    F: Fn($($T),*) -> R,
                    R: Element,
                    $($T: Element),*
                {
                    type Output = ();

                    #[inline(always)]
                    fn run(self) {
                        let inputs = &self.run.steps[..$count];
                        match inputs.iter().position(|&step| step == 0) {
                            $(Some($index) => self.each::<$index>(),)*
                            _ => self.each::<NONE>(),
                        }
                    }
                }
                let strips = Strips {
                    function: self,
                    run,
                    types: PhantomData::<fn($($T),*) -> R>,
                };
                vectorised_or(strips, |strips| strips.each::<NONE>());
            }
        })*
    };
}

functions! {
    1: A a 0;
    2: A a 0, B b 1;
    3: A a 0, B b 1, C c 2;
    4: A a 0, B b 1, C c 2, D d 3;
    5: A a 0, B b 1, C c 2, D d 3, E e 4;
    6: A a 0, B b 1, C c 2, D d 3, E e 4, G g 5;
}

/// A Rust function of elements, for chains.
pub struct Map<F, Args> {
    name: &'static str,
    body: Handle<dyn Wide>,
    /// The expression in CUDA C, if any: the definitions that it needs, and the name of its
    /// function.
    cuda: Option<(String, String)>,
    types: PhantomData<fn() -> (F, Args)>,
}

/// The loop of a function.
struct Run<F, Args>(F, PhantomData<fn() -> Args>);

impl<F: MapFunction<Args>, Args: 'static> Wide for Run<F, Args> {
    unsafe fn run(&self, run: WideRun<'_>) {
        // SAFETY: the caller's promise, for the dtypes of the function.
        unsafe { self.0.over(run) }
    }
}

impl<F: MapFunction<Args>, Args: 'static> Map<F, Args> {
    /// Creates a function with a name that no other has.
    pub fn new(name: &'static str, function: F) -> Map<F, Args> {
        let run: Arc<dyn Wide> = Arc::new(Run(function, PhantomData));
        Map {
            name,
            body: Handle::shared(run),
            cuda: None,
            types: PhantomData,
        }
    }

    /// Adds CUDA C for GPUs: definitions with a `__device__` function named `function`.
    #[must_use]
    pub fn with_cuda(self, definitions: String, function: String) -> Map<F, Args> {
        Map {
            cuda: Some((definitions, function)),
            ..self
        }
    }

    /// Returns the function for steps of chains.
    pub fn step(self) -> StepKind {
        let function: Arc<dyn Function> = Arc::new(self);
        Handle::shared(function)
    }
}

impl<F, Args> fmt::Debug for Map<F, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

// SAFETY: the loop reads elements of the types of the function's parameters, and writes those of
// its result.
unsafe impl<F: MapFunction<Args>, Args: 'static> Function for Map<F, Args> {
    fn name(&self) -> &str {
        self.name
    }

    fn inputs(&self) -> usize {
        F::INPUTS.len()
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        (inputs == F::INPUTS).then_some(F::Output::DTYPE)
    }

    fn body(&self, inputs: &[DType]) -> Option<Body> {
        (inputs == F::INPUTS).then(|| Body::Wide(self.body.clone()))
    }

    fn cuda(&self, arguments: &[String], _inputs: &[DType]) -> Option<String> {
        let (_, function) = self.cuda.as_ref()?;
        Some(format!("{function}({})", arguments.join(", ")))
    }

    fn cuda_definitions(&self) -> Option<&str> {
        Some(&self.cuda.as_ref()?.0)
    }

    fn has_cuda(&self) -> bool {
        self.cuda.is_some()
    }

    fn cuda_author(&self) -> Option<&str> {
        self.cuda.as_ref().map(|_| self.name)
    }

    fn gpu_name(&self) -> &str {
        match &self.cuda {
            Some((_, function)) => function,
            None => self.name,
        }
    }

    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write(self.name.as_bytes());
        if let Some((definitions, _)) = &self.cuda {
            state.write(definitions.as_bytes());
        }
    }
}
