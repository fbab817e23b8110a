//! Databases that Weft wrote: the joined trace is read back in its joined state.

mod critical;
mod data;
mod device;
mod facts;
mod kernel;
mod overhead;
mod pages;
mod program;
mod range;
mod work;

use super::nsys;
use weft_database::Database;
use weft_model::{ExportError, Incomplete, Recording, SourceIndex, Trace, incomplete};

/// Reads a joined trace. Its times are on one clock, and its kernels already have their outcomes.
///
/// # Errors
/// Returns an error if the database cannot be read, or was written by a later Weft whose tables
/// have other meanings.
pub fn read(database: &Database) -> Result<Trace, ExportError> {
    let mut recording = Recording::default();
    recording.devices.converted.extend(database.copy());
    facts::read(&mut recording, database)?;
    program::read(&mut recording, database)?;
    work::read(&mut recording, database)?;
    data::read(&mut recording, database)?;
    let session = (0..).map(SourceIndex).zip(&recording.sources);
    let session = session
        .filter(|(_, source)| source.kind.is_nsys())
        .map(|(index, _)| index)
        .next();
    if let Some(session) = session {
        nsys::read_back(&mut recording, session, database)?;
    }
    let ranges = range::read(&mut recording, database)?;
    let mut links = kernel::read(&mut recording, database, &ranges)?;
    pages::read(&mut recording, database)?;
    overhead::read(&mut recording, database)?;
    links.critical_path = critical::read(database)?;
    match session {
        Some(session) => nsys::complete_work(&mut recording, session, database)?,
        None => device::read(&mut recording, database)?,
    }
    recording.settle_untimed();
    nsys::read_damage(&mut recording, SourceIndex(0), database);
    Ok(Trace { recording, links })
}

/// Returns the inputs of a joined database that lack records. Reads nothing else.
///
/// # Errors
/// Returns an error if the database cannot be read.
pub fn check(database: &Database) -> Result<Vec<Incomplete>, ExportError> {
    let mut recording = Recording::default();
    facts::read(&mut recording, database)?;
    Ok(incomplete(
        &recording.sources,
        recording.quality.losses.iter(),
    ))
}
