//! The libraries' names.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::host::this_object;

pub(crate) const NAMES: [&str; 12] = [
    "libcuda.so",
    "libcuda.so.1",
    "libnvrtc.so",
    "libnvrtc.so.13",
    "libcublas.so",
    "libcublas.so.13",
    "libcufft.so",
    "libcufft.so.12",
    "libcusolver.so",
    "libcusolver.so.12",
    "libcupti.so",
    "libcupti.so.13",
];

/// Returns the emulator as a shared library, which Cargo builds with this crate into the running
/// program's folder, or one folder above.
pub fn library() -> io::Result<PathBuf> {
    let own = this_object();
    let folders = own.ancestors().skip(1).take(2);
    let found = folders
        .map(|folder| folder.join("libcuda_emulator.so"))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        let what = format!(
            "libcuda_emulator.so is not next to {}; build the crate cuda-emulator",
            own.display()
        );
        io::Error::new(io::ErrorKind::NotFound, what)
    })
}

/// Links the emulator under the names of NVIDIA's libraries in a folder, which must come first in
/// `LD_LIBRARY_PATH`.
pub fn install(folder: &Path) -> io::Result<()> {
    let library = library()?;
    std::fs::create_dir_all(folder)?;
    for name in NAMES {
        symlink(&library, folder.join(name))?;
    }
    Ok(())
}
