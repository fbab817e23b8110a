//! The count of what is under way.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::sync::{AtomicU64, Condvar, Mutex};

/// How many operations are under way, who waits for that number to fall, and whether more may begin and any will end.
///
/// The program runs at most about `WINDOW` operations ahead of the processors. That bounds memory; it is far above
/// what hides latency.
#[derive(Default)]
pub(crate) struct Outstanding<const WINDOW: u64 = 1024> {
    /// All in one word, so that whoever changes one part sees the others as they are at that moment: the count in
    /// [`COUNT`], above it in units of [`AWAITED`] the number somebody waits to see plus one (0 where nobody waits),
    /// [`BROKEN`] and [`CLOSED`].
    state: AtomicU64,
    /// Threads that wait for single operations in another way.
    others: AtomicU64,
    /// Held to change what is awaited.
    lock: Mutex<()>,
    fell: Condvar,
}

/// A thread that waits for single operations.
pub(crate) struct Announced<'a>(&'a AtomicU64);

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

const COUNT: u64 = AWAITED - 1;
const AWAITED: u64 = 1 << 32;
/// What is under way may never end.
const BROKEN: u64 = 1 << 62;
/// Nothing more may begin.
const CLOSED: u64 = 1 << 63;

fn awaited(state: u64) -> u64 {
    (state & !(CLOSED | BROKEN)) / AWAITED
}

impl<const WINDOW: u64> Outstanding<WINDOW> {
    /// Counts one more. False, and nothing is counted, once closed. Who begins waits [for room](Self::wait_for_room) before; threads that
    /// do so at once may go beyond the window by as many as they are, since here nobody must wait with a lock of a front end.
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

    /// Whether so many are under way that who begins waits for room before.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        state & (CLOSED | BROKEN) == 0 && state & COUNT >= WINDOW
    }

    /// Whether somebody waits for what is under way.
    pub(crate) fn is_awaited(&self) -> bool {
        awaited(self.state.load(Ordering::Relaxed)) > 0
    }

    /// Whether a thread waits for results, and not only for room.
    pub(crate) fn is_end_awaited(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        (1..=WINDOW / 2).contains(&awaited(state)) || self.others.load(Ordering::Relaxed) > 0
    }

    /// Says that this thread waits for single operations, until what is returned is dropped.
    #[allow(dead_code, reason = "not of the model that checks the count")]
    pub(crate) fn announce(&self) -> Announced<'_> {
        self.others.fetch_add(1, Ordering::Relaxed);
        Announced(&self.others)
    }

    /// Waits until at most half of the window is under way, for no longer than `most`; true if the wait is over.
    #[allow(dead_code, reason = "not of the model that checks the count")]
    pub(crate) fn wait_for_room(&self, most: Option<Duration>) -> bool {
        self.wait_until(WINDOW / 2, most.map(|most| Instant::now() + most))
    }

    /// Counts one more that the analysis adds to those of the program: neither waits nor is refused.
    pub(crate) fn begin_inside(&self) {
        self.state.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less.
    pub(crate) fn end(&self) {
        self.end_many(1);
    }

    /// Counts so many less.
    pub(crate) fn end_many(&self, ended: u64) {
        let before = self.state.fetch_sub(ended, Ordering::Release);
        // Whoever waits to see `awaited - 1` or less is told by those who take the count there, and by all later ones.
        if (before & COUNT) - ended < awaited(before) {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.fell.notify_all();
        }
    }

    /// Waits until at most `most` are under way. Sees all that was done before the others ended. Does not wait once
    /// [broken off](Self::break_off).
    pub(crate) fn wait(&self, most: u64) {
        self.wait_until(most, None);
    }

    /// As [`wait`](Self::wait), but for no longer than `time`; says whether the wait is over.
    pub(crate) fn wait_for(&self, most: u64, time: Duration) -> bool {
        self.wait_until(most, Some(Instant::now() + time))
    }

    fn wait_until(&self, most: u64, until: Option<Instant>) -> bool {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            // Announces and looks in one step: whoever counts down after it sees that somebody waits.
            let known = awaited(self.state.load(Ordering::Relaxed));
            let wanted = known.max(most + 1);
            let state = self
                .state
                .fetch_add((wanted - known) * AWAITED, Ordering::Acquire);
            let is_over = state & COUNT <= most || state & BROKEN != 0;
            if is_over || left.is_some_and(|left| left.is_zero()) {
                // Others who wait announce themselves again.
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

    /// The number of operations under way.
    #[allow(dead_code, reason = "not of the model that checks the count")]
    pub(crate) fn count(&self) -> u64 {
        self.state.load(Ordering::Acquire) & COUNT
    }

    /// Whether nothing is under way.
    pub(crate) fn is_none(&self) -> bool {
        self.state.load(Ordering::Acquire) & COUNT == 0
    }

    /// Whether more may begin.
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) & CLOSED == 0
    }

    /// Lets nothing more begin. What has begun goes on, and can be waited for.
    pub(crate) fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::Relaxed);
    }

    /// Lets nothing more begin, and everyone go who waits: what has begun may never end.
    pub(crate) fn break_off(&self) {
        self.state.fetch_or(CLOSED | BROKEN, Ordering::Release);
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.fell.notify_all();
    }
}
