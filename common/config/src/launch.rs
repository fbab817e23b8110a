//! The launch that this process is part of, as its launcher's environment variables tell it.
//!
//! A launcher (`mpirun`, `srun`, ...) starts the same program several times and tells each process, by variables of its own,
//! which one it is. [`Launch::detect`] reads them; `weft run` and the runtime both go by it.

mod check;
mod detect;
mod families;
mod process;
mod read;
mod slurm;

pub use process::{Launch, Launcher, MAX_RANKS};
