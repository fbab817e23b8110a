//! Compiles the sources of a folder and packs the code into a bundle.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{process, thread};

use weft_config::machine::library::CudaLibrary;

use super::bundle;
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
/// the bundle `to`: machine code for those of the architectures 80, 90, 100 and 120 that the
/// compiler supports, and PTX for the oldest one that it supports, which all GPUs can compile. The
/// file appears once it is complete.
///
/// # Errors
/// Returns an error if NVRTC is not installed, the folder has no sources, a source does not
/// compile, or a file cannot be read or written.
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
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let images = compile_all(&jobs, threads, |(name, source, target)| {
        let arch = target.option();
        let options = OPTIONS.into_iter().chain([arch.as_str()]);
        let code = nvrtc.compile((name, source), options, *target, true)?;
        Ok::<_, DriverError>((bundle::key(*target, source), code))
    })?;
    let bytes = bundle::bytes(nvrtc.version, &targets, images);
    write(to, &bytes).map_err(|cause| PackError::File {
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

/// Writes a file next to its path and renames it, so that no reader sees a part of it.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", process::id()));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The error of the write is the one to report.
        drop(fs::remove_file(&temporary));
    }
    written
}

/// Compiles on several threads. After a failure no other job begins. Returns the results in any
/// order, or the first failure.
fn compile_all<J: Sync, R: Send, E: Send>(
    jobs: &[J],
    threads: usize,
    compile: impl Fn(&J) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Ok(Vec::with_capacity(jobs.len())));
    let made_now = || made.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        while made_now().is_ok()
            && let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let result = compile(job);
            let mut made = made_now();
            match (result, &mut *made) {
                (Ok(result), Ok(results)) => results.push(result),
                (Err(error), Ok(_)) => *made = Err(error),
                (_, Err(_)) => {}
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn no_job_begins_after_a_failure() {
        let begun = AtomicU32::new(0);
        let result = compile_all(&[1, 2, 0, 3, 4], 1, |job| {
            begun.fetch_add(1, Ordering::Relaxed);
            match job {
                0 => Err("job 0 failed"),
                job => Ok(*job),
            }
        });
        assert_eq!(result, Err("job 0 failed"));
        assert_eq!(begun.into_inner(), 3);
    }

    #[test]
    fn all_jobs_run_once() {
        let jobs: Vec<u32> = (0..500).collect();
        let mut done = compile_all(&jobs, 4, |job| Ok::<_, ()>(*job)).expect("no failure");
        done.sort_unstable();
        assert_eq!(done, jobs);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_leaves_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kernels.weft");
        write(&path, b"old").expect("written");
        write(&path, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("read"), b"new");
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).expect("a folder");
        fs::write(taken.join("file"), b"").expect("written");
        write(&taken, b"bundle").expect_err("a folder that is not empty");
        let names = fs::read_dir(folder.path()).expect("read");
        let mut names: Vec<_> = names.map(|name| name.expect("read").file_name()).collect();
        names.sort();
        assert_eq!(names, ["kernels.weft", "taken"]);
    }
}
