//! The destination of an output: a new file, or something that is already open.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::WriteError;

/// The most links that are followed, as in Linux.
const LINKS: usize = 40;

/// The destination of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// No file yet, with the path of the file to create.
    New(PathBuf),
    /// A regular file.
    Existing(PathBuf),
    /// A terminal or another character device, or a named pipe, which is opened and written.
    Through(PathBuf),
    /// An open file of a process, such as `/dev/stdout`, which is written at its position.
    Open(PathBuf),
}

impl Destination {
    /// Finds the destination of `out`. Symbolic links are followed, including dangling ones.
    ///
    /// # Errors
    /// Returns an error if it is a folder, a socket or a block device, or cannot be inspected.
    pub fn resolve(out: &Path) -> Result<Destination, WriteError> {
        let mut path = out.to_owned();
        for _ in 0..LINKS {
            let known = match path.symlink_metadata() {
                Ok(known) => known,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Ok(Destination::New(path));
                }
                Err(error) => return Err(error.into()),
            };
            if !known.is_symlink() {
                return of_kind(path, known.file_type());
            }
            let folder = folder_of(&path);
            if is_table_of_open_files(&folder) {
                return Ok(Destination::Open(path));
            }
            path = folder.join(fs::read_link(&path)?);
        }
        Err(io::Error::other("too many symbolic links").into())
    }

    /// Opens a destination that is written through; `None` for a file that is replaced.
    pub(crate) fn open(&self) -> io::Result<Option<File>> {
        match self {
            Destination::New(_) | Destination::Existing(_) => Ok(None),
            Destination::Through(path) => OpenOptions::new().write(true).open(path).map(Some),
            Destination::Open(path) => open_again(path).map(Some),
        }
    }
}

/// Checks whether an output may be written to `out`. `replace` allows existing files.
///
/// # Errors
/// Returns an error if there is a file that must not be replaced, or something that cannot be
/// written.
pub fn check(out: &Path, replace: bool) -> Result<(), WriteError> {
    match Destination::resolve(out)? {
        Destination::Existing(_) if !replace => Err(WriteError::Exists),
        Destination::Existing(path) => check_writable(&path),
        _ => Ok(()),
    }
}

/// Rejects a write-protected file, which a rename would replace.
pub(crate) fn check_writable(path: &Path) -> Result<(), WriteError> {
    // Root may write any file, but gets the same error as other users below.
    if path.metadata()?.permissions().readonly() {
        return Err(WriteError::Protected);
    }
    match OpenOptions::new().write(true).open(path) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Err(WriteError::Protected)
        }
        // Other errors of opening, such as that of a running program, do not prevent a rename.
        _ => Ok(()),
    }
}

/// Whether two paths lead to the same regular file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let is_file = |path: &Path| path.metadata().is_ok_and(|known| known.is_file());
    // The comparison opens both, which would wait for the other end of a pipe.
    is_file(one) && is_file(other) && same_file::is_same_file(one, other).unwrap_or(false)
}

#[cfg(unix)]
fn of_kind(path: PathBuf, kind: fs::FileType) -> Result<Destination, WriteError> {
    use std::os::unix::fs::FileTypeExt;

    if kind.is_file() {
        Ok(Destination::Existing(path))
    } else if kind.is_char_device() || kind.is_fifo() {
        Ok(Destination::Through(path))
    } else if kind.is_dir() {
        Err(WriteError::NotAFile("a folder"))
    } else if kind.is_block_device() {
        // A mistake here would destroy a whole disk.
        Err(WriteError::NotAFile("a block device"))
    } else {
        Err(WriteError::NotAFile("a socket"))
    }
}

#[cfg(not(unix))]
fn of_kind(path: PathBuf, kind: fs::FileType) -> Result<Destination, WriteError> {
    match kind.is_file() {
        true => Ok(Destination::Existing(path)),
        false => Err(WriteError::NotAFile("a folder")),
    }
}

/// Returns the folder of a path; `.` if it has none.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Whether a folder is `/proc/<pid>/fd`, in which Linux lists the open files of a process as links.
/// The text of such a link is not a usable path: the file may be removed, and a pipe has none.
fn is_table_of_open_files(folder: &Path) -> bool {
    let folder = folder.canonicalize();
    folder.is_ok_and(|folder| folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// Opens an open file of this process again. Standard streams are written at the position that they
/// share with the parent process, others at their end.
#[cfg(unix)]
fn open_again(path: &Path) -> io::Result<File> {
    use std::os::fd::AsFd;

    let is_own =
        folder_of(path).canonicalize().ok() == Path::new("/proc/self/fd").canonicalize().ok();
    let own = path
        .file_name()
        .filter(|_| is_own)
        .and_then(|name| name.to_str());
    let copy = match own {
        Some("1") => io::stdout().as_fd().try_clone_to_owned()?,
        Some("2") => io::stderr().as_fd().try_clone_to_owned()?,
        _ => return OpenOptions::new().append(true).open(path),
    };
    Ok(copy.into())
}

#[cfg(not(unix))]
fn open_again(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn resolves_symlink_chains() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("d")).unwrap();
        fs::write(at("d/file"), "").unwrap();
        symlink("d/file", at("one")).unwrap();
        symlink(at("one"), at("two")).unwrap();
        symlink("d/nothing", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        assert_eq!(
            Destination::resolve(&at("two")).unwrap(),
            Destination::Existing(at("d/file"))
        );
        assert_eq!(
            Destination::resolve(&at("dangling")).unwrap(),
            Destination::New(at("d/nothing"))
        );
        assert_eq!(
            Destination::resolve(&at("new")).unwrap(),
            Destination::New(at("new"))
        );
        assert!(
            Destination::resolve(&at("loop"))
                .unwrap_err()
                .to_string()
                .contains("too many")
        );
        assert_eq!(
            Destination::resolve(&at("d")).unwrap_err().to_string(),
            "it is a folder"
        );
    }

    #[test]
    fn classifies_devices_and_open_files() {
        assert_eq!(
            Destination::resolve(Path::new("/dev/null")).unwrap(),
            Destination::Through("/dev/null".into())
        );
        let open = Destination::resolve(Path::new("/dev/stdout")).unwrap();
        assert_eq!(open, Destination::Open("/proc/self/fd/1".into()));
        assert!(check(Path::new("/dev/null"), false).is_ok());
    }

    #[test]
    fn recognizes_different_paths_of_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        fs::write(at("other"), "").unwrap();
        fs::hard_link(at("file"), at("hard")).unwrap();
        symlink("file", at("soft")).unwrap();
        for name in ["file", "hard", "soft", "./file"] {
            assert!(is_same(&at(name), &at("file")), "{name}");
        }
        assert!(!is_same(&at("other"), &at("file")));
        assert!(!is_same(&at("missing"), &at("file")));
        assert!(!is_same(Path::new("/dev/null"), Path::new("/dev/null")));
    }
}
