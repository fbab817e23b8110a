//! Stage 3: for every kernel its launch, or the one reason for having none.
//!
//! `host` links what the runtime recorded itself, and derives the same links again from NVTX ranges alone, to count
//! where the two agree. `device` links what Nsight Systems saw on a device, through the API call that started it
//! and the innermost UID-carrying range around that call ([`Enclosing`]).

mod device;
mod enclosing;
mod host;
mod owners;
mod summary;
mod threads;

pub use enclosing::Enclosing;
pub use owners::process_in;

use crate::joined::{Index, Joined, Outcome, Reason, Recorder};
use owners::Owners;
use threads::Threads;

/// Fills [`Joined::outcomes`] and [`Joined::kernel_ranges`], one of each a kernel, and writes the counts down in the
/// facts of the trace. All times are on one clock.
pub fn join(joined: &mut Joined) {
    let index = Index::of(joined);
    let owners = Owners::of(joined);
    let threads = Threads::of(&joined.ranges);
    let host = host::Host::new(joined, &index, &owners, &threads);
    let device = device::Device::new(joined, &index, &owners, &threads);
    let mut outcomes = Vec::with_capacity(joined.kernels.len());
    let mut ranges = Vec::with_capacity(joined.kernels.len());
    let mut check = host::Check::default();
    for kernel in &joined.kernels {
        let (outcome, range) = match kernel.recorder {
            Recorder::Host => host.find(kernel, &mut check),
            Recorder::Nsys => device.find(kernel),
            // No reader gives such kernels.
            Recorder::Cupti => (Outcome::Unmatched(Reason::NoApiCall), None),
        };
        outcomes.push(outcome);
        ranges.push(range);
    }
    joined.outcomes = outcomes;
    joined.kernel_ranges = ranges;
    summary::write(joined, check);
}
