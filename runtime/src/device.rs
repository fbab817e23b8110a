//! The machines that tasks run on.

pub(crate) mod cpu;
pub(crate) mod cuda;

#[cfg(not(feature = "mpi"))]
mod alone;
#[cfg(feature = "mpi")]
mod mpi;

#[cfg(not(feature = "mpi"))]
pub(crate) use alone::{Patience, World};
#[cfg(feature = "mpi")]
pub(crate) use mpi::{Patience, World};
