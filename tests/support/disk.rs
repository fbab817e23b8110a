//! Small disks.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A file system of this many bytes, until dropped.
pub(crate) struct Disk(TempDir);

impl Disk {
    /// Mounts a file system. Prints a message and returns `None` if that is not possible.
    pub(crate) fn mounted(bytes: usize) -> Option<Disk> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "weft-test"])
            .arg(folder.path())
            .output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            eprintln!("skipped: a small disk cannot be mounted here");
            return None;
        }
        Some(Disk(folder))
    }

    /// The mount point.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmount = Command::new("umount").arg("-l").arg(self.0.path()).status();
        let gone = unmount.is_ok_and(|status| status.success());
        // A test that has failed already gives its own reason.
        assert!(gone || std::thread::panicking(), "umount");
    }
}
