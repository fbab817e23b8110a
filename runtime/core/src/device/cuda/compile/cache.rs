//! Compiled kernels on disk, one file each. If the folder cannot be used or a file is damaged, the
//! kernel is compiled again.

use std::env;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

/// First bytes of a file. They are followed by the SHA-256 of the code, and the code.
const MAGIC: &[u8; 8] = b"weftgpu1";

/// Number of bytes before the code.
const HEAD: usize = MAGIC.len() + 32;

/// A folder of compiled kernels.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

/// Returns the SHA-256 of these parts, each with its length.
pub(super) fn digest<'a>(parts: impl Iterator<Item = &'a str>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Returns the file name for a combination of inputs: their [`digest`] in hexadecimal digits.
pub(super) fn key<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut key = String::new();
    for byte in digest(parts) {
        let _ = write!(key, "{byte:02x}");
    }
    key
}

/// Returns the first 8 bytes of the SHA-256 of a source, in big-endian order.
pub(super) fn hash(source: &str) -> u64 {
    let hash = Sha256::digest(source);
    let first = hash.first_chunk().copied();
    first.map_or(0, u64::from_be_bytes)
}

impl Cache {
    /// Returns the cache of this user: `$WEFT_CACHE`, or `weft` in `$XDG_CACHE_HOME` or `~/.cache`;
    /// `None` if none of these is set.
    pub(super) fn for_user() -> Option<Cache> {
        folder(|name| env::var_os(name)).map(|folder| Cache { folder })
    }

    /// Creates a cache in this folder.
    #[cfg(test)]
    pub(super) fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// Returns the code of this key; `None` if it is missing or damaged.
    pub(super) fn read(&self, key: &str) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.path(key)).ok()?;
        let (head, code) = bytes.split_at_checked(HEAD)?;
        let (magic, hash) = head.split_at(MAGIC.len());
        if magic != MAGIC || hash != Sha256::digest(code).as_slice() {
            return None;
        }
        bytes.drain(..HEAD);
        Some(bytes)
    }

    /// Writes code to the cache. Readers see the whole file or none.
    pub(super) fn write(&self, key: &str, code: &[u8]) {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let making = self.folder.join(format!("{key}.{process}.{number}.making"));
        let hash = Sha256::digest(code);
        let bytes = [MAGIC, hash.as_slice(), code].concat();
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&making, bytes))
            .and_then(|()| fs::rename(&making, self.path(key)));
        if written.is_err() {
            // A partial file would only take space.
            let _ = fs::remove_file(&making);
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.gpu"))
    }
}

/// Returns the folder that the environment specifies.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    set("WEFT_CACHE").map(PathBuf::from).or_else(|| {
        let xdg = set("XDG_CACHE_HOME").map(PathBuf::from);
        // The XDG specification requires that relative paths are ignored.
        xdg.filter(|path| path.is_absolute())
            .or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")))
            .map(|caches| caches.join("weft"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_returns_written_entries_but_not_damaged_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(folder.path().join("deep").join("er"));
        let key = key(["a", "b"].into_iter());
        assert_eq!(cache.read(&key), None);
        cache.write(&key, b"code");
        assert_eq!(cache.read(&key).as_deref(), Some(&b"code"[..]));
        let file = cache.path(&key);
        let whole = fs::read(&file).expect("the file");
        for damaged in [&whole[..whole.len() - 1], &whole[..10], &[]] {
            fs::write(&file, damaged).expect("written");
            assert_eq!(cache.read(&key), None);
        }
        let mut flipped = whole.clone();
        flipped[HEAD] ^= 1;
        fs::write(&file, flipped).expect("written");
        assert_eq!(cache.read(&key), None);
        cache.write(&key, b"code");
        assert_eq!(cache.read(&key).as_deref(), Some(&b"code"[..]));
        let files = fs::read_dir(file.parent().expect("a folder")).expect("a folder");
        assert_eq!(files.count(), 1, "nothing else is left");
    }

    #[test]
    fn uncreatable_cache_folder_is_not_an_error() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let cache = Cache::new(file.path().join("inside"));
        cache.write("key", b"code");
        assert_eq!(cache.read("key"), None);
    }

    #[test]
    fn cache_keys_depend_on_part_boundaries() {
        let key = |parts: &[&str]| key(parts.iter().copied());
        assert_eq!(key(&["ab", "c"]).len(), 64);
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
    }

    #[test]
    fn cache_folder_prefers_weft_then_xdg_then_home() {
        let with = |set: &[(&str, &str)]| {
            let find = |name: &str| set.iter().find(|(known, _)| *known == name);
            folder(|name| find(name).map(|(_, value)| (*value).into()))
        };
        let path = |path: &str| Some(PathBuf::from(path));
        let all = [
            ("WEFT_CACHE", "/w"),
            ("XDG_CACHE_HOME", "/x"),
            ("HOME", "/h"),
        ];
        assert_eq!(with(&all), path("/w"));
        assert_eq!(with(&all[1..]), path("/x/weft"));
        assert_eq!(with(&all[2..]), path("/h/.cache/weft"));
        assert_eq!(
            with(&[("XDG_CACHE_HOME", "x"), all[2]]),
            path("/h/.cache/weft")
        );
        assert_eq!(with(&[("WEFT_CACHE", "")]), None);
    }
}
