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
/// An input cannot be read or is of no known format, or the inputs are of several runs. An input that is damaged
/// is read up to the damage, which [`Recording::is_partial`] tells.
pub fn read(inputs: &[PathBuf], options: &ReadOptions) -> Result<Trace, ExportError> {
    if inputs.is_empty() {
        return Err(ExportError::NoInput);
    }
    let mut joined = Recording::default();
    let mut profiles = legion::Profiles::default();
    let memory = MemoryLimit::of(options.memory_limit);
    let mut recordings = Recordings::default();
    for path in inputs {
        let format = format::detect(path)?;
        if let Some(first) = recordings.same_file(path, format)? {
            note_same(&mut joined, path, &first);
            continue;
        }
        match format {
            Format::WeftProf => {
                memory.check_file(path)?;
                prof::read(&mut joined, path, options)?;
            }
            Format::LegionProf => {
                profiles.read(&mut joined, path, options)?;
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
                    note_same(&mut joined, path, &first);
                    continue;
                }
                nsys::read(
                    &mut joined,
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
                    note_same(&mut joined, path, &first);
                    continue;
                }
                nsys::read(
                    &mut joined,
                    &database,
                    path,
                    SourceKind::NsysReport,
                    options,
                )?;
                joined.devices.converted.push(converted);
            }
        }
    }
    profiles.finish(&mut joined);
    joined.settle_untimed();
    check_runs(&joined, options)?;
    joined
        .quality
        .meta
        .set("weft_version", env!("CARGO_PKG_VERSION"));
    if let Some((run, program)) = joined
        .sources
        .iter()
        .find_map(|source| Some((source.run_id.clone()?, source.program.clone())))
    {
        joined.quality.meta.set("run_id", run);
        joined
            .quality
            .meta
            .set("program", program.unwrap_or_default());
    }
    options.progress.begin("aligning clocks", 0);
    joined.pair_messages();
    joined.count_one_sided();
    let lookup = Lookup::of(&joined);
    if !options.mix_runs {
        identify::related::check(&mut joined, &lookup)?;
    }
    clock::align(&mut joined, &lookup);
    joined.time_messages();
    options.progress.begin("joining kernels and launches", 0);
    Ok(join::join(joined, &lookup))
}

/// Whether a profile of Weft lacks records, by what it counts of itself; reads none of them.
///
/// # Errors
/// It cannot be read, or is no profile of Weft.
pub fn check_profile(path: &Path) -> Result<Option<Incomplete>, ExportError> {
    prof::check(path)
}

/// Which of the inputs that a database of `weft_output::sqlite` was made of lack records.
///
/// # Errors
/// It cannot be read.
pub fn check_database(path: &Path) -> Result<Vec<Incomplete>, ExportError> {
    database_of_weft::check(&Database::open(path)?)
}

fn check_runs(joined: &Recording, options: &ReadOptions) -> Result<(), ExportError> {
    let mut seen: Vec<(&Path, &str, Option<u16>)> = Vec::new();
    for source in &joined.sources {
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
