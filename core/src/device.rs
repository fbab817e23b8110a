//! The machines that tasks run on.

pub(crate) mod cpu;
pub(crate) mod cuda;
mod posted;

#[cfg(not(feature = "mpi"))]
mod alone;
#[cfg(feature = "mpi")]
mod mpi;

pub(crate) use posted::{Elements, Posted, Said, StagedMemory};

#[cfg(not(feature = "mpi"))]
pub(crate) use alone::{Patience, Told, World};
#[cfg(feature = "mpi")]
pub(crate) use mpi::{Patience, Told, World};
