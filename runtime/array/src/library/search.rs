//! Places in a sorted vector.

use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::cuda::{Plan, Planned, planned};
use crate::kernel::search;
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

planned! { Search }
