//! The launch that this process is part of, according to its launcher's environment variables.
//!
//! A launcher (`mpirun`, `srun`, ...) starts the same program several times, and sets variables of
//! its own that tell each process its number. [`Launch::detect`] reads them, for `weft run` and for
//! the runtime.

mod check;
mod detect;
mod families;
mod process;
mod read;
mod slurm;

pub use process::{Launch, Launcher, MAX_RANKS};
