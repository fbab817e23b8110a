//! Counters of issued work.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::work::Issued;
use crate::at_exit;

/// Counters that any thread may update.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) kernels: AtomicU64,
    pub(super) products: AtomicU64,
    pub(super) transforms: AtomicU64,
    pub(super) fills: AtomicU64,
    pub(super) copies: AtomicU64,
    pub(super) graphs: AtomicU64,
    pub(super) graph_kernels: AtomicU64,
}

impl Counts {
    pub(super) fn read(&self) -> Issued {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Issued {
            kernels: read(&self.kernels),
            products: read(&self.products),
            transforms: read(&self.transforms),
            fills: read(&self.fills),
            copies: read(&self.copies),
            graphs: read(&self.graphs),
            graph_kernels: read(&self.graph_kernels),
        }
    }
}

/// Adds to a counter.
///
/// During some first calls, which are not documented, NVIDIA's libraries register functions that
/// run at exit. Therefore this process registers its own again when a counter reaches a power of
/// two.
pub(super) fn add(count: &AtomicU64, number: usize) {
    let before = count.fetch_add(number as u64, Ordering::Relaxed);
    let after = before + number as u64;
    if before.checked_ilog2() != after.checked_ilog2() {
        at_exit::move_to_front();
    }
}
