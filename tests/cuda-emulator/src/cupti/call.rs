//! Records of the program's calls, with the external ids around them.
#![allow(unsafe_code, reason = "asks the system for the thread")]

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::clock;
use super::layout::Record;
use super::session::{Session, kind};

/// The interface that a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Driver,
    Runtime,
}

/// `CUpti_ActivitySynchronizationType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncKind {
    Event = 1,
    WaitEvent = 2,
    Stream = 3,
    Context = 4,
}

/// A call under way.
pub(crate) struct Call {
    /// CUPTI's number of the call.
    pub(crate) correlation: u32,
    domain: Domain,
    cbid: u32,
    start: u64,
    /// The innermost id of each kind on the thread's stacks.
    external: Vec<(u32, u64)>,
    waited: Option<(SyncKind, [u32; 3])>,
}

static CALLS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    /// The thread's stacks of ids, by kind.
    static EXTERNAL: RefCell<Vec<(u32, Vec<u64>)>> = const { RefCell::new(Vec::new()) };
}

/// Pushes an id for the calling thread.
pub(super) fn push(kind: u32, id: u64) {
    EXTERNAL.with_borrow_mut(
        |kinds| match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, stack)) => stack.push(id),
            None => kinds.push((kind, vec![id])),
        },
    );
}

/// Pops the last id; `None` if there is none.
pub(super) fn pop(kind: u32) -> Option<u64> {
    EXTERNAL.with_borrow_mut(|kinds| kinds.iter_mut().find(|(known, _)| *known == kind)?.1.pop())
}

impl Call {
    /// The calling thread enters a function; a `cbid` of 0 leaves no record.
    pub(crate) fn enter(domain: Domain, cbid: u32) -> Call {
        let external = EXTERNAL.with_borrow(|kinds| {
            let innermost = |(kind, stack): &(u32, Vec<u64>)| Some((*kind, *stack.last()?));
            kinds.iter().filter_map(innermost).collect()
        });
        Call {
            correlation: CALLS.fetch_add(1, Ordering::Relaxed),
            domain,
            cbid,
            start: clock::now(),
            external,
            waited: None,
        }
    }

    /// Records that the call waits for something, or makes a stream wait.
    pub(crate) fn waited(&mut self, kind: SyncKind, gpu: usize, stream: u32, event: u32) {
        self.waited = Some((kind, [gpu as u32 + 1, stream, event]));
    }

    /// Records the call's return.
    pub(crate) fn leave(self, result: u32) {
        if self.cbid == 0 {
            return;
        }
        let end = clock::now();
        let api = match self.domain {
            Domain::Driver => kind::DRIVER,
            Domain::Runtime => kind::RUNTIME,
        };
        Session::record_call(api, self.cbid, |session| {
            let version = session.version();
            let mut group = Vec::new();
            if session.is_enabled(kind::EXTERNAL_CORRELATION) {
                for &(external, id) in &self.external {
                    let record = Record::new(kind::EXTERNAL_CORRELATION, version)
                        .u32(4, external)
                        .u64(8, id)
                        .u32(16, self.correlation);
                    group.push(record.done());
                }
            }
            let thread = session.thread();
            let record = Record::new(api, version)
                .u32(4, self.cbid)
                .u64(8, self.start)
                .u64(16, end)
                .all_u32(24, [std::process::id(), thread, self.correlation, result]);
            group.push(record.done());
            group
        });
        if let Some((which, numbers)) = self.waited {
            Session::record(&[kind::SYNCHRONIZATION], |session, kind| {
                Record::new(kind, session.version())
                    .u32(4, which as u32)
                    .u64(8, self.start)
                    .u64(16, end)
                    .u32(24, self.correlation)
                    .all_u32(28, numbers)
                    .u32(48, result)
                    .done()
            });
        }
    }
}

/// Returns the calling thread: `pthread_self` cut to 32 bits, or the system's number.
pub(super) fn thread_number(is_system: bool) -> u32 {
    if is_system {
        // SAFETY: the call has no preconditions.
        unsafe { libc::syscall(libc::SYS_gettid) as u32 }
    } else {
        // SAFETY: the call has no preconditions.
        unsafe { libc::pthread_self() as u32 }
    }
}
