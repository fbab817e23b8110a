//! Detection of the launch that this process is part of.

use super::families;
use super::process::Launch;
use super::read::Variables;
use crate::error::ConfigError;

impl Launch {
    /// Reads the launch from this process's environment; `None` if it was not started as a rank.
    ///
    /// # Errors
    /// Returns an error if a launcher's variable is not a number, a required one is missing, or two
    /// contradict each other.
    pub fn detect() -> Result<Option<Launch>, ConfigError> {
        Launch::from_variables(|name| {
            let value = std::env::var_os(name)?;
            Some(value.to_string_lossy().into_owned())
        })
    }

    /// Reads the launch from the variables that `get` returns. An empty variable counts as absent.
    ///
    /// Several launchers may have set variables: Open MPI's ranks see those of the Slurm step in
    /// which its daemon runs. The order of precedence is Open MPI, jsrun, MVAPICH2, MPICH, Slurm.
    /// Different ranks from two MPI libraries are an error, unless one of the launches has a single
    /// process, which contains the other.
    ///
    /// # Errors
    /// See [`Launch::detect`].
    pub fn from_variables(
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Launch>, ConfigError> {
        families::launch(&Variables::new(&get))
    }
}

#[cfg(test)]
mod tests;
