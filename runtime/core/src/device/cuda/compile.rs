//! Compilation of CUDA C to code for a GPU, by NVRTC. Compiled code is cached, in memory and on
//! disk.
//!
//! If NVRTC supports the GPU's architecture it generates a cubin, which any driver of its major
//! version loads. Otherwise it generates PTX, which the driver compiles. A driver refuses PTX of a
//! newer NVRTC.

mod cache;
mod nvrtc;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use weft_config::machine::library::CudaLibrary;
use weft_trace::record::CodeOrigin;

use super::code::Kernel;
use super::driver::{Code, Image};
use super::error::DriverError;
use cache::Cache;
pub(crate) use nvrtc::Nvrtc;

/// Compiler of kernels. Any thread may use it.
#[derive(Debug)]
pub(crate) struct Compiler {
    nvrtc: Nvrtc,
    /// The newest CUDA version that the driver supports.
    driver: Version,
    cache: Option<Cache>,
    /// Compiled code, and errors in users' sources, so that a loop does not compile the same wrong
    /// source again.
    made: Mutex<FxHashMap<(Kernel, Capability), Compiled>>,
}

/// The code of a kernel, or the reason why there is none.
type Compiled = Result<Arc<Image>, DriverError>;

/// Code and its origin.
type Built = (Vec<u8>, CodeOrigin);

/// Major and minor version.
type Version = (u32, u32);

/// Compute capability, major and minor.
type Capability = (u32, u32);

/// Products and sums are rounded separately, as on the CPU. Sources hold functions that no kernel
/// uses (warning 177).
const OPTIONS: [&str; 3] = ["--std=c++17", "--fmad=false", "--diag-suppress=177"];

/// Output of NVRTC for a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Machine code of this architecture.
    Cubin(u32),
    /// PTX of this architecture, which newer GPUs can run.
    Ptx(u32),
}

impl Target {
    fn option(self) -> String {
        format!("--gpu-architecture={self}")
    }
}

/// Formats the target like NVRTC's option: `sm_90`, `compute_90`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Cubin(arch) => write!(f, "sm_{arch}"),
            Target::Ptx(arch) => write!(f, "compute_{arch}"),
        }
    }
}

impl Compiler {
    /// Loads NVRTC: the first one found that is no newer than `driver`, the newest CUDA version
    /// that the driver supports. If there is none, loads the oldest newer one of the same major
    /// version.
    ///
    /// # Errors
    /// If NVRTC is not installed, or is too new.
    pub(crate) fn new(driver: Version) -> Result<Compiler, DriverError> {
        Ok(Compiler {
            nvrtc: choose(driver, CudaLibrary::Nvrtc.candidates())?,
            driver,
            cache: Cache::of_user(),
            made: Mutex::default(),
        })
    }

    /// Returns the code of a kernel for GPUs of a compute capability.
    ///
    /// # Errors
    /// If the source does not compile, or NVRTC does not support such GPUs.
    pub(crate) fn compile(
        &self,
        kernel: &Kernel,
        capability: Capability,
    ) -> Result<Code, DriverError> {
        let key = (kernel.clone(), capability);
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made().get(&key) {
            return known.clone().map(|image| Code {
                image,
                origin: CodeOrigin::Memory,
            });
        }
        let (name, source) = (kernel.name(), kernel.source());
        let target = self.target(capability)?;
        let built = match self.build(&name, &source, target) {
            Ok((bytes, origin)) => {
                let image = Image {
                    name,
                    source: cache::hash(&source),
                    target: target.to_string(),
                    bytes,
                };
                Ok((Arc::new(image), origin))
            }
            Err(error) => Err(of_user(error, kernel)),
        };
        if matches!(built, Ok(_) | Err(DriverError::CompileTask { .. })) {
            let image = built.as_ref().map(|(image, _)| image.clone());
            made().insert(key, image.map_err(Clone::clone));
        }
        built.map(|(image, origin)| Code { image, origin })
    }

