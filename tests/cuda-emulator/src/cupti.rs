//! `libcupti`: records of calls and work, in buffers of the client.
//!
//! Records are made when work runs, queue here, and are written into buffers by a thread of this
//! library, groups of them in random order. An external correlation precedes its API record. Names
//! of kernels are kept forever.

pub(crate) mod activity;
mod call;
mod callbacks;
pub(crate) mod clock;
mod deliver;
mod exports;
pub(crate) mod graphs;
mod layout;
mod names;
mod overhead;
mod session;

pub(crate) use call::{Call, Domain, SyncKind};
pub(crate) use overhead::Overhead;

use crate::machine::access::Space;
use crate::teardown;
use activity::{CopyWork, FillWork, KernelWork, Timed, UnifiedWork};
use session::{Session, kind};

/// A kernel has run.
pub(crate) fn kernel(work: KernelWork, time: Timed) {
    teardown::CUPTI.begin_work();
    Session::record(&[kind::CONCURRENT_KERNEL, kind::KERNEL], |session, kind| {
        let time = session.maybe_untimed(time);
        work.record(kind, time, session.version())
    });
}

/// Reports a kernel that is still queued; a later call will not report it again.
pub(crate) fn unfinished_kernel(work: KernelWork, time: Timed) {
    Session::record(&[kind::CONCURRENT_KERNEL, kind::KERNEL], |session, kind| {
        work.record(kind, time, session.version())
    });
}

/// Memory was filled.
pub(crate) fn fill(work: FillWork, time: Timed) {
    Session::record(&[kind::MEMSET], |session, _| {
        work.record(time, session.version())
    });
}

/// Bytes were copied.
pub(crate) fn copy(work: CopyWork, time: Timed) {
    if work.is_between_gpus() {
        Session::record(&[kind::MEMCPY2], |_, _| work.peer_record(time));
    } else {
        Session::record(&[kind::MEMCPY], |session, _| {
            work.record(time, session.version())
        });
    }
}

/// Device memory was allocated or freed.
pub(crate) fn memory(is_taken: bool, gpu: usize, address: u64, bytes: u64, correlation: u32) {
    memory_of(
        Space::Device(gpu),
        is_taken,
        gpu,
        address,
        bytes,
        correlation,
    );
}

/// Unified memory was allocated or freed.
pub(crate) fn managed_memory(
    is_taken: bool,
    gpu: usize,
    address: u64,
    bytes: u64,
    correlation: u32,
) {
    memory_of(Space::Managed, is_taken, gpu, address, bytes, correlation);
}

fn memory_of(space: Space, is_taken: bool, gpu: usize, address: u64, bytes: u64, correlation: u32) {
    Session::record(&[kind::MEMORY2], |session, _| {
        activity::memory_record(
            (space, is_taken),
            gpu,
            address,
            bytes,
            correlation,
            session.version(),
        )
    });
}

/// Pages of unified memory caused a fault, or moved.
pub(crate) fn unified(work: &UnifiedWork) {
    let is_chosen = session::session().counters.contains(&work.counter);
    if is_chosen {
        Session::record(&[kind::UNIFIED_MEMORY_COUNTER], |session, _| {
            work.record(session.version())
        });
    }
}

/// The calling thread spent the time since `start` on something other than its work, in the call
/// with this correlation id.
pub(crate) fn overhead(of: Overhead, start: u64, correlation: u32) {
    Session::record(&[kind::OVERHEAD], |session, _| {
        overhead::record(session, of, start, correlation)
    });
}
