//! Output of ranks in files.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use super::system::{StandardStream, replace};
use crate::error::CliError;

/// Redirects both streams of this process, and of the program it becomes, to `<logs>_<rank>.out`
/// and `.err`.
pub(super) fn redirect(logs: &Path, rank: u16, force: bool) -> Result<(), CliError> {
    for (stream, extension) in [
        (StandardStream::Output, "out"),
        (StandardStream::Errors, "err"),
    ] {
        let mut path = logs.as_os_str().to_owned();
        path.push(format!("_{rank}.{extension}"));
        let made = match force {
            true => File::create(&path),
            false => File::create_new(&path),
        };
        let opened = made.and_then(|file| replace(stream, &file));
        opened.map_err(|cause| {
            CliError::failed(
                format!("cannot write {}: {cause}", Path::new(&path).display()),
                match cause.kind() {
                    ErrorKind::AlreadyExists => {
                        "use --force to replace it, or choose another --profile-name or --logdir"
                    }
                    _ => "choose another --logdir, or check its permissions on this machine",
                },
            )
        })?;
    }
    Ok(())
}
