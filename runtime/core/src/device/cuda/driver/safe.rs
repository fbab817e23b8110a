//! What the CUDA driver hands out, as values that give it back when they are dropped. Each keeps its context alive,
//! so that whatever is dropped last, everything ends before the context does.

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
pub(super) use solver::{Solver, load as load_solver};
pub(super) use stream::Stream;