    /// Returns code for a source, from disk if it was compiled before.
    fn build(&self, name: &str, source: &str, target: Target) -> Result<Built, DriverError> {
        let arch = target.option();
        let (major, minor) = self.nvrtc.version;
        let version = format!("nvrtc {major}.{minor}");
        let entry = self.cache.as_ref().map(|cache| {
            let parts = OPTIONS.into_iter().chain([arch.as_str(), &version, source]);
            (cache, cache::key(parts))
        });
        if let Some((cache, key)) = &entry
            && let Some(bytes) = cache.read(key)
        {
            return Ok((bytes, CodeOrigin::Disk));
        }
        let options = OPTIONS.into_iter().chain([arch.as_str()]);
        let bytes = self.nvrtc.compile(name, source, options, target)?;
        if let Some((cache, key)) = &entry {
            cache.write(key, &bytes);
        }
        Ok((bytes, CodeOrigin::Compiled))
    }

    fn target(&self, (major, minor): Capability) -> Result<Target, DriverError> {
        let wanted = major * 10 + minor;
        let target = target(wanted, &self.nvrtc.architectures);
        match target {
            Some(Target::Ptx(_)) if self.nvrtc.version > self.driver => Err(self.too_new()),
            Some(target) => Ok(target),
            None => Err(self.too_new()),
        }
    }

    fn too_new(&self) -> DriverError {
        too_new(self.nvrtc.version, self.driver)
    }
}

/// Chooses a cubin if the compiler supports the architecture, else PTX of the newest older one;
/// `None` if it supports only newer ones.
fn target(wanted: u32, known: &[u32]) -> Option<Target> {
    if known.contains(&wanted) {
        return Some(Target::Cubin(wanted));
    }
    let older = known.iter().copied().filter(|&arch| arch < wanted).max();
    older.map(Target::Ptx)
}

/// Changes a compile error of a source with a user's part to one that names the task.
fn of_user(error: DriverError, kernel: &Kernel) -> DriverError {
    match (error, kernel.task()) {
        (DriverError::Compile { log, .. }, Some(task)) => DriverError::CompileTask {
            task: task.to_owned(),
            log,
        },
        (error, _) => error,
    }
}

fn too_new(version: Version, driver: Version) -> DriverError {
    let dotted = |(major, minor): Version| format!("{major}.{minor}");
    DriverError::TooNew {
        library: CudaLibrary::Nvrtc.name(),
        version: dotted(version),
        driver: dotted(driver),
    }
}

/// Implements the choice of [`Compiler::new`].
fn choose(driver: Version, candidates: Vec<PathBuf>) -> Result<Nvrtc, DriverError> {
    let mut newer: Option<Nvrtc> = None;
    for path in candidates {
        match Nvrtc::load(&path) {
            Some(found) if found.version <= driver => return Ok(found),
            Some(found) if newer.as_ref().is_none_or(|old| found.version < old.version) => {
                newer = Some(found);
            }
            _ => {}
        }
    }
    match newer {
        Some(found) if found.version.0 == driver.0 => Ok(found),
        Some(found) => Err(too_new(found.version, driver)),
        None => Err(DriverError::Missing {
            library: CudaLibrary::Nvrtc.name(),
            remedy: CudaLibrary::Nvrtc.remedy(),
        }),
    }
}

/// Returns the NVRTC for tests: from `path`, or the installed one; `None` if there is none.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn nvrtc(path: Option<PathBuf>) -> Option<Nvrtc> {
    match path {
        Some(path) => Nvrtc::load(&path),
        None => choose((u32::MAX, 0), CudaLibrary::Nvrtc.candidates()).ok(),
    }
}

#[cfg(any(test, feature = "testing"))]
impl Nvrtc {
    /// Compiles the source of a kernel to PTX of an architecture.
    pub(crate) fn ptx(&self, name: &str, source: &str, arch: u32) -> Result<Vec<u8>, DriverError> {
        let target = Target::Ptx(arch);
        let arch = target.option();
        let options = OPTIONS.into_iter().chain([arch.as_str()]);
        self.compile(name, source, options, target)
    }
}

#[cfg(test)]
mod tests;
