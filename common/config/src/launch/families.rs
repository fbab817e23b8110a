//! The variables of each launcher.
//!
//! Sources: mpirun(1) of Open MPI 4.1 ("Environment variables"); MPICH's Hydra (`hydra_pmi_proxy`,
//! seen of 4.0.2) and Cray's PALS for `PMI_*`; MVAPICH2's user guide; jsrun's `JSM_NAMESPACE_*`
//! (IBM Job Step Manager); srun(1), "OUTPUT ENVIRONMENT VARIABLES".

use super::check::{check, lone};
use super::process::{Launch, Launcher};
use super::read::{Number, Variables, contradiction, error};
use super::slurm;
use crate::error::ConfigError;

/// The variables of a launcher. Some have several names, from different versions.
struct Family {
    by: Launcher,
    size: &'static [&'static str],
    local_rank: &'static [&'static str],
    local_size: &'static [&'static str],
}

/// The launchers in order of precedence.
const FAMILIES: [Family; 4] = [
    Family {
        by: Launcher::OpenMpi,
        size: &["OMPI_COMM_WORLD_SIZE"],
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        local_size: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
    },
    Family {
        by: Launcher::Jsrun,
        size: &["JSM_NAMESPACE_SIZE"],
        local_rank: &["JSM_NAMESPACE_LOCAL_RANK"],
        local_size: &["JSM_NAMESPACE_LOCAL_SIZE"],
    },
    Family {
        by: Launcher::Mvapich,
        size: &["MV2_COMM_WORLD_SIZE"],
        local_rank: &["MV2_COMM_WORLD_LOCAL_RANK"],
        local_size: &["MV2_COMM_WORLD_LOCAL_SIZE"],
    },
    Family {
        by: Launcher::Mpich,
        size: &["PMI_SIZE"],
        local_rank: &["MPI_LOCALRANKID", "PMI_LOCAL_RANK"],
        local_size: &["MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"],
    },
];

/// Returns the launch that the variables describe.
pub(super) fn launch(variables: &Variables<'_>) -> Result<Option<Launch>, ConfigError> {
    let mut found: Option<(Launch, &'static str)> = None;
    let step = slurm::step(variables)?;
    for family in &FAMILIES {
        let Some((launch, size)) = family.read(variables, step)? else {
            continue;
        };
        found = Some(match found {
            None => (launch, size),
            // A launch of a single process contains the other: it is a shell that a launcher
            // started.
            Some((first, _)) if first.size == 1 => (launch, size),
            Some((first, name)) => {
                let same = (first.rank, first.size) == (launch.rank, launch.size);
                if launch.size > 1 && !same {
                    let number = |name, value| Number { name, value };
                    return Err(if first.size == launch.size {
                        contradiction(
                            number(first.by.rank_variable(), first.rank),
                            number(launch.by.rank_variable(), launch.rank),
                            "says otherwise",
                        )
                    } else {
                        contradiction(
                            number(name, first.size),
                            number(size, launch.size),
                            "says otherwise",
                        )
                    });
                }
                (first, name)
            }
        });
    }
    let found = found.map(|(launch, _)| launch).or(step);
    check_pmix(variables, found)?;
    Ok(found)
}

impl Family {
    /// Returns the launch, and the variable with its size. Numbers that the launcher leaves out are
    /// taken from a Slurm step with the same rank.
    fn read(
        &self,
        variables: &Variables<'_>,
        step: Option<Launch>,
    ) -> Result<Option<(Launch, &'static str)>, ConfigError> {
        let rank = variables.first(&[self.by.rank_variable()])?;
        let size = variables.first(self.size)?;
        let (rank, size) = match (rank, size) {
            (None, None) => return Ok(None),
            (Some(rank), Some(size)) => (rank, size),
            (None, Some(has)) => return Err(lone(has, self.by.rank_variable())),
            (Some(has), None) => return Err(lone(has, self.size[0])),
        };
        let local_rank = variables.first(self.local_rank)?;
        let local_size = variables.first(self.local_size)?;
        let step = step.filter(|step| (step.rank, step.size) == (rank.value, size.value));
        let (local_rank, local_size) = match (local_rank, local_size, step) {
            (Some(rank), Some(size), _) => (rank, size),
            (None, None, Some(step)) => (
                Number {
                    name: "SLURM_LOCALID",
                    value: step.local_rank,
                },
                Number {
                    name: "SLURM_STEP_TASKS_PER_NODE",
                    value: step.local_size,
                },
            ),
            // A single rank is alone on its node.
            (None, None, None) if size.value == 1 => {
                (Number { value: 0, ..rank }, Number { value: 1, ..size })
            }
            (Some(_), None, _) => return Err(lone(rank, self.local_size[0])),
            (None, _, _) => return Err(lone(rank, self.local_rank[0])),
        };
        check(rank, size, local_rank, local_size)?;
        let launch = Launch {
            rank: rank.value,
            size: size.value,
            local_rank: local_rank.value,
            local_size: local_size.value,
            by: self.by,
        };
        Ok(Some((launch, size.name)))
    }
}

/// Checks the rank that PMIx sets. PMIx sets no size, so the rank alone is an error; with Open
/// MPI's it must agree.
fn check_pmix(variables: &Variables<'_>, found: Option<Launch>) -> Result<(), ConfigError> {
    let Some(pmix) = variables.first(&["PMIX_RANK"])? else {
        return Ok(());
    };
    match found {
        None => Err(error(
            pmix.name,
            Some(pmix.value.to_string()),
            "no variable gives the number of ranks".to_owned(),
        )),
        // Open MPI's ranks do not inherit the environment of their daemon; those of other launchers
        // do.
        Some(launch) if launch.by == Launcher::OpenMpi && launch.rank != pmix.value => {
            let rank = Number {
                name: launch.by.rank_variable(),
                value: launch.rank,
            };
            Err(contradiction(rank, pmix, "says otherwise"))
        }
        Some(_) => Ok(()),
    }
}
