//! The `.npz` format: a zip archive with a `.npy` file for each array.

use std::fs::File;
use std::io::{BufReader, Seek, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError};

use super::npy::{self, Encoded, Loaded};
use crate::error::FileCause;

impl From<ZipError> for FileCause {
    fn from(error: ZipError) -> FileCause {
        match error {
            ZipError::Io(error) => FileCause::Io(error),
            other => FileCause::Zip(other.to_string()),
        }
    }
}

/// Reads all arrays, in the order of the archive.
pub(super) fn read(path: &Path) -> Result<Vec<(String, Loaded)>, FileCause> {
    let mut archive = ZipArchive::new(BufReader::new(File::open(path)?))?;
    let mut arrays = Vec::with_capacity(archive.len());
    for number in 0..archive.len() {
        let mut member = archive.by_index(number)?;
        let name = member.name()?.into_owned();
        let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
        let loaded = npy::read(&mut member).map_err(|cause| match cause {
            FileCause::NotNpy => FileCause::Zip(format!("its member {name:?} is no .npy file")),
            other => other,
        })?;
        arrays.push((name, loaded));
    }
    Ok(arrays)
}

/// Writes arrays, uncompressed as `numpy.savez` does.
pub(super) fn write(
    to: &mut (impl Write + Seek),
    arrays: &[(&str, Encoded)],
) -> Result<(), FileCause> {
    let mut archive = ZipWriter::new(to);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(true);
    for (name, array) in arrays {
        archive.start_file(format!("{name}.npy"), options)?;
        array.write(&mut archive)?;
    }
    archive.finish()?;
    Ok(())
}
