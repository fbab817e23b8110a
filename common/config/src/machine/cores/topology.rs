//! CPU topology.

use std::fs;
use std::path::Path;

use crate::list::part;

/// The place of a hardware thread: socket, NUMA node, core.
type Position = (usize, usize, usize);

/// Hardware threads in the order of their places.
#[derive(Clone, Debug)]
pub(super) struct Order(Vec<(Position, usize)>);

impl Order {
    /// Reads this machine's topology. If it is unknown, each hardware thread counts as a core, in
    /// the order of the numbers.
    pub(super) fn of_machine(cores: &[usize]) -> Order {
        let root = Path::new("/sys/devices/system/cpu");
        Order(
            cores
                .iter()
                .map(|core| (place(root, *core), *core))
                .collect(),
        )
    }

    /// Treats each hardware thread as its own core.
    #[cfg(test)]
    pub(super) fn plain(cores: &[usize]) -> Order {
        Order(cores.iter().map(|core| ((0, 0, *core), *core)).collect())
    }

    /// Splits `cores` into parts that lie near each other, each sorted. The threads of a core stay
    /// together if there are enough cores. Returns no parts if there are too few threads.
    pub(super) fn split(&self, cores: &[usize], parts: usize) -> Vec<Vec<usize>> {
        let mut placed: Vec<_> = (self.0.iter())
            .filter(|(_, core)| cores.contains(core))
            .copied()
            .collect();
        placed.sort_unstable();
        if placed.len() < parts {
            return Vec::new();
        }
        let mut units: Vec<Vec<usize>> = Vec::new();
        let mut last = None;
        for (place, core) in &placed {
            match units.last_mut() {
                Some(unit) if last == Some(*place) => unit.push(*core),
                _ => units.push(vec![*core]),
            }
            last = Some(*place);
        }
        if units.len() < parts {
            units = placed.iter().map(|(_, core)| vec![*core]).collect();
        }
        let mut units = units.into_iter();
        let all = units.len();
        (0..parts)
            .map(|at| {
                let mut own: Vec<usize> = units
                    .by_ref()
                    .take(part(all, parts, at))
                    .flatten()
                    .collect();
                own.sort_unstable();
                own
            })
            .collect()
    }
}

fn place(root: &Path, core: usize) -> Position {
    let folder = root.join(format!("cpu{core}"));
    let number = |name: &str| -> Option<usize> {
        let text = fs::read_to_string(folder.join("topology").join(name)).ok()?;
        text.trim().parse().ok()
    };
    let node = fs::read_dir(&folder).ok().and_then(|entries| {
        entries.flatten().find_map(|entry| {
            let name = entry.file_name();
            name.to_str()?.strip_prefix("node")?.parse().ok()
        })
    });
    match (number("physical_package_id"), number("core_id")) {
        (Some(socket), Some(id)) => (socket, node.unwrap_or(0), id),
        _ => (0, node.unwrap_or(0), core),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns two sockets of two cores of two threads, numbered as Linux usually does: first
    /// threads first.
    fn machine() -> Order {
        let threads = 0..8;
        Order(
            threads
                .map(|cpu| ((cpu / 2 % 2, 0, cpu % 2), cpu))
                .collect(),
        )
    }

    #[test]
    fn keeps_hardware_threads_of_a_core_together() {
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(machine().split(&all, 2), [[0, 1, 4, 5], [2, 3, 6, 7]]);
        assert_eq!(machine().split(&all, 4), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(
            machine().split(&all, 3),
            [vec![0, 1, 4, 5], vec![2, 6], vec![3, 7]]
        );
        // With more ranks than cores, the threads of a core go to different ranks.
        assert_eq!(machine().split(&all, 8).concat(), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert!(machine().split(&all, 9).is_empty());
    }

    #[test]
    fn reads_core_placement_from_sysfs() {
        let dir = tempfile::tempdir().unwrap();
        let topology = dir.path().join("cpu3/topology");
        fs::create_dir_all(&topology).unwrap();
        fs::create_dir(dir.path().join("cpu3/node1")).unwrap();
        assert_eq!(place(dir.path(), 3), (0, 1, 3));
        fs::write(topology.join("physical_package_id"), "2\n").unwrap();
        fs::write(topology.join("core_id"), "7\n").unwrap();
        assert_eq!(place(dir.path(), 3), (2, 1, 7));
        assert_eq!(place(dir.path(), 4), (0, 0, 4));
    }
}
