//! Access to the runtime for tests of libraries, and ways to make it fail. Not part of the public
//! interface: it may change with any release.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

mod fake;
#[cfg(test)]
pub(crate) mod functions;
mod idle;
mod kernels;

use std::fmt;
use std::sync::Arc;

use weft_config::Plan;

pub use crate::runtime::Trap;
pub use fake::{Fake, SchedulerCall};
pub use idle::on_idle_gpu;
#[cfg(test)]
pub(crate) use kernels::machines_nvrtc;
pub use kernels::{
    Nvrtc, architectures, chain, compile_all, goes_on, gpu, has_wide_indices, launch_chain, nvrtc,
    scratch, widen_indices, work,
};

use crate::error::Error;
use crate::memory;
use crate::operation::Request;
use crate::rank::ProgramStream;
use crate::runtime::Runtime;

/// Starts a runtime of one rank on the GPUs of a driver.
///
/// # Errors
/// See [`Runtime::new`].
pub fn on_gpus(plan: Plan, gpus: Arc<Fake>) -> Result<Runtime, Error> {
    Runtime::with_driver(plan, Some(gpus))
}

/// Starts a runtime of one rank that holds parts of its stores, as each of many does.
///
/// # Errors
/// See [`Runtime::new`].
pub fn in_parts(plan: Plan) -> Result<Runtime, Error> {
    Runtime::in_parts(plan)
}

/// Makes the next thread that reaches a place panic.
pub fn set_trap(runtime: &Runtime, site: Trap) {
    runtime.core().health.set_trap(site);
}

/// Starts recording the program's operations, as if there were other ranks to compare them with.
pub fn note_program(runtime: &Runtime) {
    runtime.core().program.lock().is_noted = true;
}

/// Returns the hash of the operations since [`note_program`] was called.
pub fn program_hash(runtime: &Runtime) -> u64 {
    runtime.core().program.lock().hash()
}

/// Returns the hash of a program with one operation.
pub fn request_hash(request: &Request) -> u64 {
    ProgramStream::default().add(request)
}

/// Returns the number of groups of operations that equalled an earlier one.
pub fn replayed(runtime: &Runtime) -> u64 {
    runtime.core().analysis().replayed()
}

/// Stops the analysis until the program waits for its operations. Calls `held` once the analysis is
/// stopped.
pub fn hold_analysis_until_awaited(runtime: &Runtime, held: impl FnOnce()) {
    let core = runtime.core();
    let analysis = core.analysis();
    held();
    while !core.queues.outstanding.is_awaited() {
        std::thread::yield_now();
    }
    drop(analysis);
}

/// A memory of a runtime.
pub struct Memory(Arc<memory::Memory>);

/// Returns all memories of a runtime, main memory first.
pub fn memories(runtime: &Runtime) -> Vec<Memory> {
    runtime.core().memories.all().cloned().map(Memory).collect()
}

impl Memory {
    /// Makes the `after`-th request from now on fail, counted from 0. Returns whether an earlier
    /// failure is still pending.
    pub fn fail_request(&self, after: Option<u64>) -> bool {
        self.0.pool.fail_take(after)
    }

    /// Returns the number of requests that failed.
    pub fn failed_requests(&self) -> u64 {
        self.0.pool.failed()
    }

    /// Returns the number of bytes allocated.
    pub fn live(&self) -> u64 {
        self.0.pool.figures().live as u64
    }

    /// Returns whether any block is allocated.
    pub fn is_held(&self) -> bool {
        !self.0.pool.holdings().is_empty()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
