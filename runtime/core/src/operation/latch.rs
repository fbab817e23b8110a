//! A latch, to wait for the end of one operation.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::sync::{AtomicBool, Condvar, Mutex, spin};

/// Number of polls of a waiting program before it sleeps.
const SPINS: u32 = 2000;

/// A latch that opens once and stays open.
#[derive(Default)]
pub struct Latch {
    open: AtomicBool,
    lock: Mutex<()>,
    opened: Condvar,
}

impl Latch {
    /// Opens the latch and releases all waiters, present and future.
    pub fn open(&self) {
        self.open.store(true, Ordering::Release);
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.opened.notify_all();
    }

    /// Polls for a while; returns whether it is open.
    pub fn spin(&self) -> bool {
        spin(SPINS, || self.open.load(Ordering::Acquire))
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Sleeps until it is open, for at most `most`; returns whether it is open.
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
