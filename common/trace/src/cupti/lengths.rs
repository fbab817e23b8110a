//! The lengths of records in each version of the library.

use super::activity::kind;

/// The oldest `cuptiGetVersion` whose records have all fields that are read: CUDA 12.0.
pub const OLDEST: u32 = 18;

/// The first `cuptiGetVersion` that is unknown: CUDA 14.0.
pub const TOO_NEW: u32 = 140_000;

/// The sizes of records in bytes, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    kernel: usize,
    memcpy: usize,
    memset: usize,
    memory: usize,
    unified: usize,
    synchronization: usize,
    overhead: usize,
    graph_trace: usize,
}

const CUDA_12_0: Lengths = Lengths {
    kernel: 208,
    memcpy: 88,
    memset: 88,
    memory: 120,
    unified: 64,
    synchronization: 40,
    overhead: 40,
    graph_trace: 48,
};

const CUDA_12_4: Lengths = Lengths {
    overhead: 56,
    graph_trace: 56,
    ..CUDA_12_0
};

const CUDA_12_9: Lengths = Lengths {
    memcpy: 96,
    memory: 128,
    unified: 104,
    synchronization: 56,
    ..CUDA_12_4
};

const CUDA_13_0: Lengths = Lengths {
    kernel: 216,
    ..CUDA_12_9
};

const CUDA_13_1: Lengths = Lengths {
    kernel: 224,
    ..CUDA_13_0
};

const CUDA_13_3: Lengths = Lengths {
    kernel: 232,
    ..CUDA_13_0
};

const CUDA_13_4: Lengths = Lengths {
    kernel: 248,
    memcpy: 112,
    memset: 104,
    ..CUDA_13_0
};

impl Lengths {
    /// Returns the lengths of the library with this `cuptiGetVersion`; `None` if they were not
    /// measured.
    pub const fn of_version(version: u32) -> Option<Lengths> {
        Some(match version {
            18 | 19 => CUDA_12_0,
            22 => CUDA_12_4,
            27 | 28 => CUDA_12_9,
            130_000..=130_099 => CUDA_13_0,
            130_100..=130_299 => CUDA_13_1,
            130_300..=130_399 => CUDA_13_3,
            130_400..=130_599 => CUDA_13_4,
            _ => return None,
        })
    }

    /// Returns the length of a record of this kind; `None` if the kind is unknown.
    pub const fn of(&self, kind: u32) -> Option<usize> {
        Some(match kind {
            kind::KERNEL | kind::CONCURRENT_KERNEL => self.kernel,
            kind::MEMCPY => self.memcpy,
            kind::MEMCPY2 => 96,
            kind::MEMSET => self.memset,
            kind::DRIVER | kind::RUNTIME => 40,
            kind::EXTERNAL_CORRELATION => 24,
            kind::SYNCHRONIZATION => self.synchronization,
            kind::MEMORY2 => self.memory,
            kind::UNIFIED_MEMORY_COUNTER => self.unified,
            kind::OVERHEAD => self.overhead,
            kind::GRAPH_TRACE => self.graph_trace,
            _ => return None,
        })
    }
}
