//! The check that integer exponents are not negative.

use weft_trace::record::Arithmetic;

use crate::cuda::{Plan, Planned, planned};
use crate::kernel::exponent;
use weft_core::cuda::Job;
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// Checks exponents.
#[derive(Debug, Hash)]
struct Check;

/// Fails if the least of all exponents is below 0, and otherwise writes 0 in their dtype [least,
/// out].
pub(crate) fn check() -> Body {
    const OPERANDS: &[Declared] = &[Declared::READ, Declared::WRITE];
    // A failure names the operation that the program asked for.
    Descriptor::new("power", OPERANDS, Check).shared()
}

impl Kernels for Check {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [least, out] = task.expect();
        match exponent::check(least, out) {
            true => Ok(()),
            false => Err(Cause::Exponent),
        }
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Check {
    const FINDS_FAULTS: bool = true;

    fn cause(&self, _fault: [u64; 2]) -> Cause {
        Cause::Exponent
    }

    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::check_exponent(job)
    }
}

planned! { Check }
