//! The search for writers of reports: an NVTXW backend, or else `ImportNvtxt` of Nsight Systems.

use super::backend::{Backend, LIBRARY_VARIABLE};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Names of the library: in Nsight Systems, and in NVIDIA's loader.
const LIBRARIES: [&str; 2] = ["libNvtxwBackend.so", "libnvtxw3.so"];

/// The importer of text, and the importer of streams.
const IMPORTER: &str = "ImportNvtxt";
const STREAM_IMPORTER: &str = "QdstrmImporter";

/// The maximum number of links that are followed.
const MAX_LINKS: usize = 16;

/// The places to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// A backend or its folder, named by the user. No other one is tried.
    pub backend: Option<PathBuf>,
    /// A backend or its folder from `NVTXW3_LIBRARY`, which all users of NVIDIA's loader honour.
    /// `backend` takes precedence.
    pub variable: Option<PathBuf>,
    /// Folders of programs, in the form of PATH. The folder of `nsys` leads to its installation.
    pub path: OsString,
    /// The only installation of Nsight Systems to use; `None` for those in the usual places.
    pub installation: Option<PathBuf>,
}

/// The variable that names the only installation of Nsight Systems to use.
pub const INSTALLATION_VARIABLE: &str = "WEFT_NSIGHT_SYSTEMS";

