//! The `.npz` format: a zip archive with a `.npy` file for each array.

use std::fs::File;
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError};

use super::npy::{self, Encoded, Opened};
use weft_core::error::FileCause;

/// Returns an error of the archive as the cause of a failure.
fn archive_cause(error: ZipError) -> FileCause {
    match error {
        ZipError::Io(error) => FileCause::Io(error),
        other => FileCause::Zip(other.to_string()),
    }
}

/// An archive of arrays.
pub(super) struct Archive(ZipArchive<BufReader<File>>);

impl Archive {
    pub(super) fn open(path: &Path) -> Result<Archive, FileCause> {
        Ok(Archive(
            ZipArchive::new(BufReader::new(File::open(path)?)).map_err(archive_cause)?,
        ))
    }

    /// Returns the number of arrays.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the size of the elements of all arrays in bytes, according to their headers.
    pub(super) fn bytes(&mut self) -> Result<u64, FileCause> {
        let mut bytes = 0_u64;
        for number in 0..self.len() {
            let of_one = self.with(number, |_, opened, _| Ok::<_, FileCause>(opened.bytes))?;
            bytes = bytes.saturating_add(of_one as u64);
        }
        Ok(bytes)
    }

    /// Opens an array by its number in the archive, and calls `read` with its name, header and
    /// elements.
    pub(super) fn with<R, E: From<FileCause>>(
        &mut self,
        number: usize,
        read: impl FnOnce(&str, Opened, &mut dyn Read) -> Result<R, E>,
    ) -> Result<R, E> {
        let member = self.0.by_index(number).map_err(archive_cause);
        let mut member = member?;
        let name = member.name().map_err(archive_cause)?.into_owned();
        let name = name.strip_suffix(".npy").unwrap_or(&name);
        let length = member.size();
        let opened = npy::open(&mut member, Some(length)).map_err(|cause| match cause {
            FileCause::NotNpy => FileCause::Zip(format!("its member {name:?} is not an .npy file")),
            other => other,
        })?;
        read(name, opened, &mut member)
    }
}

/// An archive that is being written, uncompressed as `numpy.savez` does.
pub(super) struct NewArchive<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> NewArchive<W> {
    pub(super) fn new(to: W) -> Self {
        NewArchive(ZipWriter::new(to))
    }

    /// Adds an array.
    pub(super) fn add(&mut self, name: &str, array: &Encoded) -> Result<(), FileCause> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(true);
        self.0
            .start_file(format!("{name}.npy"), options)
            .map_err(archive_cause)?;
        Ok(array.write(&mut self.0)?)
    }

    /// Writes the list of members, which ends the archive.
    pub(super) fn finish(self) -> Result<(), FileCause> {
        self.0.finish().map_err(archive_cause)?;
        Ok(())
    }
}
