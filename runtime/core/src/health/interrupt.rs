//! Interrupts of the program, such as Ctrl-C.
//!
//! An interrupt ends the program's current work, and with it most handles to arrays. Operations
//! submitted before, that have not begun and whose results can no longer be read, never run: a
//! program that continues, or ends, does not wait for them. The profile counts them. Operations
//! submitted afterwards run, unless they depend on these and cannot be read either. On many ranks
//! all run: another rank may wait for their messages.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use weft_trace::id::OperationUid;

use super::Health;
use crate::error::Cause;
use crate::identity::Uids;
use crate::operation::Operation;
use crate::task::{Task, unneeded};

/// Interrupts that this process has received.
static RECEIVED: AtomicU32 = AtomicU32::new(0);

/// Time between two searches for unneeded tasks: the program may still be dropping its arrays.
const PAUSE: Duration = Duration::from_millis(10);

/// Notes that the program was interrupted. A signal handler may call it.
pub fn note_interrupt() {
    RECEIVED.fetch_add(1, Ordering::Relaxed);
}

/// The interrupts of a runtime.
#[derive(Default)]
pub(crate) struct Interrupts {
    /// The number of interrupts that it has processed.
    seen: AtomicU32,
    /// Whether any arrived since it started.
    has_any: AtomicBool,
    state: Mutex<State>,
    /// Number of operations that never ran because of interrupts.
    pub(crate) dropped: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The last operation before the latest interrupt.
    last: Option<OperationUid>,
    /// The time of the next search.
    until: Option<Instant>,
}

impl Interrupts {
    /// Creates the state for a runtime that starts now; earlier interrupts do not count.
    pub(crate) fn from_now_on() -> Interrupts {
        Interrupts {
            seen: AtomicU32::new(RECEIVED.load(Ordering::Relaxed)),
            ..Interrupts::default()
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Processes new interrupts: operations up to now may be dropped.
    #[cold]
    fn note(&self, uids: &Uids) {
        let mut state = self.state();
        // Read again: a thread that waited for the lock with an older number would mistake later
        // operations for earlier ones.
        let received = RECEIVED.load(Ordering::Relaxed);
        if self.seen.swap(received, Ordering::Relaxed) != received {
            self.has_any.store(true, Ordering::Relaxed);
            state.last = Some(uids.last_operation());
            state.until = None;
        }
    }

    /// Counts an operation as dropped, once for all of its tasks.
    pub(crate) fn count(&self, operation: &Operation) {
        if operation.set_dropped() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Health {
    /// Processes interrupts before the program submits an operation.
    #[inline]
    pub(crate) fn note_interrupts(&self, uids: &Uids) {
        let received = RECEIVED.load(Ordering::Relaxed);
        if received != self.interrupts.seen.load(Ordering::Relaxed) {
            self.interrupts.note(uids);
        }
    }

    /// Whether a task that has not begun never needs to run, because of an interrupt.
    #[inline]
    pub(crate) fn is_unneeded(&self, task: &Arc<Task>, uids: &Uids, has_ranks: bool) -> bool {
        let own = &self.interrupts;
        let received = RECEIVED.load(Ordering::Relaxed);
        let is_new = received != own.seen.load(Ordering::Relaxed);
        (is_new || own.has_any.load(Ordering::Relaxed)) && self.find_unneeded(task, uids, has_ranks)
    }

    #[cold]
    fn find_unneeded(&self, task: &Arc<Task>, uids: &Uids, has_ranks: bool) -> bool {
        if task.is_dropped() {
            return true;
        }
        if has_ranks {
            return false;
        }
        self.interrupts.note(uids);
        let mut state = self.interrupts.state();
        let Some(last) = state.last else {
            return false;
        };
        if task.is_after(last) {
            return false;
        }
        if state.until.is_some_and(|until| Instant::now() < until) {
            return false;
        }
        match unneeded(task) {
            Some(tasks) => {
                tasks.iter().for_each(|task| task.set_dropped());
                true
            }
            None => {
                state.until = Some(Instant::now() + PAUSE);
                false
            }
        }
    }

    /// Counts an operation that never runs, one of whose tasks is dropped. Reading its results is
    /// an error.
    pub(crate) fn drop_operation(&self, operation: &Operation) {
        operation.poison(&operation.failure(Cause::Dropped));
        self.interrupts.count(operation);
    }
}
