//! Words and paths, quoted as in a shell.

use std::env;
use std::ffi::OsStr;
use std::path::{self, Path, PathBuf};

/// Quoted for a shell. `shell_words` would also quote the `=` of options, which needs no quotes.
pub(super) fn quoted(word: impl AsRef<OsStr>) -> String {
    let text = word.as_ref().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@+".contains(c);
    if text.starts_with("--") && text.chars().all(plain) {
        return text.into_owned();
    }
    shell_words::quote(&text).into_owned()
}

/// A path, relative to the current folder if it is below it.
pub(super) fn path(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path);
    quoted(path.strip_prefix(".").unwrap_or(path))
}

/// A path whose name has an unquoted star for the shell.
pub(super) fn pattern(pattern: &Path) -> String {
    let folder = pattern.parent().map(path).unwrap_or_default();
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    let (start, end) = name.split_once('*').unwrap_or((&name, ""));
    let name = format!("{}*{}", quoted(start), quoted(end));
    match folder.as_str() {
        "" | "''" | "." => name,
        folder => format!("{folder}/{name}"),
    }
}

/// Returns the absolute path of the folder, if it can be written in a flag; otherwise as given.
pub(super) fn absolute(folder: &Path) -> String {
    let whole: Option<PathBuf> = path::absolute(folder).ok();
    whole
        .as_deref()
        .and_then(Path::to_str)
        .map_or_else(|| folder.to_string_lossy().into_owned(), Into::into)
}
