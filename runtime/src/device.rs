//! The machines that tasks run on.

pub(crate) mod cpu;
pub(crate) mod cuda;
