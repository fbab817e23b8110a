//! What /proc says of this process and those around it.

use std::fs;

use crate::launch::Launch;
use crate::list;

/// Cores that a process may run on; none where the operating system does not say.
pub fn allowed(process: &str) -> Vec<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .and_then(|text| list::parse(text.trim()))
        .unwrap_or_default()
}

/// The process that started the ranks of this node: the nearest one around this that is no rank itself, which its variables
/// tell. One whose variables may not be read belongs to somebody else, as Slurm's daemon does.
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
