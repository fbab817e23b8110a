//! Which process of a launch one is.

use strum::Display;

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

/// What has started the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
pub enum Launcher {
    /// `mpirun` of Open MPI, or what is made of it.
    #[strum(to_string = "Open MPI")]
    OpenMpi,
    /// `jsrun`.
    #[strum(to_string = "jsrun")]
    Jsrun,
    /// `mpirun_rsh` of MVAPICH2.
    #[strum(to_string = "MVAPICH2")]
    Mvapich,
    /// `mpirun` of MPICH, or another launcher that speaks its process management interface (PMI).
    #[strum(to_string = "MPICH")]
    Mpich,
    /// `srun`.
    Slurm,
}

impl Launcher {
    /// The environment variable that holds a rank's number in the whole launch.
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
