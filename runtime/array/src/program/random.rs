//! Counter-based random numbers. A value depends only on the seed, the call and its position in the
//! array, so a program gets the same numbers with any number of workers.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Array, DynArray};
use crate::dtype::{DType, Element, Float, Integer};
use crate::kernel::random::Source;
use crate::lower::View;
use crate::lower::generate::{Distribution, Generator as Generation};
use weft_core::error::{CallError, at_call};
use weft_core::runtime::{Runtime, current};
use weft_core::site::Site;
use weft_core::words;

/// A seeded source of random arrays.
///
/// Generators with the same seed give the same arrays for the same sequence of calls.
#[derive(Debug)]
pub struct Generator {
    seed: u64,
    /// The number of calls so far, each of which has its own stream.
    calls: AtomicU64,
}

/// Returns a generator with this seed.
pub fn seeded(seed: u64) -> Generator {
    Generator {
        seed,
        calls: AtomicU64::new(0),
    }
}

impl Generator {
    #[track_caller]
    fn make<T: Element>(&self, dims: &[usize], distribution: Distribution) -> Array<T> {
        let runtime = at_call(current());
        Array::wrap(at_call(self.generate(
            &runtime,
            T::DTYPE,
            dims,
            distribution,
        )))
    }

    #[track_caller]
    fn generate(
        &self,
        runtime: &Runtime,
        dtype: DType,
        dims: &[usize],
        distribution: Distribution,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let stream = self.calls.fetch_add(1, Ordering::Relaxed);
        let source = Source {
            seed: self.seed,
            stream,
        };
        let made = Generation::Random {
            distribution,
            source,
        };
        Ok(View::generated(runtime.core(), dtype, dims, made)?.into())
    }

    /// Returns the number of arrays that were generated.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Continues as if this number of arrays had been generated.
    pub fn set_calls(&self, calls: u64) {
        self.calls.store(calls, Ordering::Relaxed);
    }

    /// Like [`uniform`](Self::uniform), for a dtype that is known only at run time.
    ///
    /// # Errors
    /// Returns an error if the dtype is not `f16`, `f32` or `f64`, or the shape has too many
    /// dimensions or elements.
    #[track_caller]
    pub fn uniform_of(
        &self,
        runtime: &Runtime,
        dtype: DType,
        dims: &[usize],
    ) -> Result<DynArray, CallError> {
        floats("uniform", dtype)?;
        self.generate(runtime, dtype, dims, Distribution::Uniform)
    }

    /// Like [`normal`](Self::normal), for a dtype that is known only at run time.
    ///
    /// # Errors
    /// Returns an error like [`uniform_of`](Self::uniform_of).
    #[track_caller]
    pub fn normal_of(
        &self,
        runtime: &Runtime,
        dtype: DType,
        dims: &[usize],
    ) -> Result<DynArray, CallError> {
        floats("normal", dtype)?;
        self.generate(runtime, dtype, dims, Distribution::Normal)
    }

    /// Like [`integers`](Self::integers), for a dtype that is known only at run time.
    ///
    /// # Errors
    /// Returns an error if the dtype is not an integer type, the range is empty or does not fit the
    /// dtype, or the shape has too many dimensions or elements.
    #[track_caller]
    pub fn integers_of(
        &self,
        runtime: &Runtime,
        dtype: DType,
        low: i128,
        high: i128,
        dims: &[usize],
    ) -> Result<DynArray, CallError> {
        let operation = "integers";
        let Some((least, most)) = dtype.integer_range() else {
            return Err(CallError::DType { operation, dtype });
        };
        if low >= high || low < least || high - 1 > most {
            let why = format!(
                "there is no {} from {low} up to {high}",
                words::dtype(dtype)
            );
            return Err(CallError::Shape { operation, why });
        }
        self.generate(runtime, dtype, dims, Distribution::Integers { low, high })
    }

    /// Returns uniform numbers in `[0, 1)`.
    ///
    /// # Panics
    /// Panics at the caller's line if the shape has too many dimensions or elements.
    #[track_caller]
    pub fn uniform<T: Float>(&self, dims: &[usize]) -> Array<T> {
        self.make(dims, Distribution::Uniform)
    }

    /// Returns normally distributed numbers with mean 0 and variance 1.
    ///
    /// # Panics
    /// Panics at the caller's line if the shape has too many dimensions or elements.
    #[track_caller]
    pub fn normal<T: Float>(&self, dims: &[usize]) -> Array<T> {
        self.make(dims, Distribution::Normal)
    }

    /// Returns uniform integers in `[low, high)`.
    ///
    /// # Panics
    /// Panics at the caller's line if the range is empty, or the shape has too many dimensions or
    /// elements.
    #[track_caller]
    pub fn integers<T: Integer>(&self, low: T, high: T, dims: &[usize]) -> Array<T> {
        if low >= high {
            let why = format!("there is no integer from {low:?} up to {high:?}");
            at_call(Err::<(), _>(CallError::Shape {
                operation: "integers",
                why,
            }));
        }
        let bound = |value: T| match T::DTYPE {
            DType::U64 => value.to_scalar().to::<u64>() as i128,
            _ => i128::from(value.to_scalar().to::<i64>()),
        };
        self.make(
            dims,
            Distribution::Integers {
                low: bound(low),
                high: bound(high),
            },
        )
    }
}

fn floats(operation: &'static str, dtype: DType) -> Result<(), CallError> {
    match dtype.is_float() {
        true => Ok(()),
        false => Err(CallError::DType { operation, dtype }),
    }
}
