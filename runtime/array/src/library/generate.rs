//! Values that depend only on the position of an element.

use weft_core::cuda::Job;
use weft_trace::record::Arithmetic;

use crate::cuda::{Plan, Planned, planned};
use crate::dtype::{Parameter, Scalar};
use crate::kernel::random::Source;
use crate::kernel::{generate, random};
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// A distribution of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub(crate) enum Distribution {
    /// Uniform floats from 0 to 1 (exclusive).
    Uniform,
    /// Normally distributed floats with mean 0 and variance 1.
    Normal,
    /// Uniform integers from `low` to `high` (exclusive).
    Integers {
        /// The smallest number.
        low: i128,
        /// One more than the largest number.
        high: i128,
    },
}

/// A generator of values that depend only on the position of an element.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub(crate) enum Generator {
    /// `start + step * index`.
    Arange {
        /// The value at index 0.
        start: Scalar,
        /// The difference between neighbours.
        step: Scalar,
    },
    /// `number` values from `start` to `stop`.
    Linspace {
        /// The first value.
        start: Parameter,
        /// The last value, or the first one after it.
        stop: Parameter,
        /// The number of values.
        count: usize,
        /// Whether `stop` itself is the last value.
        endpoint: bool,
    },
    /// 1 on a diagonal, 0 elsewhere.
    Eye {
        /// The number of the diagonal, which is above the main one if positive.
        diagonal: isize,
    },
    /// Random numbers.
    Random {
        /// The distribution.
        distribution: Distribution,
        /// The source of random bits.
        source: Source,
    },
}

impl Generator {
    fn name(self) -> &'static str {
        match self {
            Generator::Arange { .. } => "arange",
            Generator::Linspace { .. } => "linspace",
            Generator::Eye { .. } => "eye",
            Generator::Random { .. } => "random",
        }
    }
}

/// Generates values [out].
pub(crate) fn generated(generator: Generator) -> Body {
    const OUT: &[Declared] = &[Declared::WRITE];
    Descriptor::new(generator.name(), OUT, generator).shared()
}

impl Kernels for Generator {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        match self {
            // The draw of an integer does not count; that of a float is one operation on its bits.
            Generator::Random { distribution, .. } => match distribution {
                Distribution::Uniform => of.each(1),
                Distribution::Integers { .. } => of.nothing(),
                // By the system's logarithm, sine and cosine.
                Distribution::Normal => None,
            },
            Generator::Arange { .. } if of.dtype().is_float() => of.each(2),
            Generator::Linspace { .. } => Some(Arithmetic {
                single: false,
                ..of.each(2)?
            }),
            Generator::Arange { .. } | Generator::Eye { .. } => of.nothing(),
        }
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let (whole, first) = (*task.shape(), task.first());
        let first = first.as_slice();
        let [out] = task.expect();
        match *self {
            Generator::Arange { start, step } => generate::arange(start, step, out, first),
            Generator::Linspace {
                start: Parameter(start),
                stop: Parameter(stop),
                count,
                endpoint,
            } => generate::linspace(start, stop, count, endpoint, out, first),
            Generator::Eye { diagonal } => generate::eye(diagonal, out, first[0], first[1]),
            Generator::Random {
                distribution,
                source,
            } => match distribution {
                Distribution::Uniform => random::uniform(source, out, first, whole),
                Distribution::Normal => random::normal(source, out, first, whole),
                Distribution::Integers { low, high } => {
                    random::integers(source, low, high, out, first, whole);
                }
            },
        }
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Generator {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::generated(*self, job)
    }
}

/// Leaves the contents of memory unchanged.
#[derive(Debug, Hash)]
struct Unset;

impl Kernels for Unset {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, _task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        // Memory was mapped as zeros, or used by another array. It holds values of any dtype except
        // `bool`.
        Ok(())
    }
}

/// Leaves the contents of memory unchanged [out]. Not used on GPUs and many ranks, whose copies
/// would differ.
pub(crate) fn unset() -> Body {
    const OUT: &[Declared] = &[Declared::WRITE];
    Descriptor {
        writes_nothing: true,
        ..Descriptor::new("empty", OUT, Unset)
    }
    .shared()
}

planned! { Generator }
