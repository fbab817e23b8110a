//! Spectra of lines, and lines of spectra.

use weft_geometry::{Access, Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::dtype::Parameter;
use crate::kernel::fourier::{self, FourierOp};
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, Effort, Kernels};

/// A transform of each line along an axis.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Fourier {
    /// Which transform.
    pub(crate) op: FourierOp,
    /// The axis along which lines run.
    pub(crate) axis: u8,
    /// Elements of a line.
    pub(crate) length: usize,
    /// What the results are multiplied by.
    pub(crate) scale: Parameter,
}

/// Spectra of lines, or lines of spectra [input, out].
pub(crate) fn fourier(transform: Fourier) -> Body {
    let Fourier {
        op, axis, length, ..
    } = transform;
    // Lines stay whole, and may have another length than their spectra.
    let declared = |access| Declared {
        access,
        ..Declared::read(Projection::except(axis))
    };
    let stages = usize::BITS - length.leading_zeros();
    Descriptor {
        effort: Effort {
            times: stages as usize,
            over: 2,
        },
        ..Descriptor::new(
            op.name(),
            vec![declared(Access::Read), declared(Access::Write)],
            transform,
        )
    }
    .tiled(Tiling::Across { axis })
    .shared()
}

impl Kernels for Fourier {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        transformed(self, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        let (axis, scale) = (usize::from(self.axis), self.scale.0);
        fourier::fourier(self.op, axis, self.length, scale, input, out);
        Ok(())
    }
}

fn transformed(transform: &Fourier, of: &Computed<'_>) -> Option<Arithmetic> {
    let Fourier { op, length, .. } = *transform;
    let lines = of.size(1)? / op.results(length).max(1) as u64;
    of.operations(lines.saturating_mul(operations(op, length)))
}

/// A transform of one line, by the usual figure for all algorithms.
fn operations(op: FourierOp, length: usize) -> u64 {
    let length = length as f64;
    let each = match op {
        FourierOp::Forward | FourierOp::Inverse => 5.0,
        FourierOp::RealForward | FourierOp::RealInverse => 2.5,
    };
    // Saturates.
    (each * length * length.log2()).round() as u64
}
