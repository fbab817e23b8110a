//! Objects of the CUDA driver, as values that release them when dropped. Each keeps its context
//! alive, so in any order of drops, every object ends before its context.

mod blas;
mod context;
mod event;
mod fft;
mod graph;
mod memory;
mod module;
mod solver;
mod stream;
mod vendor;

pub(super) use blas::Blas;
pub(super) use context::{Context, enter_thread};
pub(super) use event::Event;
pub(super) use fft::Plans;
pub(super) use graph::{Graph, Node, Template};
pub(super) use memory::{DeviceMemory, PinnedMemory};
pub(super) use module::Function;
pub(super) use solver::Solver;
pub(super) use stream::Stream;
