//! A process of a launch.

use strum::Display;

/// The most ranks of a launch: a rank is the top 15 bits of every UID, and all ones mark what every
/// rank does.
pub const MAX_RANKS: u16 = (1 << 15) - 1;

/// The place of this process in its launch.
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
    /// The number of this process in the launch, below `size`.
    pub rank: u16,
    /// The number of processes of the launch, from 1 to [`MAX_RANKS`].
    pub size: u16,
    /// The number of this process among those on its node, below `local_size`.
    pub local_rank: u16,
    /// The number of processes of the launch on this node, from 1 to `size`.
    pub local_size: u16,
    /// The launcher that started the process.
    pub by: Launcher,
}

impl Launch {
    /// Whether there are other ranks.
    pub fn is_shared(&self) -> bool {
        self.size > 1
    }
}

/// Formats the launch as `rank 3 of 4, started by MPICH`.
impl std::fmt::Display for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Launch { rank, size, by, .. } = self;
        write!(f, "rank {rank} of {size}, started by {by}")
    }
}

/// A launcher of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
pub enum Launcher {
    /// `mpirun` of Open MPI, or a launcher derived from it.
    #[strum(to_string = "Open MPI")]
    OpenMpi,
    /// `jsrun`.
    #[strum(to_string = "jsrun")]
    Jsrun,
    /// `mpirun_rsh` of MVAPICH2.
    #[strum(to_string = "MVAPICH2")]
    Mvapich,
    /// `mpirun` of MPICH, or another launcher with its process management interface (PMI).
    #[strum(to_string = "MPICH")]
    Mpich,
    /// `srun`.
    Slurm,
}

impl Launcher {
    /// Returns the environment variable with a rank's number in the whole launch.
    pub const fn rank_variable(self) -> &'static str {
        match self {
            Launcher::OpenMpi => "OMPI_COMM_WORLD_RANK",
            Launcher::Jsrun => "JSM_NAMESPACE_RANK",
            Launcher::Mvapich => "MV2_COMM_WORLD_RANK",
            Launcher::Mpich => "PMI_RANK",
            Launcher::Slurm => "SLURM_PROCID",
        }
    }
}
