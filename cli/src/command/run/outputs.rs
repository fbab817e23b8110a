//! The files of a run in its folder.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use weft_config::Plan;

use crate::error::CliError;

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

    /// Makes the folder, and removes what an earlier run of this name left, ranks that this run does not have included.
    pub(super) fn prepare(&self) -> Result<(), CliError> {
        fs::create_dir_all(&self.folder)
            .map_err(|cause| self.failed("cannot make the folder", &self.folder, &cause))?;
        let stale = [self.joined.clone(), self.merged.clone()]
            .into_iter()
            .chain(self.of_ranks("prof")?)
            .chain(self.of_ranks("nsys-rep")?);
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
    pub(super) fn of_ranks(&self, extension: &str) -> Result<Vec<PathBuf>, CliError> {
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
            Ok(found) => Ok(found.into_iter().map(|(_, path)| path).collect()),
            Err(cause) => Err(self.failed("cannot read the folder", &self.folder, &cause)),
        }
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