impl Search {
    /// Reads the environment. `backend` is the backend named by the user.
    pub fn from_env(backend: Option<PathBuf>) -> Search {
        let variable = |name: &str| {
            let value = env::var_os(name).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        Search {
            backend,
            variable: variable(LIBRARY_VARIABLE),
            path: env::var_os("PATH").unwrap_or_default(),
            installation: variable(INSTALLATION_VARIABLE),
        }
    }

    /// Returns the first usable backend and its path. The error has one line per candidate.
    pub(super) fn backend(&self) -> Result<(PathBuf, Backend), Vec<String>> {
        let mut why = Vec::new();
        for candidate in self.candidates() {
            match Backend::load(&candidate) {
                Ok(backend) => return Ok((candidate, backend)),
                Err(error) => {
                    let name = candidate.display().to_string();
                    // The dynamic linker's message already names the file.
                    why.push(match error.starts_with(&name) {
                        true => error,
                        false => format!("{name}: {error}"),
                    });
                }
            }
        }
        if why.is_empty() {
            why.push(format!("{} was not found", LIBRARIES[0]));
        }
        Err(why)
    }

    /// Returns whether the user or NVTXW3_LIBRARY names the only backend that may be used.
    pub(super) fn names_a_backend(&self) -> bool {
        self.backend.is_some() || self.variable.is_some()
    }

    fn candidates(&self) -> Vec<PathBuf> {
        if let Some(named) = self.backend.as_ref().or(self.variable.as_ref()) {
            if !named.is_dir() {
                return vec![named.clone()];
            }
            let libraries = LIBRARIES.map(|name| named.join(name));
            let found: Vec<_> = libraries.iter().filter(|path| path.exists()).collect();
            if found.is_empty() {
                return libraries.into();
            }
            return found.into_iter().cloned().collect();
        }
        let by_loader = LIBRARIES.iter().map(PathBuf::from);
        let by_loader = by_loader.filter(|_| self.installation.is_none());
        let folders = self.host_folders();
        let placed = folders
            .iter()
            .flat_map(|folder| LIBRARIES.iter().map(|name| folder.join(name)));
        by_loader
            .chain(placed.filter(|path| path.exists()))
            .collect()
    }

    /// Returns `ImportNvtxt` of the installation that `nsys` in PATH belongs to, or of another
    /// installation.
    pub(super) fn importer(&self) -> Option<PathBuf> {
        self.host_program(IMPORTER)
    }

    /// Returns `QdstrmImporter`, found like [`importer`](Self::importer).
    pub(super) fn stream_importer(&self) -> Option<PathBuf> {
        self.host_program(STREAM_IMPORTER)
    }

    fn host_program(&self, name: &str) -> Option<PathBuf> {
        let placed = self.host_folders().into_iter();
        let mut placed = placed.map(|folder| folder.join(name));
        let in_path = self.program(name.as_ref());
        let in_path = in_path.filter(|_| self.installation.is_none());
        placed.find(|path| is_program(path)).or(in_path)
    }

    fn program(&self, name: &OsStr) -> Option<PathBuf> {
        env::split_paths(&self.path)
            .map(|folder| folder.join(name))
            .find(|path| is_program(path))
    }

    /// Returns the host parts of installations, best first. They contain the writers of reports.
    fn host_folders(&self) -> Vec<PathBuf> {
        if let Some(installation) = &self.installation {
            let mut folders = children(installation, "host-linux");
            folders.push(installation.clone());
            return folders;
        }
        let mut homes = Vec::new();
        let mut nsys = self.program("nsys".as_ref());
        // Each link on the way to the program may be in the installation or outside of it.
        for _ in 0..MAX_LINKS {
            let Some(path) = nsys else {
                break;
            };
            homes.extend(path.ancestors().skip(1).take(3).map(Path::to_owned));
            nsys = fs::read_link(&path)
                .ok()
                .and_then(|target| Some(path.parent()?.join(target)));
        }
        homes.push("/usr/lib/nsight-systems".into());
        homes.push("/opt/nvidia/nsight-systems".into());
        for (parent, prefix) in [
            ("/opt/nvidia/nsight-systems", ""),
            ("/opt/nvidia", "nsight-systems"),
            ("/usr/local/cuda", "nsight-systems"),
        ] {
            homes.extend(children(Path::new(parent), prefix));
        }
        let mut folders: Vec<PathBuf> = Vec::new();
        for home in homes {
            let hosts = children(&home, "host-linux").into_iter();
            for folder in hosts.filter_map(|folder| folder.canonicalize().ok()) {
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
        folders
    }
}

/// Returns the subfolders whose names begin with `prefix`, the latest version first.
fn children(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut children: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(prefix.as_bytes())
        })
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    children.sort();
    children.reverse();
    children
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn program(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn search(path: &Path) -> Search {
        Search {
            backend: None,
            variable: None,
            path: path.into(),
            installation: None,
        }
    }

    #[test]
    fn finds_the_installation_through_nsys_links() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let home = home.join("nsight-systems/2025.1.1");
        program(&home.join("target-linux-x64/nsys"));
        program(&home.join("host-linux-x64/ImportNvtxt"));
        fs::write(home.join("host-linux-x64/libNvtxwBackend.so"), "").unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink("nsys-2025", bin.join("nsys")).unwrap();
        symlink(home.join("target-linux-x64/nsys"), bin.join("nsys-2025")).unwrap();
        let search = search(&bin);
        assert_eq!(
            search.importer(),
            Some(home.join("host-linux-x64/ImportNvtxt"))
        );
        let library = home.join("host-linux-x64/libNvtxwBackend.so");
        assert!(search.candidates().contains(&library));
    }

    #[test]
    fn circular_links_end_the_search() {
        let folder = tempfile::tempdir().unwrap();
        symlink("nsys", folder.path().join("nsys")).unwrap();
        search(folder.path()).host_folders();
    }

    #[test]
    fn named_backend_is_the_only_candidate() {
        let folder = tempfile::tempdir().unwrap();
        let mut search = search(folder.path());
        search.variable = Some("/there/libother.so".into());
        assert_eq!(search.candidates(), [Path::new("/there/libother.so")]);
        search.backend = Some(folder.path().into());
        let both = LIBRARIES.map(|name| folder.path().join(name));
        assert_eq!(search.candidates(), both);
        fs::write(&both[1], "").unwrap();
        assert_eq!(search.candidates(), [both[1].clone()]);
    }

    #[test]
    fn named_installation_is_the_only_candidate() {
        let folder = tempfile::tempdir().unwrap();
        let mut search = search("/usr/bin".as_ref());
        search.installation = Some(folder.path().into());
        assert_eq!(search.importer(), None);
        assert_eq!(search.candidates(), Vec::<PathBuf>::new());
        program(&folder.path().join("host-linux-x64/ImportNvtxt"));
        assert!(search.importer().is_some());
    }
}
