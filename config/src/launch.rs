//! The launch that this process is part of, as its launcher's environment variables tell it.
//!
//! A launcher (`mpirun`, `srun`, ...) starts the same program several times and tells each process, by variables of its own,
//! which one it is. [`Launch::detect`] reads them; `weft run` and the runtime both go by it.

mod families;
mod read;
mod slurm;

use crate::error::ConfigError;

pub use families::Launcher;

/// The most ranks of a launch: a rank is the top 15 bits of every UID, and all ones stand for what ranks do alike.
pub const MAX_RANKS: u16 = (1 << 15) - 1;

/// Which process of a launch this one is.
///
/// ```
/// use weft_config::launch::{Launch, Launcher};
///
/// let variables = [("PMI_RANK", "3"), ("PMI_SIZE", "4"), ("MPI_LOCALRANKID", "1"), ("MPI_LOCALNRANKS", "2")];
/// let launch = Launch::from_variables(|name| {
///     variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
/// })?;
/// let launch = launch.expect("the variables are MPICH's");
/// assert_eq!((launch.rank, launch.size, launch.by), (3, 4, Launcher::Mpich));
/// assert_eq!((launch.local_rank, launch.local_size), (1, 2));
/// # Ok::<(), weft_config::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Its number in the launch, below `size`.
    pub rank: u16,
    /// Processes of the launch, at least 1 and at most [`MAX_RANKS`].
    pub size: u16,
    /// Its number among those on its node, below `local_size`.
    pub local_rank: u16,
    /// Processes of the launch on its node, at least 1 and at most `size`.
    pub local_size: u16,
    /// Who has started it.
    pub by: Launcher,
}

impl Launch {
    /// What this process's environment says. `None`: nobody has started it as a rank.
    ///
    /// # Errors
    /// A variable of a launcher is no number, one that is needed is missing, or two contradict each other.
    pub fn detect() -> Result<Option<Launch>, ConfigError> {
        Launch::from_variables(|name| {
            let value = std::env::var_os(name)?;
            Some(value.to_string_lossy().into_owned())
        })
    }

    /// The same, of an environment that `get` reads. A variable that is empty counts as absent.
    ///
    /// Several launchers may have left variables: Open MPI's ranks see those of the Slurm step in which its daemon runs. So the first
    /// of Open MPI, jsrun, MVAPICH2, MPICH and Slurm is believed. Ranks of MPI libraries that differ are an error, except where one of the
    /// launches is of one process, which holds the other.
    ///
    /// # Errors
    /// As of [`Launch::detect`].
    pub fn from_variables(
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Launch>, ConfigError> {
        families::launch(&read::Variables::new(&get))
    }

    /// Whether there are other ranks.
    pub fn is_shared(&self) -> bool {
        self.size > 1
    }
}

/// As in `rank 3 of 4, started by MPICH`.
impl std::fmt::Display for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Launch { rank, size, by, .. } = self;
        write!(f, "rank {rank} of {size}, started by {by}")
    }
}

#[cfg(test)]
mod tests;
