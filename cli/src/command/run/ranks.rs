//! The number of ranks, and their launcher.

use weft_config::Launch;
use weft_config::flag::Flag;
use weft_config::flags::Flags;
use weft_config::launch::MAX_RANKS;
use weft_config::machine::{Machine, Shared, tool};

use super::launcher::{Counts, Launcher};
use crate::error::CliError;

/// The ranks of a run.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    /// Machines.
    pub(super) nodes: u16,
    /// Ranks on each machine; on this one if another program launched them.
    pub(super) per_node: u16,
    /// All ranks.
    pub(super) all: u16,
    /// The launcher to start; `None` if this process is the only rank, or is one already.
    pub(super) start: Option<Launcher>,
    /// The launch that this process is a rank of, if it has several ranks.
    pub(super) joined: Option<Launch>,
}

impl Ranks {
    /// Returns whether this process starts or is the rank of this number.
    pub(super) fn has(&self, rank: u32) -> bool {
        match &self.joined {
            Some(own) => rank == u32::from(own.rank),
            None => rank < u32::from(self.all),
        }
    }

    /// Determines the ranks from the flags and the launch around this process. Runs `mpirun
    /// --version` if it is the launcher.
    pub(super) fn decide(flags: &Flags, around: Option<Launch>) -> Result<Ranks, CliError> {
        let number = |flag| {
            let number = flags.number(flag)?;
            u16::try_from(number).ok()
        };
        let (nodes, per_node) = (number(Flag::Nodes), number(Flag::RanksPerNode));
        let launcher = flags.text(Flag::Launcher);
        if let Some(around) = around.filter(Launch::is_shared) {
            return join_launch(around, nodes, per_node, launcher);
        }
        let (asked, nodes, per_node) =
            ((nodes, per_node), nodes.unwrap_or(1), per_node.unwrap_or(1));
        let all = u32::from(nodes) * u32::from(per_node);
        let Some(all) = u16::try_from(all).ok().filter(|all| *all <= MAX_RANKS) else {
            return Err(CliError::usage(
                format!(
                    "{nodes} nodes with {per_node} ranks each are {all} ranks, but a run has at most {MAX_RANKS}"
                ),
                "reduce --nodes or --ranks-per-node",
            ));
        };
        let start = match launcher {
            Some("none") if all > 1 => {
                return Err(CliError::usage(
                    format!(
                        "{} with --launcher none: no launcher has started this process as a rank",
                        shown(asked)
                    ),
                    "give --launcher mpirun, srun or jsrun, or have one of them start `weft run` itself",
                ));
            }
            Some("none") => None,
            Some(name) => Some(Launcher::from_name(name)?),
            None if all > 1 => Some(Launcher::from_name(usual())?),
            None => None,
        };
        Ok(Ranks {
            nodes,
            per_node,
            all,
            start,
            joined: None,
        })
    }

    /// Returns the numbers for the launcher.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            nodes: self.nodes,
            per_node: self.per_node,
            all: self.all,
        }
    }

    /// Returns whether there are several.
    pub(super) fn are_several(&self) -> bool {
        self.all > 1
    }

    /// Returns the machine as a rank will see it. Only the nodes of the ranks can check flags for
    /// GPUs, which this machine may lack.
    pub(super) fn machine(&self, flags: &Flags) -> Machine {
        if let Some(launch) = &self.joined {
            return Machine::probe_for_rank(flags, launch);
        }
        let mut machine = Machine::probe_for(flags);
        if self.start.is_some() {
            let asked = flags.number(Flag::Gpus).unwrap_or(0);
            machine.gpus = machine.gpus.max(usize::try_from(asked).unwrap_or(0));
        }
        if self.per_node > 1 {
            machine.shared = Some(Shared {
                rank: 0,
                ranks: self.per_node,
                cores: machine.cores,
                own_gpus: flags.get(Flag::GpuBind).is_some(),
            });
            machine.cores = machine.cores.div_ceil(usize::from(self.per_node)).max(1);
        }
        machine
    }
}

/// Returns the ranks that another program has launched; the flags must agree.
fn join_launch(
    around: Launch,
    nodes: Option<u16>,
    per_node: Option<u16>,
    launcher: Option<&str>,
) -> Result<Ranks, CliError> {
    if let Some(name) = launcher.filter(|name| *name != "none") {
        return Err(CliError::usage(
            format!("--launcher {name}: this process is already {around}"),
            "omit --launcher, or start `weft run` without a launcher around it",
        ));
    }
    let local = around.local_size;
    let wrong_here = per_node.is_some_and(|asked| asked != local);
    let on_each = u32::from(per_node.unwrap_or(local));
    let wrong_in_all =
        nodes.is_some_and(|nodes| u32::from(nodes) * on_each != u32::from(around.size));
    if wrong_here || wrong_in_all {
        return Err(CliError::usage(
            format!(
                "{}: this process is {around}, with {local} on this node",
                shown((nodes, per_node))
            ),
            "omit these flags, or start that many ranks with the launcher",
        ));
    }
    Ok(Ranks {
        nodes: nodes.unwrap_or_else(|| around.size.div_ceil(local.max(1))),
        per_node: local,
        all: around.size,
        start: None,
        joined: Some(around),
    })
}

