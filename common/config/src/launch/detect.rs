//! The launch around this process.

use super::families;
use super::process::Launch;
use super::read::Variables;
use crate::error::ConfigError;

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
        families::launch(&Variables::new(&get))
    }
}

#[cfg(test)]
mod tests;
