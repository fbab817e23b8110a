//! Resources shared by the ranks of a node.

use std::fs;

use super::around::{allowed, launcher};
use super::cores::RankCores;
use crate::launch::{Launch, Launcher};
use crate::list::part;

const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// The ranks of a node that share its resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The number of this rank among them, below `ranks`.
    pub rank: u16,
    /// The number of ranks, at least 2.
    pub ranks: u16,
    /// The number of cores for all of them.
    pub cores: usize,
    /// Whether no other rank uses the GPUs that this process sees.
    pub own_gpus: bool,
}

impl Shared {
    /// Returns the number of cores of a rank, and what it shares. `usable` is the number of cores
    /// that its affinity and the control group's quota leave.
    pub(super) fn of_rank(launch: &Launch, usable: usize) -> (usize, Shared) {
        let found = RankCores::for_launch(launch);
        let mask = allowed("self").len();
        // A quota belongs to the control group, and so to all ranks.
        let quota = if usable < mask { usable } else { usize::MAX };
        let of_all = found.of_all.min(quota);
        let cores = share(of_all, found.cores.len(), launch);
        let shared = Shared {
            rank: launch.local_rank,
            ranks: launch.local_size,
            cores: of_all,
            own_gpus: own_gpus(launch),
        };
        (cores, shared)
    }
}

/// Returns the number of cores that a rank uses, at least 1. `may` is the number that it may run
/// on, and `of_all` the number for all ranks.
fn share(of_all: usize, may: usize, launch: &Launch) -> usize {
    let (ranks, rank) = (launch.local_size.into(), launch.local_rank.into());
    part(of_all, ranks, rank).min(may).max(1)
}

/// Whether the launcher gave each rank GPUs of its own by this variable, instead of the same value
/// for all.
fn own_gpus(launch: &Launch) -> bool {
    let Some(mine) = std::env::var_os(VISIBLE) else {
        return false;
    };
    let before = launcher(launch).map(|process| fs::read(format!("/proc/{process}/environ")));
    match before {
        Some(Ok(variables)) => {
            let entry = format!("{VISIBLE}={}", mine.to_string_lossy());
            !variables
                .split(|byte| *byte == 0)
                .any(|known| known == entry.as_bytes())
        }
        // Slurm's daemon cannot be inspected. If the rank sees all GPUs of the node, they were not
        // shared out.
        _ if launch.by == Launcher::Slurm => {
            let visible = mine.to_string_lossy().split(',').count();
            let on_node = std::env::var("SLURM_GPUS_ON_NODE").unwrap_or_default();
            on_node.parse() != Ok(visible)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_share_is_proportional_and_nonzero() {
        let rank = |local_rank, local_size| Launch {
            rank: local_rank,
            size: local_size,
            local_rank,
            local_size,
            by: Launcher::Mpich,
        };
        assert_eq!(share(16, 16, &rank(0, 4)), 4);
        assert_eq!(share(7, 7, &rank(2, 3)), 2);
        // Each rank is bound to one of sixteen cores.
        assert_eq!(share(16, 1, &rank(0, 4)), 1);
        assert_eq!(share(2, 2, &rank(3, 4)), 1);
    }

    #[test]
    fn rank_of_this_process_sees_node_resources() {
        let launch = Launch {
            rank: 1,
            size: 2,
            local_rank: 1,
            local_size: 2,
            by: Launcher::Mpich,
        };
        let usable = std::thread::available_parallelism().map_or(1, usize::from);
        let (cores, shared) = Shared::of_rank(&launch, usable);
        assert!(cores >= 1 && cores <= usable, "{cores} of {usable}");
        assert_eq!((shared.rank, shared.ranks), (1, 2));
    }
}
