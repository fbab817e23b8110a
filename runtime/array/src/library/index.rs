//! Elements read and written by indices along an axis.

use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use weft_core::cuda::Job;

use super::outside;
use crate::cuda::{Plan, Planned, planned};
use crate::kernel::index;
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// Reads elements along an axis.
#[derive(Debug, Hash)]
struct Take {
    axis: u8,
}

/// Reads the elements at a vector of `i64` indices along one axis of the input, which is that of
/// the indices in the output [input, indices, out].
pub(crate) fn take(axis: u8) -> Body {
    let operands = vec![
        Declared::read(Projection::except(axis)).led(),
        Declared::read(Projection::only(axis)),
        Declared::WRITE,
    ];
    Descriptor::new("take", operands, Take { axis }).shared()
}

impl Kernels for Take {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, indices, out] = task.expect();
        index::take(usize::from(self.axis), input, indices, out).map_err(outside)
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Take {
    const FINDS_FAULTS: bool = true;

    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::take(usize::from(self.axis), job)
    }
}

/// Writes elements along an axis.
#[derive(Debug, Hash)]
struct Put {
    axis: u8,
}

/// Writes the elements at a vector of `i64` indices along one axis of the output, which is that of
/// the indices in the values [values, indices, out].
pub(crate) fn put(axis: u8) -> Body {
    let operands = vec![
        Declared::READ,
        Declared::read(Projection::Whole),
        Declared {
            projection: Projection::except(axis),
            ..Declared::UPDATE
        },
    ];
    // Writes to the same place must stay in order.
    Descriptor::new("put", operands, Put { axis })
        .tiled(Tiling::Across { axis })
        .shared()
}

impl Kernels for Put {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [values, indices, out] = task.expect();
        index::put(usize::from(self.axis), values, indices, out).map_err(outside)
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Put {
    const FINDS_FAULTS: bool = true;

    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::put(usize::from(self.axis), job)
    }
}

/// Reads elements by the indices of their own line.
#[derive(Debug, Hash)]
struct TakeAlong {
    axis: u8,
}

/// Reads the elements at the `i64` indices of the same line along one axis, where the lengths of
/// input and output may differ [input, indices, out].
pub(crate) fn take_along(axis: u8) -> Body {
    let operands = vec![
        Declared::read(Projection::except(axis)).led(),
        Declared::READ,
        Declared::WRITE,
    ];
    Descriptor::new("take_along_axis", operands, TakeAlong { axis }).shared()
}

impl Kernels for TakeAlong {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, indices, out] = task.expect();
        index::take_along(usize::from(self.axis), input, indices, out).map_err(outside)
    }
}

/// Writes elements by the indices of their own line.
#[derive(Debug, Hash)]
struct PutAlong {
    axis: u8,
}

/// Writes the elements at the `i64` indices of the same line along one axis, where the lengths of
/// values and output may differ [values, indices, out].
pub(crate) fn put_along(axis: u8) -> Body {
    let operands = vec![
        Declared::READ,
        Declared::READ,
        Declared {
            projection: Projection::except(axis),
            ..Declared::UPDATE
        },
    ];
    // Writes to the same place must stay in order.
    Descriptor::new("put_along_axis", operands, PutAlong { axis })
        .tiled(Tiling::Across { axis })
        .shared()
}

impl Kernels for PutAlong {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [values, indices, out] = task.expect();
        index::put_along(usize::from(self.axis), values, indices, out).map_err(outside)
    }
}

planned! { Take, Put }
