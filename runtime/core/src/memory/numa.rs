//! NUMA nodes of the machine.

#![allow(
    unsafe_code,
    reason = "asks the operating system which node a thread is on"
)]

use std::fs;

/// Returns the number of nodes that have memory, by the operating system's list; 1 if there is no
/// list.
pub(crate) fn memory_nodes() -> usize {
    let listed = fs::read_to_string("/sys/devices/system/node/has_memory");
    listed.map_or(1, |list| counted(list.trim())).max(1)
}

/// Returns the number of entries of a list such as `0-1,4`.
fn counted(list: &str) -> usize {
    let ranges = list.split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some(last.checked_sub(first)? + 1)
    });
    ranges.sum()
}

/// Returns the node of the calling thread, below `nodes`.
pub(super) fn node_of_thread(nodes: usize) -> usize {
    if nodes < 2 {
        return 0;
    }
    let (mut cpu, mut node) = (0_u32, 0_u32);
    // SAFETY: both pointers are to integers that live over the call.
    let done = unsafe { libc::syscall(libc::SYS_getcpu, &mut cpu, &mut node, 0) };
    if done == 0 { node as usize % nodes } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_entries_of_numa_lists() {
        for (list, nodes) in [("0", 1), ("0-1", 2), ("0-1,4,6-7", 5), ("", 0), ("2-1", 0)] {
            assert_eq!(counted(list), nodes, "{list}");
        }
        let nodes = memory_nodes();
        assert!(nodes >= 1);
        assert!(node_of_thread(nodes) < nodes);
    }
}
