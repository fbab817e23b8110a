//! Running results along an axis.

use super::arithmetic;
use weft_geometry::Tiling;
use weft_trace::record::Arithmetic;

use weft_core::cuda::Job;

use crate::cuda::{Plan, Planned, planned};
use crate::kernel::{ScanOp, scan};
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// Computes running results along an axis.
#[derive(Debug, Hash)]
struct Scan {
    scan: ScanOp,
    axis: u8,
    /// Whether each result is rounded to `f16`.
    is_half: bool,
}

/// Computes running results along an axis [input, out]; those of `f32` are rounded to `f16` if
/// `is_half`.
pub(crate) fn scan(scan: ScanOp, axis: u8, is_half: bool) -> Body {
    const OPERANDS: &[Declared] = &[Declared::READ, Declared::WRITE];
    // The terms of a line stay in order.
    Descriptor::new(
        scan.name(),
        OPERANDS,
        Scan {
            scan,
            axis,
            is_half,
        },
    )
    .tiled(Tiling::Across { axis })
    .shared()
}

impl Kernels for Scan {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::scanned(self.scan, self.axis, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        let axis = usize::from(self.axis);
        match self.is_half {
            true => scan::scan_half(self.scan, axis, input, out),
            false => scan::scan(self.scan, axis, input, out),
        }
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Scan {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::scan(self.scan, usize::from(self.axis), self.is_half, job)
    }
}

planned! { Scan }
