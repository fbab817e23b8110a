//! Counts of numbers, histograms, and row-major numbers of indices.

use super::arithmetic;
use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use super::outside;
use crate::cuda::{Plan, Planned, planned};
use crate::kernel::{count, histogram};
use weft_core::cuda::Job;
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// Adds an axis to row-major numbers.
#[derive(Debug, Hash)]
struct Ravel {
    length: usize,
}

/// Adds an axis of this length to row-major numbers [numbers so far, indices, out].
pub(crate) fn ravel(length: usize) -> Body {
    const OPERANDS: &[Declared] = &[Declared::READ, Declared::READ, Declared::WRITE];
    Descriptor::new("ravel_multi_index", OPERANDS, Ravel { length }).shared()
}

impl Kernels for Ravel {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [so_far, indices, out] = task.expect();
        count::ravel(self.length, so_far, indices, out).map_err(outside)
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Ravel {
    const FINDS_FAULTS: bool = true;

    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::ravel(self.length, job)
    }
}

/// Counts numbers.
#[derive(Debug, Hash)]
struct Count {
    has_weights: bool,
}

fn counted(whole: bool, has_weights: bool) -> Body {
    let mut operands = vec![Declared::READ; if has_weights { 2 } else { 1 }];
    operands.push(Declared::write(Projection::of_tiles(false)));
    Descriptor::new("bincount", operands, Count { has_weights })
        .tiled(match whole {
            true => Tiling::Whole,
            false => Tiling::Shape { work: 1 },
        })
        .shared()
}

/// Counts each number, in a row for each tile; `whole` is whether there is only one tile [numbers,
/// out].
pub(crate) fn count(whole: bool) -> Body {
    counted(whole, false)
}

/// Sums up the weights of each number, in a row for each tile [numbers, weights, out].
pub(crate) fn count_weights(whole: bool) -> Body {
    counted(whole, true)
}

impl Kernels for Count {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        match self.has_weights {
            true => arithmetic::weighted(of),
            false => of.nothing(),
        }
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        if self.has_weights {
            let [numbers, weights, out] = task.expect();
            count::count(numbers, Some(weights), out).map_err(outside)
        } else {
            let [numbers, out] = task.expect();
            count::count(numbers, None, out).map_err(outside)
        }
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Count {
    const FINDS_FAULTS: bool = true;

    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        match self.has_weights {
            true => Plan::count_weights(job),
            false => Plan::count(job),
        }
    }
}

/// Counts values between edges.
#[derive(Debug, Hash)]
struct Histogram {
    has_weights: bool,
}

/// Counts the values between edges, in a row for each tile; `whole` is whether there is only one
/// tile [edges, values, (weights,) out].
pub(crate) fn histogram(whole: bool, has_weights: bool) -> Body {
    let mut operands = vec![Declared::read(Projection::Whole).led(), Declared::READ];
    operands.extend(has_weights.then_some(Declared::READ));
    operands.push(Declared::write(Projection::of_tiles(false)));
    Descriptor::new("histogram", operands, Histogram { has_weights })
        .tiled(match whole {
            true => Tiling::Whole,
            false => Tiling::Shape { work: 1 },
        })
        .shared()
}

impl Kernels for Histogram {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        match self.has_weights {
            true => arithmetic::weighted(of),
            false => of.nothing(),
        }
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        if self.has_weights {
            let [edges, values, weights, out] = task.expect();
            histogram::histogram(edges, values, Some(weights), out);
        } else {
            let [edges, values, out] = task.expect();
            histogram::histogram(edges, values, None, out);
        }
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        // Weights of a bin are added up in row-major order: by number, after a search.
        if self.has_weights { None } else { Some(self) }
    }
}

impl Planned for Histogram {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::histogram(job)
    }
}

planned! { Ravel, Count, Histogram }
