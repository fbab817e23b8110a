//! The check that integer exponents are not negative.

use smallvec::smallvec;

use super::c::type_name;
use super::loops::{blocks, entry};
use super::nest::Strided;
use super::{DeviceTile, Job, Kernel};
use crate::dtype::DType;
use weft_core::cuda::{Launch, Work};

/// The kernel that checks one exponent of a dtype.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExponentKernelKey(DType);

impl ExponentKernelKey {
    pub(crate) fn name(&self) -> String {
        format!("weft_check_exponent_{}", self.0)
    }

    pub(crate) fn source(&self) -> String {
        let element = type_name(self.0);
        let parameters = [
            format!("const {element} *least"),
            format!("{element} *zero"),
            "unsigned long long *fault".to_owned(),
        ];
        // An unsigned type has no values below 0.
        let body = "    if (threadIdx.x > 0) return;\n    *zero = 0;\n    if (*least >= 0) return;\n    fault[0] = 0;\n    fault[1] = 1;\n";
        entry(&self.name(), parameters, body)
    }
}

/// Returns the work that reports a fault if `least`, of one element, is below 0, and writes 0 to
/// `zero`.
pub(crate) fn check(job: &Job<'_>, [least, zero]: [&DeviceTile; 2]) -> Work {
    Work::Kernel(Launch {
        kernel: Kernel::from_source(ExponentKernelKey(least.dtype)),
        grid: blocks(1),
        block: blocks(32),
        args: smallvec![
            Strided::from_tile(least).first,
            Strided::from_tile(zero).first,
            job.fault
        ],
    })
}
