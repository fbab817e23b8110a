//! The creation of a file in its place.
//!
//! A program can be killed at any moment. So the file gets its name only after its head was
//! written, if the file system supports files without a name. A file that can be found can then
//! always be read.

use super::sys;
use crate::file::error::CreateError;
use crate::file::layout::Layout;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The permissions of the file, even if a tool that started the program cleared the umask.
const MODE: u32 = 0o644;

/// Creates the file with its head and the space for the lane table. An earlier file that is
/// replaced stays valid for processes that have it open.
pub(super) fn make(
    path: &Path,
    replace: bool,
    head: &[u8],
    layout: &Layout,
) -> Result<File, CreateError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => CreateError::Exists {
            path: path.to_owned(),
        },
        _ => CreateError::Create {
            path: path.to_owned(),
            source,
        },
    };
    let no_space = |source| CreateError::Reserve {
        path: path.to_owned(),
        bytes: layout.blocks_at as u64,
        source,
    };
    let unnamed = unnamed(path);
    if let Ok(file) = &unnamed {
        begin(file, head, layout).map_err(no_space)?;
    }
    if replace {
        remove(path, failed)?;
    }
    if let Ok(file) = unnamed {
        match name(&file, path) {
            Ok(()) => return Ok(file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(failed(error));
            }
            // A file cannot be named later without /proc, for example.
            Err(_) => {}
        }
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(MODE)
        .open(path)
        .map_err(failed)?;
    begin(&file, head, layout).map_err(|source| {
        // The first error is the one that is reported.
        let _ = fs::remove_file(path);
        no_space(source)
    })?;
    Ok(file)
}

/// Removes the file that is replaced.
fn remove(path: &Path, failed: impl Fn(io::Error) -> CreateError) -> Result<(), CreateError> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_file() || there.is_symlink() => fs::remove_file(path).map_err(failed),
        Ok(_) => Err(CreateError::NotAFile {
            path: path.to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

/// Creates a file without a name in the folder of `path`, which disappears with the process.
fn unnamed(path: &Path) -> io::Result<File> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(CWD, folder, flags, Mode::from_raw_mode(MODE))?.into())
}

/// Gives the file a name that does not exist yet.
fn name(file: &File, path: &Path) -> io::Result<()> {
    let from = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::linkat(
        CWD,
        from,
        CWD,
        path,
        AtFlags::SYMLINK_FOLLOW,
    )?)
}

/// Writes the head and reserves the lane table.
fn begin(mut file: &File, head: &[u8], layout: &Layout) -> io::Result<()> {
    sys::reserve(file, 0, layout.blocks_at as u64)?;
    file.write_all(head)
}
