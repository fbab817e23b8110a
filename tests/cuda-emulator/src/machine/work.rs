//! What can be in a stream.

use super::fft::Fft;
use super::gemm::Gemm;
use super::handle::Id;
use super::solver::SolverCall;

/// One piece of work in a queue.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its number among all.
    pub(crate) id: u64,
    /// What must have run before it, apart from what stands before it in its queue.
    pub(crate) after: Vec<u64>,
    /// Whose it is.
    pub(crate) gpu: usize,
    pub(crate) body: Body,
    pub(crate) origin: Origin,
}

/// Where it comes from, as CUPTI tells it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin {
    /// Of the call that issued it.
    pub(crate) correlation: u32,
    /// CUPTI's number of the stream.
    pub(crate) stream: u32,
    /// CUPTI's numbers of the graph and the node; 0 without.
    pub(crate) graph: u32,
    pub(crate) node: u64,
}

/// What it does.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Nothing: something to wait for, or with.
    Nothing,
    /// Sets an event's time.
    Record(Id),
    Kernel(KernelCall),
    Gemm(Gemm),
    /// A kernel of cuFFT that computes nothing of the result.
    FftPass(Fft),
    Fft(Fft),
    Solver(SolverCall),
    /// The same bytes again and again.
    Fill {
        to: u64,
        pattern: u32,
        width: u64,
        count: u64,
    },
    /// Bytes from one place to another.
    Copy {
        from: Source,
        to: u64,
        bytes: u64,
    },
}

/// Where a copy reads.
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
