//! The files of a run in its folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use weft_config::Plan;
use weft_nvtx_export::output::nsys_rep::STREAM;

use super::prepared::Prepared;
use crate::error::CliError;

/// Extensions of what ranks leave: what was recorded, and what was printed.
const PROFILES: [&str; 3] = ["prof", "nsys-rep", STREAM];
const LOGS: [&str; 2] = ["out", "err"];

/// The files of a run: told by folder and name.
#[derive(Debug)]
pub(super) struct Outputs {
    folder: PathBuf,
    name: String,
    /// The joined file.
    pub(super) joined: PathBuf,
    /// The report with Weft's rows.
    pub(super) merged: PathBuf,
}

impl Outputs {
    /// The files that a plan leads to.
    pub(super) fn new(plan: &Plan) -> Outputs {
        Outputs {
            folder: plan.logdir.clone(),
            name: plan.profile_name.clone(),
            joined: plan.joined_path(),
            merged: plan.merged_path(),
        }
    }

    /// Makes the folder, and removes what an earlier run of this name left, ranks that this run does not have included. A rank that
    /// somebody else has started removes its own files, and the first of a node those of nobody.
    pub(super) fn prepare(&self, prepared: &Prepared) -> Result<(), CliError> {
        fs::create_dir_all(&self.folder)
            .map_err(|cause| self.failed("cannot make the folder", &self.folder, &cause))?;
        let mut extensions: Vec<&str> = Vec::new();
        let mut stale = Vec::new();
        let is_first = prepared
            .ranks
            .joined
            .is_none_or(|rank| rank.local_rank == 0);
        if prepared.plan.profile || prepared.plan.nsys {
            extensions.extend(PROFILES);
            if is_first {
                stale.extend([self.joined.clone(), self.merged.clone()]);
            }
        }
        if prepared.logs() {
            extensions.extend(LOGS);
        }
        let is_ours = |rank: u32| match prepared.ranks.joined {
            Some(own) => rank == u32::from(own.rank) || is_first && rank >= u32::from(own.size),
            None => true,
        };
        for extension in extensions {
            let found = self.of_ranks(extension)?.into_iter();
            stale.extend(
                found
                    .filter(|(rank, _)| is_ours(*rank))
                    .map(|(_, path)| path),
            );
        }
        for path in stale {
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != ErrorKind::NotFound => {
                    return Err(self.failed("cannot remove the earlier", &path, &cause));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The files `<name>_<rank>.<extension>` that exist, by rank.
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
        list().map_err(|cause| self.failed("cannot read the folder", &self.folder, &cause))
    }

    /// The path of the files of all ranks, as a shell takes it.
    pub(super) fn pattern(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{}_*.{extension}", self.name))
    }

    /// The rank in a file's name; `None` where the file is not of this run.
    fn rank_of(&self, file: &str, extension: &str) -> Option<u32> {
        let rest = file.strip_prefix(&self.name)?.strip_prefix('_')?;
        let digits = rest.strip_suffix(extension)?.strip_suffix('.')?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    }

    fn failed(&self, what: &str, path: &Path, cause: &io::Error) -> CliError {
        CliError::failed(
            format!("{what} {}: {cause}", path.display()),
            "give another --logdir, or check its permissions",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_told_from_other_files() {
        let outputs = Outputs {
            folder: PathBuf::new(),
            name: "weft".into(),
            joined: PathBuf::new(),
            merged: PathBuf::new(),
        };
        let rank = |file| outputs.rank_of(file, "prof");
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
