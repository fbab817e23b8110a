//! The profile of a run: a file that no earlier run has made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weft_config::{Plan, folder};
use weft_trace::file::{CreateError, ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::Rank;

use crate::device::World;
use crate::error::{Error, Size};

/// A rank's attempt to create its file. Ranks agree on the minimum of all attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Attempt {
    /// A file of this name exists.
    Taken = 0,
    /// The file cannot be created.
    Failed = 1,
    /// The file is created, or none is wanted.
    Made = 2,
}

/// Part of the message about an existing file.
const EARLIER: &str = "belongs to an earlier run";

/// Returns a path without the current folder's name.
fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// The number that stands for a folder that could not be created.
const NO_FOLDER: u128 = u128::MAX;

/// Creates the profile, if wanted. If any rank finds a file in its place, all use a new folder,
/// which replaces the plan's. To be called by all ranks.
pub(super) fn create(
    plan: &mut Plan,
    rank: Rank,
    ranks: u16,
    world: Option<&World>,
) -> Result<Option<ProfWriter>, Error> {
    let (logdir, wanted) = (plan.logdir.clone(), plan.profile_path(rank.get()));
    loop {
        let made = if plan.profile {
            begin(plan, rank, ranks).map(Some)
        } else {
            Ok(None)
        };
        let own = match &made {
            Ok(_) => Attempt::Made,
            Err(CreateError::Exists { .. }) => Attempt::Taken,
            Err(_) => Attempt::Failed,
        };
        let least = world.map_or(own as u64, |world| world.least([own as u64])[0]);
        if least != Attempt::Taken as u64 {
            return made.map_err(failed);
        }
        // Another rank cannot create its file here, so discard this one's.
        if let Ok(Some(writer)) = made {
            writer.discard();
        }
        plan.logdir = next_folder(&logdir, rank, world)?;
        if rank == Rank::default() {
            // If another run took the first folder meanwhile, this message replaces the earlier
            // one.
            plan.warnings.retain(|known| !known.contains(EARLIER));
            let what = match ranks {
                1 => shown(&wanted),
                _ => "a profile here".to_owned(),
            };
            plan.warnings.push(format!(
                "{what} {EARLIER}, so the profile of this run is {}; --force replaces the earlier one",
                shown(&plan.profile_path(rank.get()))
            ));
        }
    }
}

/// Makes a folder, numbered by the first rank.
fn next_folder(logdir: &Path, rank: Rank, world: Option<&World>) -> Result<PathBuf, Error> {
    let is_first = rank == Rank::default();
    let own = if is_first {
        folder::make_next(logdir)
    } else {
        Ok(0)
    };
    let number = own.as_ref().map_or(NO_FOLDER, |number| u128::from(*number));
    let number = world.map_or(number, |world| world.common(number));
    let made = own.and_then(|_| {
        let number = u32::try_from(number)
            .map_err(|_| io::Error::other("the first rank could not make a folder"))?;
        let path = folder::numbered(logdir, number);
        if !is_first {
            // Other machines may have their own folders.
            fs::create_dir_all(&path)?;
        }
        Ok(path)
    });
    made.map_err(|source| {
        let path = logdir.to_owned();
        failed(CreateError::Create { path, source })
    })
}

fn begin(plan: &Plan, rank: Rank, ranks: u16) -> Result<ProfWriter, CreateError> {
    let run_id = plan.run_id.map_or_else(RunId::random, RunId);
    let info = RunInfo::of_this_process(run_id, rank, ranks);
    let options = WriterOptions {
        replace: plan.force,
        ..WriterOptions::limited(plan.profile_limit.0)
    };
    let path = plan.profile_path(rank.get());
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder).map_err(|source| CreateError::Create {
            path: path.clone(),
            source,
        })?;
    }
    ProfWriter::create(&path, &info, options)
}

fn failed(error: CreateError) -> Error {
    Error::Profile(Arc::new(error))
}

/// Returns a warning if the file cannot grow as far as requested.
pub(super) fn shortened(plan: &Plan, profile: &ProfWriter) -> Option<String> {
    let (limit, asked) = (profile.limit(), plan.profile_limit.0);
    (limit < asked).then(|| {
        format!(
            "the profile may grow to {}, not {}: the address space or the size of files is limited (`ulimit -v`, `ulimit -f`); \
             what does not fit is dropped and counted",
            Size(limit),
            Size(asked)
        )
    })
}
