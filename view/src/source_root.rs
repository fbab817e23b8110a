//! The folder of source text. Profiles can name any file; only files in this folder get into a
//! page.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// The maximum size of a text in bytes.
const LONGEST: u64 = 8 << 20;

/// A folder of source files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRoot(PathBuf);

impl SourceRoot {
    /// Opens a folder.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist, or is not a folder.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        match folder.is_dir() {
            true => Ok(SourceRoot(folder)),
            false => Err(io::Error::other("it is not a folder")),
        }
    }

    /// Returns the text of a file named in a profile. The file is the path itself, or the longest
    /// end of the path that is a file in this folder. `None` if there is no such file, or if it
    /// leads out of the folder.
    pub fn text(&self, named: &str) -> Option<String> {
        let path = Path::new(named);
        let parts: Vec<Component<'_>> = path.components().collect();
        let is_plain = |part: &Component<'_>| matches!(part, Component::Normal(_));
        let first = parts.iter().position(is_plain)?;
        let parts = parts.get(first..)?;
        if !parts.iter().all(is_plain) {
            return None;
        }
        let tries = (0..parts.len()).map(|from| {
            let rest = parts.get(from..).unwrap_or_default();
            self.0.join(rest.iter().collect::<PathBuf>())
        });
        let own = path.is_absolute().then(|| path.to_owned());
        own.into_iter()
            .chain(tries)
            .find_map(|path| self.read(&path))
    }

    fn read(&self, path: &Path) -> Option<String> {
        // Links are followed first, so that the checked file is the one that is read.
        let path = path.canonicalize().ok()?;
        if !path.starts_with(&self.0) || !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        let file = File::open(&path).ok()?;
        file.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn reads_only_files_within_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("project");
        fs::create_dir_all(inside.join("src")).unwrap();
        fs::write(inside.join("src/main.rs"), "inside").unwrap();
        fs::write(folder.path().join("secret"), "outside").unwrap();
        std::os::unix::fs::symlink("../secret", inside.join("link")).unwrap();
        let root = SourceRoot::open(&inside).unwrap();
        let path = inside.join("src/main.rs");
        assert_eq!(root.text("src/main.rs").as_deref(), Some("inside"));
        assert_eq!(root.text(path.to_str().unwrap()).as_deref(), Some("inside"));
        assert_eq!(
            root.text("/build/elsewhere/src/main.rs").as_deref(),
            Some("inside")
        );
        let secret = folder.path().join("secret");
        for named in [
            "../secret",
            "link",
            "src/../../secret",
            "/etc/passwd",
            "src",
            "",
            "/",
            "..",
            "\0",
            secret.to_str().unwrap(),
            "/proc/self/environ",
            "src/main.rs/..",
        ] {
            assert_eq!(root.text(named), None, "{named}");
        }
    }
}
