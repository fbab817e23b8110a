//! What a rank prints, in files.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use super::system::replace;
use crate::error::CliError;

/// Has both streams of this process, and of what it becomes, go to `<logs>_<rank>.out` and `.err`.
pub(super) fn redirect(logs: &Path, rank: u16) -> Result<(), CliError> {
    for (stream, extension) in [(1, "out"), (2, "err")] {
        let mut path = logs.as_os_str().to_owned();
        path.push(format!("_{rank}.{extension}"));
        let opened = File::create(&path).and_then(|file| replace(stream, file.as_raw_fd()));
        opened.map_err(|cause| {
            CliError::failed(
                format!("cannot write {}: {cause}", Path::new(&path).display()),
                "give another --logdir, or check its permissions on this machine",
            )
        })?;
    }
    Ok(())
}
