//! The files of a run in its folder. Files of other runs are not removed or replaced, except with
//! `--force`.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::names::{Names, failed};
use super::prepared::Prepared;
use crate::error::CliError;

/// The files that a run has created in its folder before its program starts. Unused ones are
/// removed on drop.
#[derive(Debug)]
pub(super) struct Outputs {
    /// The names of its files.
    pub(super) names: Names,
    /// The folder, if it was created for this run.
    created: Option<PathBuf>,
    /// Empty files with the names of reports, so that other runs do not use these names.
    claims: Vec<PathBuf>,
}

impl Outputs {
    /// Creates the folder, and claims the names that nsys will write. With `--force` it removes the
    /// earlier reports and logs that this run will write. Earlier profiles stay until the program
    /// replaces them, and their joined files until the join has succeeded.
    ///
    /// `None` if another run has taken the names meanwhile, and other names are needed.
    pub(super) fn prepare(prepared: &Prepared) -> Result<Option<Outputs>, CliError> {
        let plan = &prepared.plan;
        let mut outputs = Outputs {
            names: Names::for_plan(plan),
            created: None,
            claims: Vec::new(),
        };
        if !prepared.leaves_files() {
            return Ok(Some(outputs));
        }
        let folder = &outputs.names.folder;
        let cannot_create = |cause: io::Error| failed("cannot create the folder", folder, &cause);
        if prepared.earlier.is_some() {
            match fs::create_dir(folder) {
                Err(cause) if cause.kind() == ErrorKind::AlreadyExists => return Ok(None),
                made => made.map_err(cannot_create)?,
            }
            outputs.created = Some(folder.clone());
        } else {
            fs::create_dir_all(folder).map_err(cannot_create)?;
        }
        if plan.force {
            outputs.remove_earlier(prepared)?;
        }
        if plan.nsys {
            let own = prepared.ranks.joined;
            let ranks = own.map_or(0..prepared.ranks.all, |own| own.rank..own.rank + 1);
            for rank in ranks {
                let path = plan.report_path(rank);
                match OpenOptions::new().write(true).create_new(true).open(&path) {
                    Ok(_) => outputs.claims.push(path),
                    Err(cause) if cause.kind() != ErrorKind::AlreadyExists => {
                        return Err(failed("cannot create", &path, &cause));
                    }
                    // Other ranks have begun already, and cannot change to another folder.
                    Err(_) if own.is_some() => return Err(exists(&path)),
                    Err(_) => return Ok(None),
                }
            }
        }
        Ok(Some(outputs))
    }

    fn remove_earlier(&self, prepared: &Prepared) -> Result<(), CliError> {
        for path in self.names.rewritten(prepared.plan.nsys, prepared.logs())? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let rank = self.names.rank(&name);
            if !rank.is_some_and(|rank| prepared.ranks.has(rank)) {
                continue;
            }
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != ErrorKind::NotFound => {
                    return Err(failed("cannot remove the earlier", &path, &cause));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        for claim in &self.claims {
            // Files written by nsys stay.
            if claim.metadata().is_ok_and(|known| known.len() == 0) {
                let _ = fs::remove_file(claim);
            }
        }
        if let Some(folder) = &self.created {
            // A folder that is not empty is not removed.
            let _ = fs::remove_dir(folder);
        }
    }
}

fn exists(path: &Path) -> CliError {
    CliError::usage(
        format!("{} exists", path.display()),
        "use --force to replace it, or choose another --profile-name or --logdir",
    )
}
