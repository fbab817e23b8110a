//! The names of a run's files.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weft_config::{Plan, folder};
use weft_output::nsys_rep::STREAM;
use weft_trace::file::{Prof, RunId};

use crate::error::CliError;

/// Extensions of the ranks' files: recorded and printed ones.
const PROFILES: [&str; 3] = [PROFILE, REPORT, STREAM];
const LOGS: [&str; 2] = ["out", "err"];

/// The extension of profiles.
pub(super) const PROFILE: &str = "prof";
/// The extension of reports of nsys.
pub(super) const REPORT: &str = "nsys-rep";

/// The names of a run's files: `<name>_<rank>.<extension>` in a folder, and the joined ones.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) folder: PathBuf,
    name: String,
}

impl Names {
    pub(super) fn for_plan(plan: &Plan) -> Names {
        Names {
            folder: plan.logdir.clone(),
            name: plan.profile_name.clone(),
        }
    }

    /// Returns the joined file.
    pub(super) fn database_path(&self) -> PathBuf {
        self.folder.join(format!("{}.sqlite", self.name))
    }

    /// Returns the report with Weft's rows.
    pub(super) fn merged(&self) -> PathBuf {
        self.folder.join(format!("{}.{REPORT}", self.name))
    }

    /// Returns the path of the files of all ranks, as a shell pattern.
    pub(super) fn pattern(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}_*.{extension}", self.name))
    }

    /// Returns all existing files of these names. `records`: profiles, reports and joined files;
    /// `logs`: the output of ranks.
    pub(super) fn existing(&self, records: bool, logs: bool) -> Result<Vec<PathBuf>, CliError> {
        let mut found = Vec::new();
        if records {
            let made = [self.database_path(), self.merged()];
            found.extend(
                made.into_iter()
                    .filter(|path| path.symlink_metadata().is_ok()),
            );
        }
        let records = PROFILES.into_iter().filter(|_| records);
        let logs = LOGS.into_iter().filter(|_| logs);
        found.extend(self.of_all_ranks(records.chain(logs))?);
        Ok(found)
    }

    /// Returns the existing files of ranks that nsys (`reports`) or the launcher (`logs`) would
    /// overwrite.
    pub(super) fn rewritten(&self, reports: bool, logs: bool) -> Result<Vec<PathBuf>, CliError> {
        let reports = [REPORT, STREAM].into_iter().filter(|_| reports);
        self.of_all_ranks(reports.chain(LOGS.into_iter().filter(|_| logs)))
    }

    /// Returns the existing files of all ranks with these extensions.
    fn of_all_ranks(
        &self,
        extensions: impl Iterator<Item = &'static str>,
    ) -> Result<Vec<PathBuf>, CliError> {
        let mut found = Vec::new();
        for extension in extensions {
            found.extend(self.of_ranks(extension)?.into_iter().map(|(_, path)| path));
        }
        Ok(found)
    }

    /// Returns the existing files `<name>_<rank>.<extension>`, by rank. Empty if there is no
    /// folder.
    pub(super) fn of_ranks(&self, extension: &str) -> Result<Vec<(u32, PathBuf)>, CliError> {
        let list = || -> io::Result<Vec<(u32, PathBuf)>> {
            let mut found = Vec::new();
            for entry in fs::read_dir(&self.folder)? {
                let entry = entry?;
                if let Some(rank) = self.rank_of(&entry.file_name().to_string_lossy(), extension) {
                    found.push((rank, entry.path()));
                }
            }
            found.sort();
            Ok(found)
        };
        match list() {
            Err(cause) if is_no_folder(&cause) => Ok(Vec::new()),
            listed => {
                listed.map_err(|cause| failed("cannot read the folder", &self.folder, &cause))
            }
        }
    }

    /// Returns the profiles of this run, and their names, which are in another folder if a rank
    /// found an existing file. Without a run id, returns the latest ones.
    pub(super) fn profiles(
        &self,
        run: Option<RunId>,
    ) -> Result<(Names, Vec<(u32, PathBuf)>), CliError> {
        let others = folder::numbers(&self.folder).into_iter();
        let others = others.map(|number| folder::numbered(&self.folder, number));
        let mut newest = (self.clone(), Vec::new());
        for folder in [self.folder.clone()].into_iter().chain(others) {
            let names = Names {
                folder,
                name: self.name.clone(),
            };
            let mut profiles = names.of_ranks(PROFILE)?;
            profiles.retain(|(_, path)| run.is_none() || run_of(path) == run);
            match run {
                Some(_) if !profiles.is_empty() => return Ok((names, profiles)),
                None if last_modified(&profiles) > last_modified(&newest.1) => {
                    newest = (names, profiles)
                }
                _ => {}
            }
        }
        Ok(newest)
    }

    /// Returns the rank in the name of a file of this run; `None` for files of all ranks.
    pub(super) fn rank(&self, file: &str) -> Option<u32> {
        let mut extensions = PROFILES.iter().chain(&LOGS);
        extensions.find_map(|extension| self.rank_of(file, extension))
    }

    /// Returns the rank in a file's name; `None` if the file is not of this run.
    fn rank_of(&self, file: &str, extension: &str) -> Option<u32> {
        let rest = file.strip_prefix(&self.name)?.strip_prefix('_')?;
        let digits = rest.strip_suffix(extension)?.strip_suffix('.')?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    }
}

/// Returns whether a path leads through a file. Creating the folder then gives the better error.
fn is_no_folder(cause: &io::Error) -> bool {
    matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns the run of a profile. Reads its beginning only: the file may have gigabytes.
fn run_of(path: &Path) -> Option<RunId> {
    const HEAD: u64 = 1 << 20;
    let mut head = Vec::new();
    File::open(path)
        .ok()?
        .take(HEAD)
        .read_to_end(&mut head)
        .ok()?;
    Some(Prof::from_bytes(head).ok()?.info().run_id)
}

/// Returns when the last of these was written.
fn last_modified(files: &[(u32, PathBuf)]) -> Option<SystemTime> {
    let times = files
        .iter()
        .filter_map(|(_, path)| path.metadata().ok()?.modified().ok());
    times.max()
}

/// Returns the error of a run's file that cannot be read or made.
pub(super) fn failed(what: &str, path: &Path, cause: &io::Error) -> CliError {
    CliError::failed(
        format!("{what} {}: {cause}", path.display()),
        "choose another --logdir, or check its permissions",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_ranks_from_file_names() {
        let names = Names {
            folder: PathBuf::new(),
            name: "weft".into(),
        };
        let rank = |file| names.rank_of(file, "prof");
        assert_eq!(rank("weft_0.prof"), Some(0));
        assert_eq!(rank("weft_31.prof"), Some(31));
        for file in [
            "weft_.prof",
            "weft_a.prof",
            "weft_0.profx",
            "weft.prof",
            "my_weft_0.prof",
            "weft_0_1.prof",
        ] {
            assert_eq!(rank(file), None, "{file}");
        }
    }
}
