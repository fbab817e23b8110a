//! The queue from the program to the analysis.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, spin};

/// Number of times that the idle analysis polls the queue before it sleeps.
const SPINS: u32 = 200;

struct Inbox<T> {
    operations: Vec<T>,
    asleep: bool,
    stopped: bool,
}

/// Operations on their way to the analysis, in program order; `T` is a handle to an operation.
/// The value has one receiver.
pub(crate) struct Submissions<T> {
    inbox: Mutex<Inbox<T>>,
    /// Number of operations in the inbox as last seen, readable without the lock.
    length: AtomicUsize,
    arrived: Condvar,
}

impl<T> Default for Submissions<T> {
    fn default() -> Submissions<T> {
        Submissions {
            inbox: Mutex::new(Inbox {
                operations: Vec::new(),
                asleep: false,
                stopped: false,
            }),
            length: AtomicUsize::default(),
            arrived: Condvar::default(),
        }
    }
}

impl<T> Submissions<T> {
    fn inbox(&self) -> MutexGuard<'_, Inbox<T>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an operation to the analysis.
    pub(crate) fn send(&self, operation: T) {
        let mut inbox = self.inbox();
        inbox.operations.push(operation);
        self.length.store(inbox.operations.len(), Ordering::Relaxed);
        let wake = std::mem::take(&mut inbox.asleep);
        drop(inbox);
        if wake {
            self.arrived.notify_one();
        }
    }

    /// Swaps all operations in the inbox into the empty `batch`; waits for at least one. Returns
    /// false once stopped.
    pub(crate) fn receive(&self, batch: &mut Vec<T>) -> bool {
        spin(SPINS, || self.length.load(Ordering::Relaxed) > 0);
        let mut inbox = self.inbox();
        loop {
            if inbox.stopped {
                return false;
            }
            if !inbox.operations.is_empty() {
                std::mem::swap(&mut inbox.operations, batch);
                self.length.store(0, Ordering::Relaxed);
                return true;
            }
            inbox.asleep = true;
            inbox = self
                .arrived
                .wait(inbox)
                .unwrap_or_else(PoisonError::into_inner);
            inbox.asleep = false;
        }
    }

    /// Polls `looks` times for an operation; returns false if none arrived.
    pub(crate) fn linger(&self, looks: u32) -> bool {
        spin(looks, || self.length.load(Ordering::Relaxed) > 0)
    }

    /// Sleeps until an operation arrives, for at most `most`; returns whether one has arrived.
    #[allow(dead_code, reason = "not of the model that checks the queue")]
    pub(crate) fn sleep(&self, most: Duration) -> bool {
        let mut inbox = self.inbox();
        if inbox.operations.is_empty() && !inbox.stopped {
            inbox.asleep = true;
            let slept = self.arrived.wait_timeout(inbox, most);
            inbox = slept.unwrap_or_else(PoisonError::into_inner).0;
            inbox.asleep = false;
        }
        !inbox.operations.is_empty()
    }

    /// Stops the analysis; the remaining operations are not analysed.
    pub(crate) fn stop(&self) {
        let mut inbox = self.inbox();
        inbox.stopped = true;
        drop(inbox);
        self.arrived.notify_all();
    }
}
