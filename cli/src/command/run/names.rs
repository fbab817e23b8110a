//! The names of a run's files.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weft_config::{Plan, folder};
use weft_output::nsys_rep::STREAM;
use weft_trace::file::{Prof, RunId};

use crate::error::CliError;

/// Extensions of what ranks leave: what was recorded, and what was printed.
const PROFILES: [&str; 3] = [PROFILE, REPORT, STREAM];
const LOGS: [&str; 2] = ["out", "err"];

/// The extension of profiles.
pub(super) const PROFILE: &str = "prof";
/// The extension of reports of nsys.
pub(super) const REPORT: &str = "nsys-rep";

/// The names of a run's files: `<name>_<rank>.<extension>` in a folder, and what they are joined to.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) folder: PathBuf,
    name: String,
}

impl Names {
    pub(super) fn of(plan: &Plan) -> Names {
        Names {
            folder: plan.logdir.clone(),
            name: plan.profile_name.clone(),
        }
    }

    /// The joined file.
    pub(super) fn joined(&self) -> PathBuf {
        self.folder.join(format!("{}.sqlite", self.name))
    }

    /// The report with Weft's rows.
    pub(super) fn merged(&self) -> PathBuf {
        self.folder.join(format!("{}.{REPORT}", self.name))
    }

    /// The path of the files of all ranks, as a shell takes it.
    pub(super) fn pattern(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}_*.{extension}", self.name))
    }

    /// All files of these names that exist. `records`: profiles, reports and what they are joined to; `logs`: what ranks print.
    pub(super) fn existing(&self, records: bool, logs: bool) -> Result<Vec<PathBuf>, CliError> {
        let mut found = Vec::new();
        if records {
            let made = [self.joined(), self.merged()];
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

    /// The files of ranks that exist, and that nsys (`reports`) or the launcher (`logs`) writes anew.
    pub(super) fn rewritten(&self, reports: bool, logs: bool) -> Result<Vec<PathBuf>, CliError> {
        let reports = [REPORT, STREAM].into_iter().filter(|_| reports);
        self.of_all_ranks(reports.chain(LOGS.into_iter().filter(|_| logs)))
    }

    /// The files of all ranks with these extensions that exist.
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

    /// The files `<name>_<rank>.<extension>` that exist, by rank. None where there is no folder.
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

    /// The profiles that this run has written, and their names: of another folder where a rank found a file in its place. No run
    /// id: those that were written last.
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
                None if written(&profiles) > written(&newest.1) => newest = (names, profiles),
                _ => {}
            }
        }
        Ok(newest)
    }

    /// The rank in the name of a file of this run; `None` for one that is of all ranks.
    pub(super) fn rank(&self, file: &str) -> Option<u32> {
        let mut extensions = PROFILES.iter().chain(&LOGS);
        extensions.find_map(|extension| self.rank_of(file, extension))
    }

    /// The rank in a file's name; `None` where the file is not of this run.
    fn rank_of(&self, file: &str, extension: &str) -> Option<u32> {
        let rest = file.strip_prefix(&self.name)?.strip_prefix('_')?;
        let digits = rest.strip_suffix(extension)?.strip_suffix('.')?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    }
}

/// Making the folder says more of a path that leads through a file.
fn is_no_folder(cause: &io::Error) -> bool {
    matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The run of a profile. Reads its beginning alone: the file may have gigabytes.
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

/// When the last of these was written.
fn written(files: &[(u32, PathBuf)]) -> Option<SystemTime> {
    let times = files
        .iter()
        .filter_map(|(_, path)| path.metadata().ok()?.modified().ok());
    times.max()
}

/// A file of a run that cannot be looked at or made.
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
    fn ranks_are_told_from_other_files() {
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
