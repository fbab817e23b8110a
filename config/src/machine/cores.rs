//! Hardware threads, called cores here as the operating system calls them CPUs: which ones a rank may run on, and which of them are its share.

mod topology;

use std::fs;

use crate::launch::Launch;

/// The cores of a rank on a node that it shares with other ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankCores {
    /// Those that this rank should use: never none, and no other rank's where `disjoint`.
    pub cores: Vec<usize>,
    /// Whether each rank of the node has cores of its own.
    pub disjoint: bool,
    /// How many of them there are for all ranks of the node.
    pub of_all: usize,
}

impl RankCores {
    /// Those of this process. Who started it may have bound it to some already, which it then keeps; else it takes its share of those
    /// that the launcher's own process on this node may use.
    pub fn of(launch: &Launch) -> RankCores {
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

/// The share of one of so many parts of a whole, which are as equal as whole numbers can be: first parts are the bigger ones.
pub(crate) fn part(whole: usize, parts: usize, at: usize) -> usize {
    let parts = parts.max(1);
    whole / parts + usize::from(at < whole % parts)
}

/// Cores that a process may run on; none where the operating system does not say.
pub fn allowed(process: &str) -> Vec<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .and_then(|list| parse_list(list.trim()))
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

/// The numbers of a list such as `0-3,8`, in order and once each. `None`: it is no such list.
pub fn parse_list(list: &str) -> Option<Vec<usize>> {
    // More cores than any machine has: a slip such as 0-99999999 is told, not obeyed.
    const MOST: usize = 1 << 16;
    let mut numbers = Vec::new();
    for range in list.split(',').map(str::trim) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last >= MOST {
            return None;
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

/// Digits only: `parse` alone would take a sign.
fn number(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// Numbers as a list: `0-3,8`.
pub fn show_list(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Launcher;

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
        let list = |text| parse_list(text).unwrap();
        let order = topology::Order::plain(&list(mine));
        let cores = decide(list(mine), &list(all), &order, &rank(local_rank, ranks));
        (show_list(&cores.cores), cores.disjoint, cores.of_all)
    }

    #[test]
    fn lists_read_and_shown() {
        assert_eq!(parse_list("8,0-3, 2"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(show_list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(show_list(&[]), "");
        for list in ["", "a", "3-1", "-1", "1-", "+1", "0-9999999999", "0,,1"] {
            assert_eq!(parse_list(list), None, "{list}");
        }
    }

    #[test]
    fn unbound_ranks_share_out_the_cores() {
        assert_eq!(decided("0-7", "0-7", 0, 3), ("0-2".into(), true, 8));
        assert_eq!(decided("0-7", "0-7", 1, 3), ("3-5".into(), true, 8));
        assert_eq!(decided("0-7", "0-7", 2, 3), ("6-7".into(), true, 8));
        // Where the launcher's own process cannot be seen, the rank goes by what it has.
        assert_eq!(decided("0-3", "0", 1, 2), ("2-3".into(), true, 4));
    }

    #[test]
    fn more_ranks_than_cores_share_all_of_them() {
        assert_eq!(decided("0-1", "0-1", 2, 3), ("0-1".into(), false, 2));
        assert_eq!(decided("0-1", "0-1", 0, 3), ("0-1".into(), false, 2));
    }

    #[test]
    fn what_a_launcher_has_bound_stays_bound() {
        assert_eq!(decided("1", "0-3", 1, 4), ("1".into(), true, 4));
        // Each of four ranks on the same half of the node.
        assert_eq!(decided("0-7", "0-15", 1, 4), ("0-7".into(), false, 16));
    }

    #[test]
    fn this_process_may_run_somewhere() {
        assert!(!allowed("self").is_empty());
        assert_eq!(allowed("no such process"), Vec::<usize>::new());
        let cores = RankCores::of(&rank(0, 1));
        assert_eq!(cores.cores, allowed("self"));
    }

    #[test]
    fn parts_add_up() {
        let parts = |whole, parts| {
            (0..parts)
                .map(|at| part(whole, parts, at))
                .collect::<Vec<_>>()
        };
        assert_eq!(parts(8, 3), [3, 3, 2]);
        assert_eq!(parts(2, 4), [1, 1, 0, 0]);
        assert_eq!(part(5, 0, 0), 5);
    }
}
