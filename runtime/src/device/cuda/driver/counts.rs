//! How much was issued, for comparison with what CUPTI and nsys saw.

use std::sync::atomic::{AtomicU64, Ordering};

/// What the driver was asked to put into streams, and took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Issued {
    /// Launches of generated kernels, outside of graphs.
    pub(crate) kernels: u64,
    /// Products by cuBLAS, each of which is one kernel or several.
    pub(crate) products: u64,
    /// Fills.
    pub(crate) fills: u64,
    /// Copies.
    pub(crate) copies: u64,
    /// Launches of graphs.
    pub(crate) graphs: u64,
    /// Kernels in them, each counted at each launch.
    pub(crate) graph_kernels: u64,
}

/// Counts, from any thread.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) kernels: AtomicU64,
    pub(super) products: AtomicU64,
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
            fills: read(&self.fills),
            copies: read(&self.copies),
            graphs: read(&self.graphs),
            graph_kernels: read(&self.graph_kernels),
        }
    }
}

pub(super) fn add(count: &AtomicU64, number: usize) {
    count.fetch_add(number as u64, Ordering::Relaxed);
}
