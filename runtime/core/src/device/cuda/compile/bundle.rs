//! The bundle of kernels that is installed with Weft: a read-only file with the code of many
//! kernels for several targets.
//!
//! Code is found by a hash of its source, the compiler's options and the target, so that a bundle
//! of another version of Weft serves only the kernels with the same source. The file has a head
//! ([`BundleHead`]), the index, sorted by key, and the code.

use std::env;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use weft_config::machine::bundle::{
    self, BundleChoice, BundleFile, BundleHead, IndexEntry, UnusableBundle,
};

use super::{Capability, OPTIONS, Target, Version, cache};
use crate::say::say;

/// The SHA-256 of options, target and source.
pub(super) type ImageDigest = [u8; 32];

/// A bundle whose index is read.
#[derive(Debug)]
pub(super) struct Bundle {
    file: File,
    /// Bytes before the code.
    start: u64,
    targets: Vec<Target>,
    /// By key, ascending.
    index: Vec<IndexEntry>,
    /// Whether the driver understands the compiler's PTX.
    takes_ptx: bool,
}

/// Folders that may hold a bundle, besides the program's.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Makes runtimes that start later look for a bundle in this folder.
pub fn look_in(folder: PathBuf) {
    let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
    folders.push(folder);
}

/// Returns the key of the code for a target and a source.
pub(super) fn key(target: Target, source: &str) -> ImageDigest {
    let arch = target.option();
    cache::digest(OPTIONS.into_iter().chain([arch.as_str(), source]))
}

impl Bundle {
    /// Opens the bundle of `$WEFT_KERNEL_BUNDLE`, of a folder given to [`look_in`], or of the
    /// program's folder. Returns `None` if no bundle is found, or a driver of this version cannot
    /// load it. Reports a file that cannot be used, unless it belongs to an installation and is
    /// only too new.
    pub(super) fn find_installed(driver: Version) -> Option<Bundle> {
        let mut folders = FOLDERS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let program = env::current_exe().ok();
        folders.extend(program.and_then(|path| path.parent().map(Path::to_owned)));
        let (path, variable) = match bundle::find(&folders) {
            BundleChoice::Given(path) => (path, Some(bundle::VARIABLE)),
            BundleChoice::Installed(path) => (path, None),
            BundleChoice::Off | BundleChoice::Absent => return None,
        };
        match Bundle::open(&path, driver) {
            Ok(bundle) => Some(bundle),
            Err(UnusableBundle::TooNew { .. }) if variable.is_none() => None,
            Err(error) => {
                let from = variable.map_or_else(String::new, |name| format!("{name}: "));
                say(format_args!(
                    "weft: {from}{error}; kernels are compiled instead; `weft info` describes the bundle"
                ));
                None
            }
        }
    }

    /// Opens a bundle for a driver of a version.
    pub(super) fn open(path: &Path, driver: Version) -> Result<Bundle, UnusableBundle> {
        let BundleFile {
            file,
            head,
            index,
            code,
        } = BundleFile::open_for(path, driver)?;
        let targets = head.targets.iter().filter_map(|name| Target::parse(name));
        Ok(Bundle {
            file,
            start: code,
            targets: targets.collect(),
            index,
            takes_ptx: head.compiler <= driver,
        })
    }

    /// Returns the code of a source for GPUs of a capability, with its target. Returns `None` if
    /// the bundle does not have it, or it is damaged.
    pub(super) fn find(&self, source: &str, capability: Capability) -> Option<(Vec<u8>, Target)> {
        let target = self.target(capability)?;
        let key = key(target, source);
        let at = self
            .index
            .binary_search_by(|entry| entry.key.cmp(&key))
            .ok()?;
        let IndexEntry {
            start,
            length,
            hash,
            ..
        } = self.index.get(at)?;
        let start = self.start.checked_add(*start)?;
        // A damaged length must not be allocated.
        let end = start.checked_add(*length)?;
        if end > self.file.metadata().ok()?.len() {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(*length).ok()?];
        self.file.read_exact_at(&mut bytes, start).ok()?;
        (Sha256::digest(&bytes).as_slice() == hash).then_some((bytes, target))
    }

