//! Compiles the sources of a folder and packs the code into a bundle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io, thread};

use weft_config::machine::library::CudaLibrary;

use super::bundle::{self, Key};
use super::{Nvrtc, OPTIONS, Target, choose, sources};
use crate::error::DriverError;

/// The architectures that get machine code, if the compiler knows them.
const ARCHITECTURES: [u32; 4] = [80, 90, 100, 120];

/// Why a bundle was not made.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A file cannot be read or written.
    #[error("{}: {cause}", .path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The folder holds no sources.
    #[error("{} holds no sources of kernels; run programs on a GPU with WEFT_KERNEL_SOURCES set to this folder", .0.display())]
    Empty(PathBuf),
    /// There is no compiler, or a source does not compile.
    #[error(transparent)]
    Compiler(#[from] DriverError),
}

/// A packed bundle.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Number of kernels.
    pub kernels: usize,
    /// The targets of each kernel, such as `compute_75` and `sm_90`.
    pub targets: Vec<String>,
    /// Size of the file in bytes.
    pub bytes: usize,
}

/// Returns the major and minor version of this machine's NVRTC; `None` if it is not installed.
pub fn compiler() -> Option<(u32, u32)> {
    newest().ok().map(|nvrtc| nvrtc.version)
}

fn newest() -> Result<Nvrtc, DriverError> {
    choose((u32::MAX, 0), CudaLibrary::Nvrtc.candidates())
}

/// Compiles all sources in the folder `from` with this machine's NVRTC, and writes their code to
/// the
/// bundle `to`: machine code for those of the architectures 80, 90, 100 and 120 that the compiler
/// supports, and PTX for the oldest one that it supports, which all GPUs can compile.
///
/// # Errors
/// If NVRTC is not installed, the folder has no sources, a source does not compile, or a file
/// cannot be read or written.
pub fn pack(from: &Path, to: &Path) -> Result<Packed, PackError> {
    let sources = read(from)?;
    let nvrtc = newest()?;
    let targets = targets(&nvrtc.architectures);
    let jobs: Vec<(&str, &str, Target)> = sources
        .iter()
        .flat_map(|(name, source)| {
            targets
                .iter()
                .map(move |target| (&**name, &**source, *target))
        })
        .collect();
    let images = compile(&nvrtc, &jobs)?;
    let bytes = bundle::bytes(nvrtc.version, &targets, images);
    fs::write(to, &bytes).map_err(|cause| PackError::File {
        path: to.to_owned(),
        cause,
    })?;
    Ok(Packed {
        kernels: sources.len(),
        targets: targets.iter().map(Target::to_string).collect(),
        bytes: bytes.len(),
    })
}

/// Reads the sources of a folder, by the names of their entries.
fn read(folder: &Path) -> Result<BTreeMap<String, String>, PackError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |cause| PackError::File { path, cause }
    };
    let mut sources = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let is_source = path
            .extension()
            .is_some_and(|end| end == sources::EXTENSION);
        if let Some(name) = name.filter(|_| is_source) {
            let source = fs::read_to_string(&path).map_err(at(&path))?;
            sources.insert(name.to_owned(), source);
        }
    }
    match sources.is_empty() {
        true => Err(PackError::Empty(folder.to_owned())),
        false => Ok(sources),
    }
}

fn targets(known: &[u32]) -> Vec<Target> {
    let oldest = known.iter().min().copied().map(Target::Ptx);
    let own = ARCHITECTURES
        .into_iter()
        .filter(|arch| known.contains(arch));
    oldest.into_iter().chain(own.map(Target::Cubin)).collect()
}

/// Compiles on one thread per processor. After a failure no other job begins.
fn compile(
    nvrtc: &Nvrtc,
    jobs: &[(&str, &str, Target)],
) -> Result<Vec<(Key, Vec<u8>)>, DriverError> {
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Ok(Vec::with_capacity(jobs.len())));
    let work = || {
        while let Some((name, source, target)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let arch = target.option();
            let options = OPTIONS.into_iter().chain([arch.as_str()]);
            let code = nvrtc.compile((name, source), options, *target, true);
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            match (code, &mut *made) {
                (Ok(code), Ok(images)) => images.push((bundle::key(*target, source), code)),
                (Err(error), Ok(_)) => *made = Err(error),
                (_, Err(_)) => return,
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}
