//! Execution of tasks: on CPUs, on GPUs, and by MPI for messages between ranks.

pub(crate) mod cpu;
pub(crate) mod cuda;
mod executor;
mod party;
mod posted;
mod queues;
mod words;

#[cfg(not(feature = "mpi"))]
mod alone;
#[cfg(feature = "mpi")]
mod mpi;

pub(crate) use executor::{Bodies, Executor, MESSAGES, MessageWork, Run};
pub(crate) use party::Party;
pub(crate) use posted::{Elements, Posted, Said, StagedMemory};
pub(crate) use queues::Queues;
pub(crate) use words::{bytes_of, words_of};

#[cfg(not(feature = "mpi"))]
pub(crate) use alone::{Patience, SentMessages, World};
#[cfg(feature = "mpi")]
pub(crate) use mpi::{Patience, SentMessages, World};
