//! The number of operations under way.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::sync::{AtomicU64, Condvar, Mutex};

/// The number of operations under way, the threads that wait for it to fall, and whether more may
/// begin and any will end.
///
/// The program runs at most about `WINDOW` operations ahead of the processors. That bounds memory;
/// it is far more than is needed to hide latency.
#[derive(Default)]
pub(crate) struct Outstanding<const WINDOW: u64 = 1024> {
    /// All in one word, so that a thread that changes one part sees the others as they are at that
    /// moment: the count in [`COUNT`]; above it, in units of [`AWAITED`], the number that a thread
    /// waits to see plus one (0 if none waits); [`BROKEN`] and [`CLOSED`].
    state: AtomicU64,
    /// Number of threads that wait for single operations by other means.
    others: AtomicU64,
    /// Held to change the awaited number.
    lock: Mutex<()>,
    fell: Condvar,
}

/// Registration of a thread that waits for single operations.
pub(crate) struct Announced<'a>(&'a AtomicU64);

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

const COUNT: u64 = AWAITED - 1;
const AWAITED: u64 = 1 << 32;
/// Operations under way may never end.
const BROKEN: u64 = 1 << 62;
/// No more operations may begin.
const CLOSED: u64 = 1 << 63;

fn awaited(state: u64) -> u64 {
    (state & !(CLOSED | BROKEN)) / AWAITED
}

impl<const WINDOW: u64> Outstanding<WINDOW> {
    /// Counts one more operation. Returns false, and counts nothing, once closed. Callers wait [for
    /// room](Self::wait_for_room) first. Threads that do so simultaneously may exceed the window,
    /// by at most their number: no thread may wait here, with a lock of a front end held.
    #[must_use]
    pub(crate) fn begin(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        if state & CLOSED != 0 {
            return false;
        }
        let open = self.state.fetch_add(1, Ordering::Relaxed) & (CLOSED | BROKEN) == 0;
        if !open {
            self.end();
        }
        open
    }

    /// Whether the window is full, so that callers must wait for room before they begin.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        state & (CLOSED | BROKEN) == 0 && state & COUNT >= WINDOW
    }

    /// Whether a thread waits for the count to fall.
    pub(crate) fn is_awaited(&self) -> bool {
        awaited(self.state.load(Ordering::Relaxed)) > 0
    }

    /// Whether a thread waits for results, and not only for room.
    pub(crate) fn is_end_awaited(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        (1..=WINDOW / 2).contains(&awaited(state)) || self.others.load(Ordering::Relaxed) > 0
    }

    /// Registers this thread as waiting for single operations, until the returned value is dropped.
    #[allow(dead_code, reason = "not of the model that checks the count")]
    pub(crate) fn announce(&self) -> Announced<'_> {
        self.others.fetch_add(1, Ordering::Relaxed);
        Announced(&self.others)
    }

    /// Waits until at most half of the window is under way, for at most `most`; returns whether the
    /// wait is over.
    #[allow(dead_code, reason = "not of the model that checks the count")]
    pub(crate) fn wait_for_room(&self, most: Option<Duration>) -> bool {
        self.wait_until(WINDOW / 2, most.map(|most| Instant::now() + most))
    }

    /// Counts one more operation, which the analysis adds to those of the program. It neither waits
    /// nor is refused.
    pub(crate) fn begin_inside(&self) {
        self.state.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less.
    pub(crate) fn end(&self) {
        self.end_many(1);
    }

    /// Lowers the count by `ended`.
    pub(crate) fn end_many(&self, ended: u64) {
        let before = self.state.fetch_sub(ended, Ordering::Release);
        // A thread that waits for `awaited - 1` or less is woken when the count gets there, and by
        // every later end.
        if (before & COUNT) - ended < awaited(before) {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.fell.notify_all();
        }
    }

    /// Waits until at most `most` are under way. Sees all that was done before the others ended.
    /// Does not wait once [broken off](Self::break_off).
    pub(crate) fn wait(&self, most: u64) {
        self.wait_until(most, None);
    }

    /// Like [`wait`](Self::wait), but for at most `time`; returns whether the wait is over.
    pub(crate) fn wait_for(&self, most: u64, time: Duration) -> bool {
        self.wait_until(most, Some(Instant::now() + time))
    }

    fn wait_until(&self, most: u64, until: Option<Instant>) -> bool {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            // Announces the wait and reads the count in one step: any later decrement sees the
            // announcement.
            let known = awaited(self.state.load(Ordering::Relaxed));
            let wanted = known.max(most + 1);
            let state = self
                .state
                .fetch_add((wanted - known) * AWAITED, Ordering::Acquire);
            let is_over = state & COUNT <= most || state & BROKEN != 0;
            if is_over || left.is_some_and(|left| left.is_zero()) {
                // Other waiters announce themselves again.
                self.state.fetch_sub(wanted * AWAITED, Ordering::Relaxed);
                self.fell.notify_all();
                return is_over;
            }
            guard = match left {
                None => self
                    .fell
                    .wait(guard)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    let waited = self.fell.wait_timeout(guard, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Returns the number of operations under way.
    #[allow(dead_code, reason = "not of the model that checks the count")]
    pub(crate) fn count(&self) -> u64 {
        self.state.load(Ordering::Acquire) & COUNT
    }

    /// Whether no operation is under way.
    pub(crate) fn is_none(&self) -> bool {
        self.state.load(Ordering::Acquire) & COUNT == 0
    }

    /// Whether more operations may begin.
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) & CLOSED == 0
    }

    /// Refuses new operations. Operations that have begun continue, and can be waited for.
    pub(crate) fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::Relaxed);
    }

    /// Refuses new operations and releases all waiters: operations under way may never end.
    pub(crate) fn break_off(&self) {
        self.state.fetch_or(CLOSED | BROKEN, Ordering::Release);
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.fell.notify_all();
    }
}
