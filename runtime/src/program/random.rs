//! Counter-based random numbers: a value depends only on the seed, the call and its position in the array, so a
//! program gets the same numbers with any number of workers.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Array, DynArray};
use crate::dtype::{DType, Element, Float, Integer};
use crate::error::{CallError, at_call};
use crate::kernel::random::Source;
use crate::operation::{Distribution, Generator as Made};
use crate::runtime::current;
use crate::site::Site;

/// A seeded source of random arrays.
///
/// Generators with the same seed give the same arrays for the same sequence of calls.
#[derive(Debug)]
pub struct Generator {
    seed: u64,
    /// Calls so far: each has a stream of its own.
    calls: AtomicU64,
}

/// A generator with this seed.
pub fn seeded(seed: u64) -> Generator {
    Generator {
        seed,
        calls: AtomicU64::new(0),
    }
}

impl Generator {
    #[track_caller]
    fn make<T: Element>(&self, dims: &[usize], distribution: Distribution) -> Array<T> {
        let stream = self.calls.fetch_add(1, Ordering::Relaxed);
        let runtime = at_call(current());
        let source = Source {
            seed: self.seed,
            stream,
        };
        let made = Made::Random {
            distribution,
            source,
        };
        let call = Site::caller();
        let array = DynArray::generated(runtime.core(), T::DTYPE, dims, made, call);
        Array::wrap(at_call(array))
    }

    /// Uniform numbers in `[0, 1)`.
    ///
    /// # Panics
    /// At the caller's line if the shape has too many dimensions or elements.
    #[track_caller]
    pub fn uniform<T: Float>(&self, dims: &[usize]) -> Array<T> {
        self.make(dims, Distribution::Uniform)
    }

    /// Normally distributed numbers with mean 0 and variance 1.
    ///
    /// # Panics
    /// At the caller's line if the shape has too many dimensions or elements.
    #[track_caller]
    pub fn normal<T: Float>(&self, dims: &[usize]) -> Array<T> {
        self.make(dims, Distribution::Normal)
    }

    /// Integers in `[low, high)`.
    ///
    /// # Panics
    /// At the caller's line if there is no such integer, or the shape has too many dimensions or elements.
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
