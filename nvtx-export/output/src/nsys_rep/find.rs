//! Where what writes reports is found: an NVTXW backend, or else `ImportNvtxt` of Nsight Systems.

use super::backend::{Backend, LIBRARY_VARIABLE};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Names of the library: as Nsight Systems has it, and as NVIDIA's loader looks for it.
const LIBRARIES: [&str; 2] = ["libNvtxwBackend.so", "libnvtxw3.so"];

/// The importer of text, and that of streams.
const IMPORTER: &str = "ImportNvtxt";
const STREAM_IMPORTER: &str = "QdstrmImporter";

/// Links are followed so many times.
const MAX_LINKS: usize = 16;

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// A backend or its folder, as the user names it: nothing else is tried.
    pub backend: Option<PathBuf>,
    /// The same from `NVTXW3_LIBRARY`, which every user of NVIDIA's own loader honours. The user's word comes first.
    pub variable: Option<PathBuf>,
    /// Folders of programs, as PATH has them: that of `nsys` tells where its installation is.
    pub path: OsString,
    /// The only installation of Nsight Systems to use; `None` for those in the usual places.
    pub installation: Option<PathBuf>,
}

/// The variable that names the only installation of Nsight Systems to use.
pub const INSTALLATION_VARIABLE: &str = "WEFT_NSIGHT_SYSTEMS";

impl Search {
    /// As the environment has it, with the backend that the user names.
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

    /// Returns the first backend that can be used, and where it is. Else one line for each
    /// candidate that cannot.
    pub(super) fn backend(&self) -> Result<(PathBuf, Backend), Vec<String>> {
        let mut why = Vec::new();
        for candidate in self.candidates() {
            match Backend::load(&candidate) {
                Ok(backend) => return Ok((candidate, backend)),
                Err(error) => {
                    let name = candidate.display().to_string();
                    // The dynamic linker names the file itself.
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

    /// Returns whether the user, or NVTXW3_LIBRARY, names the one backend that may be used.
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

    /// `ImportNvtxt`: of the installation that `nsys` belongs to, in PATH, or of another installation.
    pub(super) fn importer(&self) -> Option<PathBuf> {
        self.host_program(IMPORTER)
    }

    /// `QdstrmImporter`, likewise.
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

    /// Returns the host parts of installations, best first: they hold what writes reports.
    fn host_folders(&self) -> Vec<PathBuf> {
        if let Some(installation) = &self.installation {
            let mut folders = children(installation, "host-linux");
            folders.push(installation.clone());
            return folders;
        }
        let mut homes = Vec::new();
        let mut nsys = self.program("nsys".as_ref());
        // Each link on the way to the program may stand in the installation, or outside it.
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

/// Folders within a folder whose names begin so, the latest version first.
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
    fn the_installation_is_found_through_the_links_of_nsys() {
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
    fn links_in_a_circle_end() {
        let folder = tempfile::tempdir().unwrap();
        symlink("nsys", folder.path().join("nsys")).unwrap();
        search(folder.path()).host_folders();
    }

    #[test]
    fn what_the_user_names_is_the_only_candidate() {
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
    fn a_named_installation_is_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut search = search("/usr/bin".as_ref());
        search.installation = Some(folder.path().into());
        assert_eq!(search.importer(), None);
        assert_eq!(search.candidates(), Vec::<PathBuf>::new());
        program(&folder.path().join("host-linux-x64/ImportNvtxt"));
        assert!(search.importer().is_some());
    }
}
