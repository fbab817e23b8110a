//! This process and its ancestors, according to /proc.

use std::fs;

use crate::launch::Launch;
use crate::list;

/// Returns the cores that a process may run on; none if the operating system does not report them.
pub fn allowed(process: &str) -> Vec<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .and_then(|text| list::parse(text.trim()))
        .unwrap_or_default()
}

/// Returns the process that started the ranks of this node: the nearest ancestor that is not a rank
/// itself, according to its variables. A process whose variables cannot be read belongs to another
/// user, such as Slurm's daemon.
pub(super) fn launcher(launch: &Launch) -> Option<u32> {
    let variable = format!("{}=", launch.by.rank_variable());
    let mut process = parent("self")?;
    while process > 1 {
        let Ok(variables) = fs::read(format!("/proc/{process}/environ")) else {
            return Some(process);
        };
        let is_rank = variables
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(variable.as_bytes()));
        if !is_rank {
            return Some(process);
        }
        process = parent(&process.to_string())?;
    }
    None
}

fn parent(process: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok()
}
