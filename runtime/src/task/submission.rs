//! The way from the program to the analysis, and the count of what is under way.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::operation::Operation;

/// How far the program may run ahead of the processors, in operations. Bounds memory; far above what hides latency.
const WINDOW: usize = 1024;

/// How often the idle analysis looks again before it sleeps.
const LOOKS: u32 = 200;

#[derive(Default)]
struct Inbox {
    operations: Vec<Arc<Operation>>,
    asleep: bool,
    stopped: bool,
}

/// Operations on their way to the analysis, in program order.
#[derive(Default)]
pub(crate) struct Submissions {
    inbox: Mutex<Inbox>,
    length: AtomicUsize,
    arrived: Condvar,
}

impl Submissions {
    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an operation over.
    pub(crate) fn send(&self, operation: Arc<Operation>) {
        let mut inbox = self.inbox();
        inbox.operations.push(operation);
        self.length.store(inbox.operations.len(), Ordering::Relaxed);
        let wake = std::mem::take(&mut inbox.asleep);
        drop(inbox);
        if wake {
            self.arrived.notify_one();
        }
    }

    /// Swaps all that has arrived into `batch`, which is empty; waits for at least one. False once stopped.
    pub(crate) fn receive(&self, batch: &mut Vec<Arc<Operation>>) -> bool {
        for _ in 0..LOOKS {
            if self.length.load(Ordering::Relaxed) > 0 {
                break;
            }
            std::hint::spin_loop();
        }
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

    /// Sends the analysis away; operations that are left are not analysed.
    pub(crate) fn stop(&self) {
        let mut inbox = self.inbox();
        inbox.stopped = true;
        drop(inbox);
        self.arrived.notify_all();
    }
}

/// How many operations are under way, and who waits for that number to fall.
#[derive(Default)]
pub(crate) struct Outstanding {
    count: AtomicUsize,
    /// The number somebody waits to see, plus one; 0 where nobody waits.
    awaited: AtomicUsize,
    lock: Mutex<()>,
    fell: Condvar,
}

impl Outstanding {
    /// Counts one more, after waiting while too many are under way.
    pub(crate) fn begin(&self) {
        if self.count.load(Ordering::Relaxed) >= WINDOW {
            self.wait(WINDOW / 2);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less.
    pub(crate) fn end(&self) {
        let left = self.count.fetch_sub(1, Ordering::SeqCst) - 1;
        if left < self.awaited.load(Ordering::SeqCst) {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.fell.notify_all();
        }
    }

    /// Waits until at most `most` are under way.
    pub(crate) fn wait(&self, most: usize) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            // Announced before looking: whoever counts down after the look sees the announcement.
            self.awaited.fetch_max(most + 1, Ordering::SeqCst);
            if self.count.load(Ordering::SeqCst) <= most {
                self.awaited.store(0, Ordering::SeqCst);
                self.fell.notify_all();
                return;
            }
            guard = self
                .fell
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
