//! Programs that Weft starts.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::component::{Component, component};

/// Returns the file that a shell would start for this name: the path itself if it has a slash,
/// otherwise the first in PATH.
pub fn find_program(name: &OsStr) -> Option<PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    if name.is_empty() {
        return None;
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Finds the command line of Nsight Systems, and runs it once for its version.
pub fn nsys() -> Component {
    let get = "install Nsight Systems (Debian: package nsight-systems of the component non-free; elsewhere: https://developer.nvidia.com/nsight-systems)";
    let state = match find_program("nsys".as_ref()) {
        None => Err("no `nsys` in PATH".to_owned()),
        Some(path) => match first_line(&path) {
            Some(line) => Ok(version_in(&line)),
            None => Err(format!("{} cannot be started", path.display())),
        },
    };
    component(
        "nsys",
        "weft run --nsys, and .nsys-rep files as inputs",
        state,
        get,
    )
}

/// Finds programs that start ranks.
pub(super) fn mpi() -> Component {
    let found: Vec<String> = ["mpirun", "mpiexec", "srun"]
        .into_iter()
        .filter_map(|name| {
            let line = first_line(&find_program(name.as_ref())?);
            Some(match line {
                Some(line) => format!("{name}: {line}"),
                None => name.into(),
            })
        })
        .collect();
    let state = if found.is_empty() {
        Err("none of `mpirun`, `mpiexec`, `srun` in PATH".into())
    } else {
        Ok(found.join("; "))
    };
    component(
        "MPI launcher",
        "runs of several ranks",
        state,
        "install Open MPI or MPICH (Debian: packages openmpi-bin, mpich)",
    )
}

/// Returns the first line that a program prints with `--version`.
fn first_line(program: &Path) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(line.trim().to_owned())
}

/// Returns the version in a line such as `NVIDIA Nsight Systems version 2022.4.2.1-df9881f`.
fn version_in(line: &str) -> String {
    let version = line.split_once("version ").map_or(line, |(_, rest)| rest);
    version.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_programs_like_a_shell() {
        assert!(find_program("sh".as_ref()).is_some_and(|path| path.is_absolute()));
        assert_eq!(
            find_program("/bin/sh".as_ref()),
            Some(PathBuf::from("/bin/sh"))
        );
        for name in [
            "",
            "no-such-program-anywhere",
            "/etc/passwd",
            "/etc",
            "./sh",
        ] {
            assert_eq!(find_program(name.as_ref()), None, "{name}");
        }
    }

    #[test]
    fn extracts_versions_from_tool_output() {
        assert_eq!(
            version_in("NVIDIA Nsight Systems version 2022.4.2.1-df9881f"),
            "2022.4.2.1-df9881f"
        );
        assert_eq!(version_in("odd"), "odd");
    }
}
