//! The machines that tasks run on.

pub(crate) mod cpu;
