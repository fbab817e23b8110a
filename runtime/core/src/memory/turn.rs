//! Turns of threads to change a store by several operations.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static THREAD: Cell<u64> = const { Cell::new(0) };
    /// The thread whose turns the calling one uses as its own, or 0.
    static INSTEAD: Cell<u64> = const { Cell::new(0) };
}

/// Makes the calling thread use the turns of the thread `other` as its own; 0 for none. Returns the
/// previous value.
pub(crate) fn use_turns_of(other: u64) -> u64 {
    INSTEAD.replace(other)
}

/// Returns the number of the calling thread, above 0.
pub(crate) fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    match THREAD.get() {
        0 => {
            let own = NEXT.fetch_add(1, Ordering::Relaxed);
            THREAD.set(own);
            own
        }
        own => own,
    }
}

/// The number of the thread that has the turn of a store, or 0.
#[derive(Default)]
pub(crate) struct Turn(AtomicU64);

impl Turn {
    /// Whether a thread other than the calling one has the turn.
    #[inline]
    pub(crate) fn is_of_another(&self) -> bool {
        match self.0.load(Ordering::Acquire) {
            0 => false,
            owner => owner != thread() && owner != INSTEAD.get(),
        }
    }

    pub(crate) fn owner(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn is_own(&self) -> bool {
        let owner = self.owner();
        owner != 0 && (owner == thread() || owner == INSTEAD.get())
    }

    pub(crate) fn take(&self) -> bool {
        let taken = self
            .0
            .compare_exchange(0, thread(), Ordering::AcqRel, Ordering::Relaxed);
        taken.is_ok()
    }

    pub(crate) fn give_back(&self) {
        self.0.store(0, Ordering::Release);
    }
}
