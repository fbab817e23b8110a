//! From operations to CUDA C: which kernel does it, with which arguments, on how many threads. Pure functions; nothing
//! here needs a GPU.

mod chain;
mod job;

pub(crate) use chain::{Chain, Step, StepKind, Value};
pub(crate) use job::{DeviceOperand, DeviceTile, Job};

/// Names one generated kernel: everything its source depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {}
