//! Places in a sorted vector, and values of the function between its points.

use super::arithmetic;
use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::cuda::{Plan, Planned, planned};
use crate::dtype::Parameter;
use crate::kernel::{interp, search};
use weft_core::cuda::Job;
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// The cost of searching for an element, in units of copying one.
const SEARCHING: usize = 4;

/// Finds the places of values.
#[derive(Debug, Hash)]
struct Search {
    right: bool,
}

/// Finds the places at which values would be inserted into a sorted vector; after equal elements if
/// `right` [sorted, values, out].
pub(crate) fn search(right: bool) -> Body {
    let operands = vec![
        Declared::read(Projection::Whole).led(),
        Declared::READ,
        Declared::WRITE,
    ];
    Descriptor::new("searchsorted", operands, Search { right })
        .tiled(Tiling::Processors { work: SEARCHING })
        .shared()
}

impl Kernels for Search {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [sorted, values, out] = task.expect();
        search::search(self.right, sorted, values, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Search {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::search(self.right, job)
    }
}

/// Interpolates linearly.
#[derive(Debug, Hash)]
struct Interpolate {
    /// The results before the first point and after the last one, if not the values of these.
    ends: [Option<Parameter>; 2],
}

/// Interpolates between points, of which `x` increases. `ends` are the results before the first
/// point and after the last one, if not the values of these [at, x, y, out].
pub(crate) fn interpolate(ends: [Option<f64>; 2]) -> Body {
    let whole = || Declared::read(Projection::Whole).led();
    let operands = vec![Declared::READ, whole(), whole(), Declared::WRITE];
    let ends = ends.map(|end| end.map(Parameter));
    Descriptor::new("interp", operands, Interpolate { ends })
        .tiled(Tiling::Processors { work: SEARCHING })
        .shared()
}

impl Interpolate {
    fn ends(&self) -> [Option<f64>; 2] {
        self.ends.map(|end| end.map(|end| end.0))
    }
}

impl Kernels for Interpolate {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::interpolated(of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [at, x, y, out] = task.expect();
        interp::interpolate(self.ends(), at, x, y, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Interpolate {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::interpolate(self.ends(), job)
    }
}

planned! { Search, Interpolate }