/// Formats the flags as given.
fn shown((nodes, per_node): (Option<u16>, Option<u16>)) -> String {
    let nodes = nodes.map(|nodes| format!("--nodes {nodes}"));
    let per_node = per_node.map(|ranks| format!("--ranks-per-node {ranks}"));
    nodes
        .into_iter()
        .chain(per_node)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the default launcher of several ranks, by the scheduler around this process.
fn usual() -> &'static str {
    let inside = |variable: &str, program: &str| {
        std::env::var_os(variable).is_some() && tool::find_program(program.as_ref()).is_some()
    };
    if inside("SLURM_JOB_ID", "srun") {
        "srun"
    } else if inside("LSB_JOBID", "jsrun") {
        "jsrun"
    } else {
        "mpirun"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_config::flags::Reader;
    use weft_config::launch::Launcher as By;

    fn decide(text: &str, around: Option<Launch>) -> Result<Ranks, String> {
        let words: Vec<String> = text.split_whitespace().map(Into::into).collect();
        let flags = Flags::from_words(&words, Reader::Launcher).unwrap();
        Ranks::decide(&flags, around).map_err(|error| error.to_string())
    }

    const FOUR: Launch = Launch {
        rank: 3,
        size: 4,
        local_rank: 1,
        local_size: 2,
        by: By::Mpich,
    };

    #[test]
    fn joins_an_outer_launch() {
        for text in [
            "",
            "--launcher none",
            "--nodes 2",
            "--ranks-per-node 2 --nodes 2",
        ] {
            let ranks = decide(text, Some(FOUR)).unwrap();
            assert_eq!(
                (ranks.nodes, ranks.per_node, ranks.all),
                (2, 2, 4),
                "{text}"
            );
            assert_eq!(ranks.joined, Some(FOUR));
            assert!(ranks.start.is_none());
        }
    }

    #[test]
    fn rejects_flags_that_contradict_the_outer_launch() {
        for (text, message) in [
            (
                "--launcher mpirun",
                "--launcher mpirun: this process is already rank 3 of 4, started by MPICH; \
                 omit --launcher, or start `weft run` without a launcher around it",
            ),
            (
                "--ranks-per-node 8",
                "--ranks-per-node 8: this process is rank 3 of 4, started by MPICH, with 2 on this node; \
                 omit these flags, or start that many ranks with the launcher",
            ),
            (
                "--nodes 3 --ranks-per-node 2 --launcher none",
                "--nodes 3 --ranks-per-node 2: this process is rank 3 of 4, started by MPICH, with 2 on this node; \
                 omit these flags, or start that many ranks with the launcher",
            ),
        ] {
            assert_eq!(decide(text, Some(FOUR)).unwrap_err(), message);
        }
    }

    #[test]
    fn one_rank_needs_no_launcher() {
        let alone = Launch {
            rank: 0,
            size: 1,
            local_rank: 0,
            local_size: 1,
            by: By::Slurm,
        };
        for around in [None, Some(alone)] {
            for text in ["", "--launcher none", "--nodes 1 --ranks-per-node 1"] {
                let ranks = decide(text, around).unwrap();
                assert_eq!((ranks.all, ranks.start.is_some()), (1, false), "{text}");
                assert!(ranks.joined.is_none());
            }
        }
    }

    #[test]
    fn rejects_impossible_launches() {
        assert_eq!(
            decide("--ranks-per-node 2 --launcher none", None).unwrap_err(),
            "--ranks-per-node 2 with --launcher none: no launcher has started this process as a rank; \
             give --launcher mpirun, srun or jsrun, or have one of them start `weft run` itself"
        );
        assert_eq!(
            decide("--nodes 300 --ranks-per-node 200", None).unwrap_err(),
            "300 nodes with 200 ranks each are 60000 ranks, but a run has at most 32767; reduce --nodes or --ranks-per-node"
        );
    }

    #[test]
    fn scheduler_launchers_start_all_ranks() {
        let ranks = decide("--nodes 2 --ranks-per-node 3 --launcher srun", None).unwrap();
        assert!(ranks.are_several());
        assert_eq!((ranks.all, ranks.start), (6, Some(Launcher::Srun)));
    }
}
