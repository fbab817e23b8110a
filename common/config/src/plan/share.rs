//! A rank's share of its node's resources, and warnings if it is too small.

use super::Plan;
use crate::bytes::Bytes;
use crate::error::ConfigError;
use crate::flag::Flag;
use crate::flags::Flags;
use crate::list::part;
use crate::machine::{Machine, Shared};

/// The GPUs of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gpus {
    /// The number of GPUs.
    pub(super) count: usize,
    /// The first one of those that this process sees.
    pub(super) first: usize,
    /// The number of ranks that use each GPU.
    pub(super) ranks: usize,
}

/// Returns the GPUs that the flags ask for, or the rank's share.
pub(super) fn gpus(
    flags: &Flags,
    machine: &Machine,
    auto_config: bool,
) -> Result<Gpus, ConfigError> {
    let asked = super::asked_gpus(flags, machine)?;
    let seen = machine.gpus;
    let shared = machine.shared.filter(|shared| !shared.own_gpus);
    let Some(Shared { rank, ranks, .. }) = shared else {
        let all = if auto_config { seen } else { 0 };
        let count = asked.unwrap_or(all);
        return Ok(Gpus {
            count,
            first: 0,
            ranks: 1,
        });
    };
    let (rank, ranks) = (usize::from(rank), usize::from(ranks));
    Ok(match asked {
        Some(0) => Gpus {
            count: 0,
            first: 0,
            ranks: 1,
        },
        None if !auto_config || seen == 0 => Gpus {
            count: 0,
            first: 0,
            ranks: 1,
        },
        None if seen >= ranks => Gpus {
            count: part(seen, ranks, rank),
            first: (0..rank).map(|before| part(seen, ranks, before)).sum(),
            ranks: 1,
        },
        None => Gpus {
            count: 1,
            first: rank % seen,
            ranks: ranks.div_ceil(seen),
        },
        Some(count) => Gpus {
            count,
            first: (rank * count % seen).min(seen - count),
            ranks: (ranks * count).div_ceil(seen),
        },
    })
}

/// Returns the main memory of a rank by default: 80 % of its part of the available memory.
pub(super) fn available(machine: &Machine) -> Bytes {
    let ranks = machine.shared.map_or(1, |shared| u64::from(shared.ranks));
    Bytes(machine.memory_available.0 / ranks)
}

/// Returns warnings about settings that exceed the node; its first rank prints them.
pub(super) fn warnings(plan: &Plan, flags: &Flags, machine: &Machine) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(shared) = machine.shared.filter(|shared| shared.rank == 0) else {
        return warnings;
    };
    let ranks = usize::from(shared.ranks);
    let workers = plan.cpus + plan.omps * plan.omp_threads;
    let is_asked = flags.number(Flag::Cpus).is_some() || plan.omps > 0;
    // If the cores cannot be divided evenly, the first ranks have a larger share, which fits.
    let wanted = if is_asked {
        workers.saturating_mul(ranks)
    } else {
        ranks
    };
    if wanted > shared.cores {
        warnings.push(format!(
            "{ranks} ranks on this node with {} each need {wanted} cores, but {} are available; reduce --ranks-per-node{}",
            format_count(workers, "worker"),
            shared.cores,
            if is_asked { " or --cpus" } else { "" },
        ));
    }
    let wanted = Bytes(plan.sysmem.0.saturating_mul(ranks as u64));
    if flags.get(Flag::Sysmem).is_some() && wanted > machine.memory_total {
        warnings.push(format!(
            "--sysmem {}: {ranks} ranks on this node may use {} MiB in total, but {} MiB are available; give at most {} MiB, or omit --sysmem",
            plan.sysmem.whole_mib(),
            wanted.whole_mib(),
            machine.memory_total.whole_mib(),
            available(machine).whole_mib(),
        ));
    }
    if plan.gpu_ranks > 1 {
        warnings.push(format!(
            "{ranks} ranks on this node with {} each need {}, but see {}, so {} ranks share one; reduce --ranks-per-node or --gpus",
            format_count(plan.gpus, "GPU"),
            plan.gpus * ranks,
            machine.gpus,
            plan.gpu_ranks,
        ));
    }
    warnings
}

