//! An output that is being written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::place::{Destination, check_writable, folder_of};
use crate::{Listed, WriteError, limit};

/// An output that is being written. If it is dropped before [`WholeFile::finish`], it leaves no
/// file, unless it is a device or a pipe.
///
/// [`remove_temporary`](crate::remove_temporary) removes its temporary file.
#[derive(Debug)]
pub struct WholeFile {
    out: PathBuf,
    to: To,
}

#[derive(Debug)]
enum To {
    /// A temporary file, renamed to `place` at the end.
    Beside {
        temporary: Temporary,
        place: PathBuf,
        replace: bool,
    },
    /// An open device, pipe or file, and the number of bytes written to it. The temporary file is
    /// for writers that take a path.
    Through {
        open: File,
        bytes: u64,
        temporary: Option<Temporary>,
    },
}

#[derive(Debug)]
struct Temporary {
    // Dropped first, so that the file is removed before it is taken off the list.
    file: NamedTempFile,
    listed: Listed,
}

impl WholeFile {
    /// Begins to write `out`. `replace` allows replacing a file, whose permissions the new one
    /// gets.
    ///
    /// From the first call on, a write beyond the limit on the size of files is an error of this
    /// process instead of a signal.
    ///
    /// # Errors
    /// Returns an error if `out` exists and must not be replaced, is write-protected, or is neither
    /// a file nor can be written through. Returns an error if its folder cannot be written.
    pub fn create(out: &Path, replace: bool) -> Result<Self, WriteError> {
        limit::make_an_error();
        let place = Destination::resolve(out)?;
        let to = match (place.open()?, place) {
            (Some(open), _) => To::Through {
                open,
                bytes: 0,
                temporary: None,
            },
            (None, Destination::Existing(_)) if !replace => return Err(WriteError::Exists),
            (
                None,
                Destination::New(place)
                | Destination::Existing(place)
                | Destination::Through(place)
                | Destination::Open(place),
            ) => {
                let known = fs::metadata(&place).ok();
                if known.is_some() {
                    check_writable(&place)?;
                }
                let temporary = Temporary::make(&folder_of(&place), out)?;
                if let Some(known) = known {
                    temporary
                        .file
                        .as_file()
                        .set_permissions(known.permissions())?;
                }
                To::Beside {
                    temporary,
                    place,
                    replace,
                }
            }
        };
        let out = out.to_owned();
        Ok(WholeFile { out, to })
    }

    /// Returns the output's path as given.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Returns the path of a temporary file, for writers that open their output by name. They must
    /// write into this file or put another in its place.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    pub fn path(&mut self) -> Result<&Path, WriteError> {
        let temporary = match &mut self.to {
            To::Beside { temporary, .. } => temporary,
            To::Through { temporary, .. } => match temporary {
                Some(temporary) => temporary,
                none => none.insert(Temporary::make(&std::env::temp_dir(), &self.out)?),
            },
        };
        Ok(temporary.file.path())
    }

    /// Calls `write` with a buffered writer to the file.
    ///
    /// # Errors
    /// Returns the error of `write`, or of writing the rest of the buffer.
    pub fn write_with<E: From<io::Error>>(
        &mut self,
        write: impl FnOnce(&mut BufWriter<CountingFile<'_>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let file = match &mut self.to {
            To::Beside { temporary, .. } => temporary.file.as_file_mut(),
            To::Through { open, .. } => open,
        };
        let mut writer = BufWriter::with_capacity(1 << 18, CountingFile { file, bytes: 0 });
        let written = write(&mut writer).and_then(|()| Ok(writer.flush()?));
        // After a failed write, the rest of the buffer must not be written on drop.
        let count = writer.into_parts().0.bytes;
        if let To::Through { bytes, .. } = &mut self.to {
            *bytes += count;
        }
        written
    }

    /// Calls `write` with a writer that can seek. The bytes for a pipe are written to a temporary
    /// file first.
    ///
    /// # Errors
    /// Returns the error of `write`, or of creating or writing the file.
    pub fn write_seeking_with<E: From<io::Error> + From<WriteError>>(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
    ) -> Result<(), E> {
        let file = File::options().write(true).open(self.path()?)?;
        let mut writer = BufWriter::with_capacity(1 << 18, file);
        let written = write(&mut writer).and_then(|()| Ok(writer.flush()?));
        drop(writer.into_parts());
        written
    }

    /// Renames the file to its place, and returns its size in bytes. The content is on disk before:
    /// after a crash of the machine there is either the earlier file or all of this one.
    ///
    /// # Errors
    /// Returns an error if the file cannot be synced or renamed, or if a file that must not be
    /// replaced has appeared.
    pub fn finish(self) -> Result<u64, WriteError> {
        match self.to {
            To::Beside {
                temporary,
                place,
                replace,
            } => temporary.rename(&place, replace),
            To::Through {
                mut open,
                bytes,
                temporary,
            } => {
                let Some(temporary) = temporary else {
                    return Ok(bytes);
                };
                // Opened by name, since another file may have been put in its place.
                let mut made = File::open(temporary.file.path())?;
                Ok(bytes + io::copy(&mut made, &mut open)?)
            }
        }
    }
}

/// Returns the error of creating a file in a folder, with the folder's name instead of the random
/// one of the file.
fn in_folder(folder: &Path, error: &io::Error) -> io::Error {
    let text = error.to_string();
    // `tempfile` keeps the system's error only as text.
    let system = text
        .split_once(" at path ")
        .map_or(text.as_str(), |(system, _)| system);
    let text = format!("{system} in the folder {}", folder.display());
    io::Error::new(error.kind(), text)
}

impl Temporary {
    fn make(folder: &Path, out: &Path) -> io::Result<Temporary> {
        // Other programs may go by the extension of the file's name.
        let suffix = out.extension().map(|extension| {
            let mut suffix = OsString::from(".");
            suffix.push(extension);
            suffix
        });
        let mut builder = tempfile::Builder::new();
        builder.prefix(".weft-");
        if let Some(suffix) = &suffix {
            builder.suffix(suffix);
        }
        // Temporary files are private. This one becomes an output, to which the user's umask
        // applies.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let make = || builder.tempfile_in(folder);
        let made = Listed::make(make, NamedTempFile::path);
        let (file, listed) = made.map_err(|error| in_folder(folder, &error))?;
        Ok(Temporary { file, listed })
    }

    fn rename(self, place: &Path, replace: bool) -> Result<u64, WriteError> {
        let Temporary { file, listed } = self;
        // Opened by name, since another file may have been put in its place.
        let made = File::options().write(true).open(file.path())?;
        let size = made.metadata()?.len();
        made.sync_all()?;
        let renamed = listed.complete(|| match replace {
            true => file.persist(place),
            false => file.persist_noclobber(place),
        });
        match renamed {
            Ok(_) => {
                sync_folder(&folder_of(place));
                Ok(size)
            }
            Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => {
                Err(WriteError::Exists)
            }
            Err(refused) => Err(refused.error.into()),
        }
    }
}

/// Syncs the names in a folder, if the file system can.
fn sync_folder(folder: &Path) {
    // The file is complete, with or without its name on disk, so an error here is not one of the
    // output.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A file that counts the bytes written to it.
#[derive(Debug)]
pub struct CountingFile<'a> {
    file: &'a mut File,
    bytes: u64,
}

impl Write for CountingFile<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
