//! A file that appears when it is complete: written beside its place and renamed.

use crate::error::ExportError;
use crate::temporary::Listed;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An output that is being written. Dropped before [`OutFile::finish`], it leaves nothing.
///
/// What is written lies in a temporary file in the folder of the output, so that completing it is one rename: whoever
/// looks sees the output of before, or all of this one. [`remove_temporary`](crate::remove_temporary) knows it.
#[derive(Debug)]
pub struct OutFile {
    // Removes the file before it is taken off the list.
    temporary: NamedTempFile,
    listed: Listed,
    out: PathBuf,
    force: bool,
}

impl OutFile {
    /// Begins `out`. `force`: replace a file that exists.
    ///
    /// # Errors
    /// `out` exists and is not to be replaced, or is no regular file, or its folder cannot be written.
    pub fn create(out: &Path, force: bool) -> Result<Self, ExportError> {
        check_place(out, force)?;
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        // What others make of the file may go by the ending of its name.
        let suffix = out.extension().map(|ending| {
            let mut suffix = std::ffi::OsString::from(".");
            suffix.push(ending);
            suffix
        });
        let mut builder = tempfile::Builder::new();
        builder.prefix(".weft-");
        if let Some(suffix) = &suffix {
            builder.suffix(suffix);
        }
        // Temporary files are private; this one becomes an output, which the user's umask rules.
        builder.permissions(Permissions::from_mode(0o666));
        let make = || builder.tempfile_in(folder.unwrap_or(Path::new(".")));
        let (temporary, listed) =
            Listed::make(make, NamedTempFile::path).map_err(|error| failed(out, error))?;
        Ok(OutFile {
            temporary,
            listed,
            out: out.to_owned(),
            force,
        })
    }

    /// The output.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// The temporary file, for what opens it by name. It must write into this file or put another in its place.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Has `write` fill the file, through a buffer.
    ///
    /// # Errors
    /// What `write` gives, or the last of the buffer cannot be written.
    pub fn write_with(
        &mut self,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        let mut writer = BufWriter::with_capacity(1 << 18, self.temporary.as_file_mut());
        let written = write(&mut writer).and_then(|()| writer.flush());
        // What is left in the buffer of a failed write must not be written when it is dropped.
        drop(writer.into_parts());
        written.map_err(|error| failed(&self.out, error))
    }

    /// Gives the file its name, and its size in bytes to the caller.
    ///
    /// # Errors
    /// The file cannot be renamed, or another came into being there that is not to be replaced.
    pub fn finish(self) -> Result<u64, ExportError> {
        let OutFile {
            temporary,
            listed,
            out,
            force,
        } = self;
        // By name, since another file may have been put in its place.
        let size = temporary.path().metadata().map(|known| known.len());
        let size = size.map_err(|error| failed(&out, error))?;
        let persisted = listed.complete(|| {
            if force {
                temporary.persist(&out)
            } else {
                temporary.persist_noclobber(&out)
            }
        });
        match persisted {
            Ok(_) => Ok(size),
            Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => {
                Err(ExportError::Exists { path: out })
            }
            Err(refused) => Err(failed(&out, refused.error)),
        }
    }
}

/// Whether an output may be put there. `force`: in place of a file that exists.
///
/// # Errors
/// There is a file that is not to be replaced, or something that is no file.
pub fn check_place(out: &Path, force: bool) -> Result<(), ExportError> {
    if let Ok(known) = out.symlink_metadata() {
        let irregular = out.metadata().is_ok_and(|known| !known.is_file());
        if irregular || !(known.is_file() || known.is_symlink()) {
            let error = io::Error::new(ErrorKind::InvalidInput, "it is no regular file");
            return Err(failed(out, error));
        }
        if !force {
            return Err(ExportError::Exists {
                path: out.to_owned(),
            });
        }
    }
    Ok(())
}

fn failed(out: &Path, error: io::Error) -> ExportError {
    ExportError::Write {
        path: out.to_owned(),
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_when_it_is_complete_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.txt");
        let mut file = OutFile::create(&out, false).unwrap();
        file.write_with(|to| to.write_all(b"half")).unwrap();
        assert!(!out.exists());
        assert_eq!(file.path().extension().unwrap(), "txt");
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);

        let mut file = OutFile::create(&out, false).unwrap();
        file.write_with(|to| to.write_all(b"whole")).unwrap();
        assert_eq!(file.finish().unwrap(), 5);
        assert_eq!(fs::read(&out).unwrap(), b"whole");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn an_output_is_replaced_by_force_only_and_nothing_but_a_file_ever() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        // Another one appears between the beginning and the end.
        let mut file = OutFile::create(&out, false).unwrap();
        file.write_with(|to| to.write_all(b"ours")).unwrap();
        fs::write(&out, "theirs").unwrap();
        let refused = file.finish().unwrap_err();
        assert!(matches!(refused, ExportError::Exists { .. }), "{refused}");
        let refused = OutFile::create(&out, false).unwrap_err();
        assert!(matches!(refused, ExportError::Exists { .. }), "{refused}");
        assert_eq!(fs::read(&out).unwrap(), b"theirs");
        OutFile::create(&out, true).unwrap().finish().unwrap();
        assert_eq!(fs::read(&out).unwrap(), b"");
        for irregular in [Path::new("/dev/null"), folder.path()] {
            let refused = OutFile::create(irregular, true).unwrap_err();
            assert!(refused.to_string().contains("no regular file"), "{refused}");
        }
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn a_failed_write_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mut file = OutFile::create(&out, false).unwrap();
        let full = |_: &mut BufWriter<&mut File>| Err(ErrorKind::StorageFull.into());
        let refused = file.write_with(full).unwrap_err();
        assert!(matches!(refused, ExportError::Write { .. }), "{refused}");
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);
        let nowhere = OutFile::create(&out.join("x"), true).unwrap_err();
        assert!(matches!(nowhere, ExportError::Write { .. }), "{nowhere}");
    }
}