    /// Returns the target for GPUs of a capability: the newest machine code of the same major
    /// architecture, or else the newest PTX that is no newer.
    fn target(&self, (major, minor): Capability) -> Option<Target> {
        let wanted = major * 10 + minor;
        let fits = |target: &&Target| match target {
            Target::Cubin(arch) => arch / 10 == major && *arch <= wanted,
            Target::Ptx(arch) => self.takes_ptx && *arch <= wanted,
        };
        let rank = |target: &&Target| match target {
            Target::Cubin(arch) => (true, *arch),
            Target::Ptx(arch) => (false, *arch),
        };
        self.targets.iter().filter(fits).max_by_key(rank).copied()
    }
}

/// Returns a bundle as bytes: head, index and code.
pub(super) fn bytes(
    compiler: Version,
    targets: &[Target],
    mut images: Vec<(ImageDigest, Vec<u8>)>,
) -> Vec<u8> {
    images.sort_unstable_by_key(|(key, _)| *key);
    let head = BundleHead {
        compiler,
        targets: targets.iter().map(Target::to_string).collect(),
        images: images.len(),
    };
    let mut bytes = head.to_string().into_bytes();
    let mut start = 0_u64;
    for (key, code) in &images {
        let entry = IndexEntry {
            key: *key,
            start,
            length: code.len() as u64,
            hash: Sha256::digest(code).into(),
        };
        bytes.extend(entry.to_bytes());
        start += entry.length;
    }
    bytes.extend(images.into_iter().flat_map(|(_, code)| code));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGETS: [Target; 3] = [Target::Ptx(75), Target::Cubin(80), Target::Cubin(90)];

    /// A bundle of one kernel, whose code is the target's name.
    fn written(folder: &Path) -> (PathBuf, Vec<u8>) {
        let images = TARGETS.map(|target| (key(target, "source"), target.to_string().into_bytes()));
        let bytes = bytes((13, 0), &TARGETS, images.to_vec());
        let path = folder.join("kernels.weft");
        std::fs::write(&path, &bytes).expect("written");
        (path, bytes)
    }

    #[test]
    fn each_gpu_gets_the_newest_code_that_it_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, _) = written(folder.path());
        let target = |driver, capability| {
            let bundle = Bundle::open(&path, driver).ok()?;
            let (code, target) = bundle.find("source", capability)?;
            assert_eq!(code, target.to_string().into_bytes());
            Some(target)
        };
        assert_eq!(target((13, 0), (9, 0)), Some(Target::Cubin(90)));
        assert_eq!(target((13, 0), (8, 9)), Some(Target::Cubin(80)));
        assert_eq!(target((13, 0), (7, 5)), Some(Target::Ptx(75)));
        assert_eq!(target((14, 1), (12, 0)), Some(Target::Ptx(75)));
        assert_eq!(target((13, 0), (7, 0)), None);
        assert_eq!(target((12, 9), (9, 0)), None, "the driver is older");
    }

    #[test]
    fn a_driver_of_the_same_major_version_gets_no_newer_ptx() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kernels.weft");
        let target = Target::Ptx(75);
        let images = vec![(key(target, "source"), b"code".to_vec())];
        std::fs::write(&path, bytes((13, 1), &[target], images)).expect("written");
        let found = |driver| {
            let bundle = Bundle::open(&path, driver).expect("a bundle");
            bundle.find("source", (9, 0))
        };
        assert_eq!(found((13, 0)), None);
        assert_eq!(found((13, 1)), Some((b"code".to_vec(), target)));
    }

    #[test]
    fn a_changed_source_or_damaged_code_is_not_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, whole) = written(folder.path());
        let open = || Bundle::open(&path, (13, 0));
        assert_eq!(open().expect("whole").find("Source", (9, 0)), None);
        let mut damaged = whole.clone();
        for byte in damaged.iter_mut().rev().take(20) {
            *byte ^= 1;
        }
        std::fs::write(&path, damaged).expect("written");
        assert_eq!(open().expect("an index").find("source", (9, 0)), None);
        std::fs::write(&path, &whole[..whole.len() - 20]).expect("written");
        let bundle = open().expect("an index");
        assert!(
            [(7, 5), (8, 0), (9, 0)]
                .iter()
                .any(|of| bundle.find("source", *of).is_none())
        );
        std::fs::write(&path, &whole[..100]).expect("written");
        open().expect_err("no index");
    }
}