/// Formats a count such as `1 worker` or `2 workers`.
fn format_count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    /// Returns a rank's machine with 8 cores and 1000 MiB, of which 800 are available.
    fn machine(rank: u16, ranks: u16, gpus: usize) -> Machine {
        Machine {
            cores: part(8, ranks.into(), rank.into()).max(1),
            memory_total: Bytes::mib(1000),
            memory_available: Bytes::mib(800),
            gpus,
            shared: Some(Shared {
                rank,
                ranks,
                cores: 8,
                own_gpus: false,
            }),
        }
    }

    fn plan(machine: &Machine, text: &str) -> Plan {
        Plan::from_words(&flags::words(text).unwrap(), machine).unwrap()
    }

    #[test]
    fn ranks_split_resources_without_flags() {
        let shares = (0..3).map(|rank| {
            let plan = plan(&machine(rank, 3, 0), "");
            (plan.cpus, plan.sysmem.whole_mib(), plan.warnings)
        });
        let expected = [3, 3, 2].map(|cpus| (cpus, 213, Vec::new()));
        assert_eq!(shares.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn keeps_flag_values_and_warns_once_about_excess() {
        let text = "--cpus 5 --sysmem 60%";
        let first = plan(&machine(0, 2, 0), text);
        assert_eq!((first.cpus, first.sysmem), (5, Bytes::mib(600)));
        assert_eq!(
            first.warnings,
            [
                "2 ranks on this node with 5 workers each need 10 cores, but 8 are available; reduce --ranks-per-node or --cpus",
                "--sysmem 600: 2 ranks on this node may use 1200 MiB in total, but 1000 MiB are available; give at most 400 MiB, or omit --sysmem",
            ]
        );
        assert_eq!(plan(&machine(1, 2, 0), text).warnings, Vec::<String>::new());
        assert_eq!(
            plan(&machine(0, 2, 0), "--cpus 4 --sysmem 500").warnings,
            Vec::<String>::new()
        );
    }

    #[test]
    fn warns_about_more_ranks_than_cores() {
        let plan = plan(&machine(0, 9, 0), "");
        assert_eq!(plan.cpus, 1);
        assert_eq!(
            plan.warnings,
            [
                "9 ranks on this node with 1 worker each need 9 cores, but 8 are available; reduce --ranks-per-node"
            ]
        );
    }

    #[test]
    fn assigns_gpus_to_ranks_in_order() {
        let of = |rank, ranks, gpus, text| {
            let plan = plan(&machine(rank, ranks, gpus), text);
            (plan.first_gpu, plan.gpus, plan.gpu_ranks)
        };
        assert_eq!(
            [0, 1].map(|rank| of(rank, 2, 4, "")),
            [(0, 2, 1), (2, 2, 1)]
        );
        assert_eq!(
            [0, 1, 2].map(|rank| of(rank, 3, 4, "")),
            [(0, 2, 1), (2, 1, 1), (3, 1, 1)]
        );
        assert_eq!(
            [0, 1, 2].map(|rank| of(rank, 3, 2, "")),
            [(0, 1, 2), (1, 1, 2), (0, 1, 2)]
        );
        assert_eq!(
            [0, 1].map(|rank| of(rank, 2, 4, "--gpus 1")),
            [(0, 1, 1), (1, 1, 1)]
        );
        assert_eq!(
            [0, 1].map(|rank| of(rank, 2, 3, "--gpus 2")),
            [(0, 2, 2), (1, 2, 2)]
        );
        assert_eq!(of(1, 2, 4, "--gpus 0"), (0, 0, 1));
        assert_eq!(of(1, 2, 0, ""), (0, 0, 1));
        let plan = plan(&machine(0, 3, 2), "--cpus 2");
        assert_eq!(
            plan.warnings,
            [
                "3 ranks on this node with 1 GPU each need 3, but see 2, so 2 ranks share one; reduce --ranks-per-node or --gpus"
            ]
        );
        assert_eq!(
            plan.fbmem_of(Bytes::mib(2000), Bytes::mib(1000)),
            Bytes::mib(475)
        );
    }

    #[test]
    fn rank_owns_gpus_visible_only_to_it() {
        let mut machine = machine(1, 2, 2);
        machine.shared = machine.shared.map(|shared| Shared {
            own_gpus: true,
            ..shared
        });
        let plan = plan(&machine, "");
        assert_eq!((plan.first_gpu, plan.gpus, plan.gpu_ranks), (0, 2, 1));
    }
}
