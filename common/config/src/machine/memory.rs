//! Main memory, from /proc and the control group.

use std::fs;
use std::path::{Path, PathBuf};

use crate::bytes::Bytes;

const UNKNOWN: Bytes = Bytes::mib(4096);

/// Returns the total and the available memory.
pub(super) fn probe() -> (Bytes, Bytes) {
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = group_limits(&groups, Path::new("/sys/fs/cgroup"));
    combine(
        field(&meminfo, "MemTotal:"),
        field(&meminfo, "MemAvailable:"),
        &limits,
    )
}

/// A control group's limit and use, in bytes. Reclaimable memory does not count as used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GroupLimit {
    limit: u64,
    used: u64,
}

fn combine(total: Option<u64>, available: Option<u64>, limits: &[GroupLimit]) -> (Bytes, Bytes) {
    let total = total.unwrap_or(UNKNOWN.0);
    let available = available.unwrap_or(total).min(total);
    limits.iter().fold(
        (Bytes(total), Bytes(available)),
        |(total, available), group| {
            (
                total.min(Bytes(group.limit)),
                available.min(Bytes(group.limit.saturating_sub(group.used))),
            )
        },
    )
}

/// Returns a field of /proc/meminfo, in bytes.
fn field(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the limits of this process's control group and of its ancestors, for both versions of
/// control groups. Inside a container the path in /proc/self/cgroup may not exist. The root of the
/// mount is the container's own group then.
fn group_limits(groups: &str, mount: &Path) -> Vec<GroupLimit> {
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let (root, names) = match controllers {
            "" => (mount.to_owned(), V2),
            _ if controllers.split(',').any(|name| name == "memory") => (mount.join("memory"), V1),
            _ => continue,
        };
        let inside: PathBuf = root.join(path.trim_start_matches('/'));
        let folders = inside.ancestors().take_while(|dir| dir.starts_with(&root));
        limits.extend(folders.filter_map(|folder| read_limit(folder, names)));
    }
    limits
}

/// The names of files with the limit and the use, and the field of memory.stat that counts
/// reclaimable memory.
type Names = [&'static str; 3];
const V2: Names = ["memory.max", "memory.current", "inactive_file"];
const V1: Names = [
    "memory.limit_in_bytes",
    "memory.usage_in_bytes",
    "total_inactive_file",
];

fn read_limit(folder: &Path, [limit, used, reclaimable]: Names) -> Option<GroupLimit> {
    let number = |name: &str| -> Option<u64> {
        let text = fs::read_to_string(folder.join(name)).ok()?;
        text.trim().parse().ok()
    };
    // The text "max" means that there is no limit.
    let limit = number(limit)?;
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let reclaimable = stat.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        (name == reclaimable).then(|| value.trim().parse::<u64>().ok())?
    });
    Some(GroupLimit {
        limit,
        used: number(used)
            .unwrap_or(0)
            .saturating_sub(reclaimable.unwrap_or(0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn parses_meminfo_fields() {
        let text = "MemTotal:       16384 kB\nMemAvailable:    1024 kB\n";
        assert_eq!(field(text, "MemAvailable:"), Some(1 << 20));
        assert_eq!(field(text, "Swap:"), None);
    }

    #[test]
    fn tightest_cgroup_limit_applies() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "a/memory.max", "1000\n");
        put(dir.path(), "a/memory.current", "700\n");
        put(dir.path(), "a/memory.stat", "anon 1\ninactive_file 300\n");
        put(dir.path(), "a/b/memory.max", "max\n");
        let limits = group_limits("0::/a/b\n", dir.path());
        assert_eq!(
            limits,
            [GroupLimit {
                limit: 1000,
                used: 400
            }]
        );
        assert_eq!(
            combine(Some(5000), Some(4000), &limits),
            (Bytes(1000), Bytes(600))
        );
    }

    #[test]
    fn reads_cgroup_v1_limits_despite_missing_paths() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "memory/memory.limit_in_bytes", "2000\n");
        put(dir.path(), "memory/memory.usage_in_bytes", "500\n");
        let limits = group_limits("5:cpu,memory:/docker/x\n2:pids:/docker/x\n", dir.path());
        assert_eq!(
            limits,
            [GroupLimit {
                limit: 2000,
                used: 500
            }]
        );
    }

    #[test]
    fn uses_machine_memory_without_cgroup_limits() {
        assert_eq!(
            combine(Some(5000), Some(4000), &[]),
            (Bytes(5000), Bytes(4000))
        );
        assert_eq!(combine(None, None, &[]), (UNKNOWN, UNKNOWN));
    }
}
