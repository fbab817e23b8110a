//! Values made from the position of an element alone.

use super::arithmetic;
use weft_core::cuda::Job;
use weft_trace::record::Arithmetic;

use crate::cuda::{Plan, Planned, planned};
use crate::dtype::{Parameter, Scalar};
use crate::kernel::random::Source;
use crate::kernel::{generate, random};
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// How random numbers are spread.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub(crate) enum Distribution {
    /// From 0 up to, not including, 1.
    Uniform,
    /// Around 0 with variance 1.
    Normal,
    /// Integers from `low` up to, not including, `high`.
    Integers {
        /// The smallest.
        low: i128,
        /// One more than the largest.
        high: i128,
    },
}

/// Values made from the position of an element alone.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub(crate) enum Generator {
    /// `start + step * index`.
    Arange {
        /// Value at index 0.
        start: Scalar,
        /// Difference between neighbours.
        step: Scalar,
    },
    /// `number` values from `start` to `stop`.
    Linspace {
        /// First value.
        start: Parameter,
        /// Last value, or the first one not reached.
        stop: Parameter,
        /// How many values.
        count: usize,
        /// Whether `stop` itself is the last value.
        endpoint: bool,
    },
    /// 1 on a diagonal, 0 elsewhere.
    Eye {
        /// Which diagonal: above the main one where positive.
        diagonal: isize,
    },
    /// Random numbers.
    Random {
        /// How they are spread.
        distribution: Distribution,
        /// Where they come from.
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

/// Makes values [out].
pub(crate) fn generated(generator: Generator) -> Body {
    const OUT: &[Declared] = &[Declared::WRITE];
    Descriptor::new(generator.name(), OUT, generator).shared()
}

impl Kernels for Generator {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::generated(*self, of)
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

/// Leaves whatever the memory holds.
#[derive(Debug, Hash)]
struct Unset;

impl Kernels for Unset {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, _task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        // Memory is mapped as zeros, or was an array's before: it holds values, of any dtype but `bool`.
        Ok(())
    }
}

/// Whatever the memory holds [out]. On GPUs and many ranks, whose copies would differ, nothing is made by it.
pub(crate) fn unset() -> Body {
    const OUT: &[Declared] = &[Declared::WRITE];
    Descriptor {
        writes_nothing: true,
        ..Descriptor::new("empty", OUT, Unset)
    }
    .shared()
}

planned! { Generator }
