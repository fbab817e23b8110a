//! Waiting for the end of one operation.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::sync::{AtomicBool, Condvar, Mutex, spin};

/// How often a waiting program looks before it sleeps.
const SPINS: u32 = 2000;

/// Opens once.
#[derive(Default)]
pub struct Latch {
    open: AtomicBool,
    lock: Mutex<()>,
    opened: Condvar,
}

impl Latch {
    /// Lets everyone through, for good.
    pub fn open(&self) {
        self.open.store(true, Ordering::Release);
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.opened.notify_all();
    }

    /// Looks a while whether it is open.
    pub fn spin(&self) -> bool {
        spin(SPINS, || self.open.load(Ordering::Acquire))
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Sleeps until it is open or the time is over, and says whether it is open.
    pub fn wait_for(&self, most: Duration) -> bool {
        let until = Instant::now() + most;
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.open.load(Ordering::Acquire) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            guard = self
                .opened
                .wait_timeout(guard, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        true
    }

    /// Sleeps until it is open.
    pub fn wait(&self) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.open.load(Ordering::Acquire) {
            guard = self
                .opened
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
