//! Slurm's variables.

use super::check::{check, lone};
use super::process::{Launch, Launcher};
use super::read::{Number, Variables, error};
use crate::error::ConfigError;

const TASKS: &str = "SLURM_STEP_NUM_TASKS";
const PER_NODE: &str = "SLURM_STEP_TASKS_PER_NODE";

/// Returns the step that this process is a task of. The script of `sbatch` also has SLURM_PROCID
/// and SLURM_NTASKS, but is not a task: only `srun` sets the variables of the step.
pub(super) fn step(variables: &Variables<'_>) -> Result<Option<Launch>, ConfigError> {
    let Some(size) = variables.first(&[TASKS])? else {
        return Ok(None);
    };
    let need = |name| match variables.first(&[name]) {
        Ok(Some(number)) => Ok(number),
        Ok(None) => Err(lone(size, name)),
        Err(error) => Err(error),
    };
    let rank = need(Launcher::Slurm.rank_variable())?;
    let local_rank = need("SLURM_LOCALID")?;
    let local_size = Number {
        name: PER_NODE,
        value: match variables.text(PER_NODE) {
            Some(text) => {
                let node = variables
                    .first(&["SLURM_NODEID"])?
                    .map_or(0, |node| node.value);
                on_node(&text, node).ok_or_else(|| {
                    let why = format!("it lacks the number of tasks of node {node}");
                    error(PER_NODE, Some(text), why)
                })?
            }
            None if size.value == 1 => 1,
            None => return Err(lone(size, PER_NODE)),
        },
    };
    check(rank, size, local_rank, local_size)?;
    Ok(Some(Launch {
        rank: rank.value,
        size: size.value,
        local_rank: local_rank.value,
        local_size: local_size.value,
        by: Launcher::Slurm,
    }))
}

/// Returns the number of tasks of a node from a list such as `2(x3),1`: three nodes with two tasks
/// each, then one with one.
fn on_node(list: &str, node: u16) -> Option<u16> {
    let mut left = usize::from(node);
    for part in list.split(',') {
        let (tasks, nodes) = match part.split_once("(x") {
            Some((tasks, nodes)) => (tasks, nodes.strip_suffix(')')?.parse().ok()?),
            None => (part, 1_usize),
        };
        if left < nodes {
            return tasks.parse().ok();
        }
        left -= nodes;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_slurm_tasks_per_node() {
        for (node, tasks) in [(0, 2), (2, 2), (3, 1), (4, 16)] {
            assert_eq!(on_node("2(x3),1,16", node), Some(tasks), "node {node}");
        }
        for (list, node) in [("2(x3)", 3), ("", 0), ("2(x", 0), ("a(x2)", 1)] {
            assert_eq!(on_node(list, node), None, "{list}");
        }
    }
}
