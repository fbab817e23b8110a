//! Work in streams.

use super::fft::Fft;
use super::gemm::Gemm;
use super::handle::Id;
use super::solver::SolverCall;
use crate::host::paging::Location;

/// One piece of work in a queue.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its number among all.
    pub(crate) id: u64,
    /// Pieces that must run before it, apart from those before it in its queue.
    pub(crate) after: Vec<u64>,
    /// The GPU that it belongs to.
    pub(crate) gpu: usize,
    pub(crate) body: Body,
    pub(crate) origin: Origin,
}

/// The origin of work, for CUPTI's records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    /// The correlation of the call that issued it.
    pub(crate) correlation: u32,
    /// CUPTI's number of the stream.
    pub(crate) stream: u32,
    /// CUPTI's numbers of the graph and the node; 0 outside of graphs.
    pub(crate) graph: u32,
    pub(crate) node: u64,
}

/// The kind of work.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// No work: a point that other work waits for.
    Nothing,
    /// Sets an event's time.
    Record(Id),
    Kernel(KernelCall),
    Gemm(Gemm),
    /// A kernel of cuFFT that does not compute any of the result.
    FftPass(Fft),
    Fft(Fft),
    Solver(SolverCall),
    /// Fills memory with a repeated value.
    Fill {
        to: u64,
        pattern: u32,
        width: u64,
        count: u64,
    },
    /// Moves pages of unified memory to a place.
    Prefetch {
        address: u64,
        bytes: u64,
        to: Location,
    },
    /// Copies bytes.
    Copy {
        from: Source,
        to: u64,
        bytes: u64,
    },
}

/// The source of a copy.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Address(u64),
    /// Bytes of pageable memory, as they were at the call.
    Staged(Vec<u8>),
}

/// A launch with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct KernelCall {
    pub(crate) function: Id,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    /// The bytes of each parameter.
    pub(crate) arguments: Vec<Vec<u8>>,
}
