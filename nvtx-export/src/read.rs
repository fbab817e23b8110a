//! Inputs to a joined trace.

use std::path::{Path, PathBuf};
use weft_database::{Database, is_joined};
use weft_input::{
    ReadOptions, Recordings, format, legion, note_same, nsys, prof, sqlite as database_of_weft,
};
use weft_join::identify::{self, Lookup};
use weft_join::{clock, join};
use weft_model::{ExportError, Format, Incomplete, MemoryLimit, Recording, SourceKind, Trace};

/// Reads the inputs, aligns their clocks and joins kernels to launches.
///
/// # Errors
/// Returns an error if an input cannot be read or has an unknown format, or the inputs are of
/// several runs. A damaged input is read up to the damage, and [`Recording::is_partial`] then
/// returns `true`.
pub fn read(inputs: &[PathBuf], options: &ReadOptions) -> Result<Trace, ExportError> {
    if inputs.is_empty() {
        return Err(ExportError::NoInput);
    }
    let mut recording = Recording::default();
    let mut profiles = legion::Profiles::default();
    let memory = MemoryLimit::new(options.memory_limit);
    let mut recordings = Recordings::default();
    for path in inputs {
        let format = format::detect(path)?;
        if let Some(first) = recordings.same_file(path, format)? {
            note_same(&mut recording, path, &first);
            continue;
        }
        match format {
            Format::WeftProf => {
                memory.check_file(path)?;
                prof::read(&mut recording, path, options)?;
            }
            Format::LegionProf => {
                profiles.read(&mut recording, path, options)?;
            }
            Format::Sqlite => {
                let database = Database::open(path)?;
                if is_joined(&database) {
                    if inputs.len() > 1 {
                        return Err(ExportError::JoinedBesideOthers {
                            path: path.to_owned(),
                        });
                    }
                    memory.check_file(path)?;
                    return database_of_weft::read(&database);
                }
                if let Some(first) = recordings.same_session(path, &database)? {
                    note_same(&mut recording, path, &first);
                    continue;
                }
                nsys::read(
                    &mut recording,
                    &database,
                    path,
                    SourceKind::NsysSqlite,
                    options,
                )?;
            }
            Format::NsysReport => {
                let converted = nsys::convert(path)?;
                let database = Database::open(&converted.path())?;
                if let Some(first) = recordings.same_session(path, &database)? {
                    note_same(&mut recording, path, &first);
                    continue;
                }
                nsys::read(
                    &mut recording,
                    &database,
                    path,
                    SourceKind::NsysReport,
                    options,
                )?;
                recording.devices.converted.push(converted);
            }
        }
    }
    profiles.finish(&mut recording);
    recording.settle_untimed();
    check_runs(&recording, options)?;
    recording
        .quality
        .meta
        .set("weft_version", env!("CARGO_PKG_VERSION"));
    if let Some((run, program)) = recording
        .sources
        .iter()
        .find_map(|source| Some((source.run_id.clone()?, source.program.clone())))
    {
        recording.quality.meta.set("run_id", run);
        recording
            .quality
            .meta
            .set("program", program.unwrap_or_default());
    }
    options.progress.begin("aligning clocks", 0);
    recording.pair_messages();
    recording.count_one_sided();
    let lookup = Lookup::new(&recording);
    if !options.mix_runs {
        identify::related::check(&mut recording, &lookup)?;
    }
    clock::align(&mut recording, &lookup);
    recording.time_messages();
    options.progress.begin("joining kernels and launches", 0);
    Ok(join::join(recording, &lookup))
}

/// Checks by a profile's own counters whether it lacks records. It does not read the records.
///
/// # Errors
/// Returns an error if the file cannot be read, or is not a profile of Weft.
pub fn check_profile(path: &Path) -> Result<Option<Incomplete>, ExportError> {
    prof::check(path)
}

/// Returns the inputs of a database written by `weft_output::sqlite` that lack records.
///
/// # Errors
/// Returns an error if the database cannot be read.
pub fn check_database(path: &Path) -> Result<Vec<Incomplete>, ExportError> {
    database_of_weft::check(&Database::open(path)?)
}

fn check_runs(recording: &Recording, options: &ReadOptions) -> Result<(), ExportError> {
    let mut seen: Vec<(&Path, &str, Option<u16>)> = Vec::new();
    for source in &recording.sources {
        let Some(run) = source.run_id.as_deref() else {
            continue;
        };
        for (path, known, rank) in &seen {
            if *known == run && *rank == source.rank {
                return Err(ExportError::RankTwice {
                    first: path.to_path_buf(),
                    path: source.path.clone(),
                    rank: rank.unwrap_or_default(),
                    run: format!("run {run}"),
                });
            }
        }
        if let Some((first, expected, _)) = seen.first().filter(|first| first.1 != run)
            && !options.mix_runs
        {
            return Err(ExportError::MixedRuns {
                path: source.path.clone(),
                found: format!("run {run}"),
                first: first.to_path_buf(),
                expected: format!("run {expected}"),
            });
        }
        seen.push((&source.path, run, source.rank));
    }
    Ok(())
}
