//! What tests of libraries need to see of the runtime, or have go wrong in it. No part of the interface: it may change with any release.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that cannot go on fails its test"
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
pub use fake::{Asked, Fake};
pub use idle::on_idle_gpu;
#[cfg(test)]
pub(crate) use kernels::machines_nvrtc;
pub use kernels::{
    Nvrtc, architectures, compile_all, goes_on, gpu, has_wide_indices, launch_chain, nvrtc,
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
/// As [`Runtime::new`].
pub fn on_gpus(plan: Plan, gpus: Arc<Fake>) -> Result<Runtime, Error> {
    Runtime::with_driver(plan, Some(gpus))
}

/// Starts a runtime of one rank that holds parts of its stores, as each of many does.
///
/// # Errors
/// As [`Runtime::new`].
pub fn in_parts(plan: Plan) -> Result<Runtime, Error> {
    Runtime::in_parts(plan)
}

/// Has the next thread that comes to a place panic.
pub fn set_trap(runtime: &Runtime, site: Trap) {
    runtime.core().health.set_trap(site);
}

/// Has what the program asks for be noted from here on, as if there were other ranks to compare it with.
pub fn note_program(runtime: &Runtime) {
    runtime.core().program.lock().is_noted = true;
}

/// The hash of what the program has asked for since it is [noted](note_program).
pub fn program_hash(runtime: &Runtime) -> u64 {
    runtime.core().program.lock().hash()
}

/// The hash of a program that asks for one thing.
pub fn request_hash(request: &Request) -> u64 {
    ProgramStream::default().add(request)
}

/// How many groups of operations were like one before.
pub fn replayed(runtime: &Runtime) -> u64 {
    runtime.core().analysis().replayed()
}

/// Lets nothing be analysed until the program waits for what it has asked for. `held` is called when that is so.
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

/// Every memory of a runtime, main memory first.
pub fn memories(runtime: &Runtime) -> Vec<Memory> {
    runtime.core().memories.all().cloned().map(Memory).collect()
}

impl Memory {
    /// Has the `after`-th request from here on fail, counted from 0. Says whether an earlier wish is still to come.
    pub fn fail_request(&self, after: Option<u64>) -> bool {
        self.0.pool.fail_take(after)
    }

    /// Bytes that are given out.
    pub fn live(&self) -> u64 {
        self.0.pool.figures().live as u64
    }

    /// Whether somebody holds a block of it.
    pub fn is_held(&self) -> bool {
        !self.0.pool.holdings().is_empty()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
