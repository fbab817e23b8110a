//! The file that is being written.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::place::{Destination, check_writable, folder_of};
use crate::{Listed, WriteError, limit};

/// An output that is being written. Dropped before [`WholeFile::finish`], it leaves nothing, unless it is a device or a pipe.
///
/// [`remove_temporary`](crate::remove_temporary) knows its temporary file.
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
    /// What is open, and how many bytes it has had. The temporary file is for those that write by name.
    Through {
        open: File,
        bytes: u64,
        temporary: Option<Temporary>,
    },
}

#[derive(Debug)]
struct Temporary {
    // Removes the file before it is taken off the list.
    file: NamedTempFile,
    listed: Listed,
}

impl WholeFile {
    /// Begins `out`. `replace`: in place of a file that exists. The new one has its permissions.
    ///
    /// From the first call on, a write beyond the limit on the size of files is an error of this process and not a signal.
    ///
    /// # Errors
    /// `out` exists and is not to be replaced or is write-protected, is no file and cannot be written through, or its folder cannot be
    /// written.
    pub fn create(out: &Path, replace: bool) -> Result<Self, WriteError> {
        limit::make_an_error();
        let place = Destination::of(out)?;
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

    /// The output, as it was named.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// A temporary file for what opens its output by name. It must write into this file or put another in its place.
    ///
    /// # Errors
    /// The file cannot be made.
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

    /// Has `write` fill the file, through a buffer.
    ///
    /// # Errors
    /// What `write` gives, or the last of the buffer cannot be written.
    pub fn write_with<E: From<io::Error>>(
        &mut self,
        write: impl FnOnce(&mut BufWriter<Counted<'_>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let file = match &mut self.to {
            To::Beside { temporary, .. } => temporary.file.as_file_mut(),
            To::Through { open, .. } => open,
        };
        let mut writer = BufWriter::with_capacity(1 << 18, Counted { file, bytes: 0 });
        let written = write(&mut writer).and_then(|()| Ok(writer.flush()?));
        // What is left in the buffer of a failed write must not be written when it is dropped.
        let count = writer.into_parts().0.bytes;
        if let To::Through { bytes, .. } = &mut self.to {
            *bytes += count;
        }
        written
    }

    /// The same for what has to seek: what a pipe gets is put into a temporary file first.
    ///
    /// # Errors
    /// What `write` gives, or the file cannot be made or written.
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

    /// Gives the file its name, and its size in bytes to the caller. Its content is on disk before: after a crash of the machine there is
    /// the earlier file or all of this one.
    ///
    /// # Errors
    /// The file cannot be brought to disk or renamed, or another came into being there that is not to be replaced.
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
                // By name, since another file may have been put in its place.
                let mut made = File::open(temporary.file.path())?;
                Ok(bytes + io::copy(&mut made, &mut open)?)
            }
        }
    }
}

/// The error of making a file in a folder, with the name of the folder instead of the random one of the file.
fn in_folder(folder: &Path, error: &io::Error) -> io::Error {
    let text = error.to_string();
    // `tempfile` keeps what the system said only as text.
    let system = text
        .split_once(" at path ")
        .map_or(text.as_str(), |(system, _)| system);
    let text = format!("{system} in the folder {}", folder.display());
    io::Error::new(error.kind(), text)
}

impl Temporary {
    fn make(folder: &Path, out: &Path) -> io::Result<Temporary> {
        // What others make of the file may go by the extension of its name.
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
        // Temporary files are private; this one becomes an output, which the user's umask rules.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let make = || builder.tempfile_in(folder);
        let made = Listed::make(make, NamedTempFile::path);
        let (file, listed) = made.map_err(|error| in_folder(folder, &error))?;
        Ok(Temporary { file, listed })
    }

    fn rename(self, place: &Path, replace: bool) -> Result<u64, WriteError> {
        let Temporary { file, listed } = self;
        // By name, since another file may have been put in its place.
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

/// Brings the names in a folder to disk, where the file system can.
fn sync_folder(folder: &Path) {
    // The file is there, by one name or by none: whoever asked for it has it now.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A file that counts what is written to it.
#[derive(Debug)]
pub struct Counted<'a> {
    file: &'a mut File,
    bytes: u64,
}

impl Write for Counted<'_> {
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
