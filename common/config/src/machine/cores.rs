//! The cores that a rank may run on, and its share of them. A core here is a hardware thread, which
//! the operating system calls a CPU.

mod topology;

use super::around::{allowed, launcher};
use crate::launch::Launch;

/// The cores of a rank on a node that it shares with other ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankCores {
    /// The cores that this rank should use: at least one, and not those of other ranks if
    /// `disjoint`.
    pub cores: Vec<usize>,
    /// Whether each rank of the node has its own cores.
    pub disjoint: bool,
    /// The number of cores for all ranks of the node.
    pub of_all: usize,
}

impl RankCores {
    /// Returns the cores of this process. If its launcher has bound it to some cores, it keeps
    /// them. Otherwise it takes its share of those that the launcher's own process on this node may
    /// use.
    pub fn for_launch(launch: &Launch) -> RankCores {
        let mine = allowed("self");
        let all = launcher(launch).map_or_else(Vec::new, |process| allowed(&process.to_string()));
        let siblings = topology::Order::of_machine(&mine);
        decide(mine, &all, &siblings, launch)
    }
}

fn decide(mine: Vec<usize>, all: &[usize], order: &topology::Order, launch: &Launch) -> RankCores {
    let ranks = usize::from(launch.local_size);
    let bound = mine.len() < all.len() && mine.iter().all(|core| all.contains(core));
    if bound {
        return RankCores {
            disjoint: mine.len() * ranks <= all.len(),
            of_all: all.len(),
            cores: mine,
        };
    }
    let of_all = mine.len();
    let mut shares = order.split(&mine, ranks);
    let share = match shares.get_mut(usize::from(launch.local_rank)) {
        Some(share) => std::mem::take(share),
        None => Vec::new(),
    };
    let disjoint = !share.is_empty();
    RankCores {
        cores: if disjoint { share } else { mine },
        disjoint,
        of_all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Launcher;
    use crate::list;

    fn rank(local_rank: u16, local_size: u16) -> Launch {
        Launch {
            rank: local_rank,
            size: local_size,
            local_rank,
            local_size,
            by: Launcher::OpenMpi,
        }
    }

    fn decided(mine: &str, all: &str, local_rank: u16, ranks: u16) -> (String, bool, usize) {
        let numbers = |text| list::parse(text).unwrap();
        let order = topology::Order::plain(&numbers(mine));
        let cores = decide(
            numbers(mine),
            &numbers(all),
            &order,
            &rank(local_rank, ranks),
        );
        (list::show(&cores.cores), cores.disjoint, cores.of_all)
    }

    #[test]
    fn unbound_ranks_split_the_cores() {
        assert_eq!(decided("0-7", "0-7", 0, 3), ("0-2".into(), true, 8));
        assert_eq!(decided("0-7", "0-7", 1, 3), ("3-5".into(), true, 8));
        assert_eq!(decided("0-7", "0-7", 2, 3), ("6-7".into(), true, 8));
        // If the launcher's own process cannot be found, the rank uses the cores that it has.
        assert_eq!(decided("0-3", "0", 1, 2), ("2-3".into(), true, 4));
    }

    #[test]
    fn oversubscribed_ranks_share_all_cores() {
        assert_eq!(decided("0-1", "0-1", 2, 3), ("0-1".into(), false, 2));
        assert_eq!(decided("0-1", "0-1", 0, 3), ("0-1".into(), false, 2));
    }

    #[test]
    fn keeps_core_bindings_of_launchers() {
        assert_eq!(decided("1", "0-3", 1, 4), ("1".into(), true, 4));
        // Each of four ranks on the same half of the node.
        assert_eq!(decided("0-7", "0-15", 1, 4), ("0-7".into(), false, 16));
    }

    #[test]
    fn reads_allowed_cores_of_this_process() {
        assert!(!allowed("self").is_empty());
        assert_eq!(allowed("no such process"), Vec::<usize>::new());
        let cores = RankCores::for_launch(&rank(0, 1));
        assert_eq!(cores.cores, allowed("self"));
    }
}
