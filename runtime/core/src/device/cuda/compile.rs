//! Compilation of CUDA C to code for a GPU, by NVRTC. Compiled code is cached, in memory and on
//! disk.
//!
//! Code comes from memory, from the bundle that is installed with Weft, from disk, or from NVRTC,
//! in this order. NVRTC is loaded for the first kernel that the bundle lacks: loading it takes a
//! while, and the bundle needs no compiler.
//!
//! If NVRTC supports the GPU's architecture it generates a cubin, which any driver of its major
//! version loads. Otherwise it generates PTX, which the driver compiles. A driver refuses PTX of a
//! newer NVRTC.

mod bundle;
mod cache;
mod nvrtc;
pub(crate) mod pack;
mod sources;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use weft_config::machine::library::CudaLibrary;
use weft_trace::record::CodeOrigin;

use super::code::Kernel;
use super::driver::Code;
use super::image::Image;
use crate::error::DriverError;
use bundle::Bundle;
pub use bundle::look_in;
use cache::Cache;
pub(crate) use nvrtc::Nvrtc;
use sources::Sources;

/// Compiler of kernels. Any thread may use it.
#[derive(Debug)]
pub(crate) struct Compiler {
    /// Loaded when it is first needed.
    nvrtc: OnceLock<Result<Nvrtc, DriverError>>,
    /// The newest CUDA version that the driver supports.
    driver: Version,
    bundle: Option<Bundle>,
    cache: Option<Cache>,
    /// The folder to which the sources of kernels are written.
    sources: Option<Sources>,
    /// Compiled code, and errors in users' sources, so that a loop does not compile the same wrong
    /// source again.
    made: Mutex<FxHashMap<(Kernel, Capability), Compiled>>,
}

/// The code of a kernel, or the reason why there is none.
type Compiled = Result<Arc<Image>, DriverError>;

/// Code, its target and its origin.
type Built = (Vec<u8>, Target, CodeOrigin);

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

    /// The target of this name: `sm_90`, `compute_90`.
    fn parse(name: &str) -> Option<Target> {
        match (name.strip_prefix("sm_"), name.strip_prefix("compute_")) {
            (Some(arch), _) => arch.parse().ok().map(Target::Cubin),
            (_, Some(arch)) => arch.parse().ok().map(Target::Ptx),
            _ => None,
        }
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
    /// A compiler for a driver that supports CUDA up to the version `driver`. Uses the first NVRTC
    /// that is no newer; if there is none, the oldest newer one of the same major version.
    ///
    /// # Errors
    /// Returns an error if there is no bundle for this driver, and NVRTC is not installed or is too
    /// new.
    pub(crate) fn new(driver: Version) -> Result<Compiler, DriverError> {
        let compiler = Compiler {
            nvrtc: OnceLock::new(),
            driver,
            bundle: Bundle::find_installed(driver),
            cache: Cache::for_user(),
            sources: Sources::from_environment(),
            made: Mutex::default(),
        };
        if compiler.bundle.is_none() {
            compiler.nvrtc()?;
        }
        Ok(compiler)
    }

    fn nvrtc(&self) -> Result<&Nvrtc, DriverError> {
        let loaded = self
            .nvrtc
            .get_or_init(|| choose(self.driver, CudaLibrary::Nvrtc.candidates()));
        loaded.as_ref().map_err(Clone::clone)
    }

    /// Returns the code of a kernel for GPUs of a compute capability.
    ///
    /// # Errors
    /// Returns an error if the source does not compile, NVRTC does not support such GPUs, or it is
    /// not installed.
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
        let is_ours = kernel.task().is_none();
        if let Some(sources) = self.sources.as_ref().filter(|_| is_ours) {
            sources.write(&name, &source);
        }
        let built = match self.build((&name, &source), capability, is_ours) {
            Ok((bytes, target, origin)) => {
                let image = Image {
                    name,
                    source: cache::hash(&source),
                    target: target.to_string(),
                    bytes,
                };
                Ok((Arc::new(image), origin))
            }
            Err(error) => Err(name_task(error, kernel)),
        };
        if matches!(built, Ok(_) | Err(DriverError::CompileTask { .. })) {
            let image = built.as_ref().map(|(image, _)| image.clone());
            made().insert(key, image.map_err(Clone::clone));
        }
        built.map(|(image, origin)| Code { image, origin })
    }

    /// Returns code for the source of the entry `name`: from the bundle, from disk if it was
    /// compiled before, or from NVRTC.
    fn build(
        &self,
        (name, source): (&str, &str),
        capability: Capability,
        is_ours: bool,
    ) -> Result<Built, DriverError> {
        if let Some(bundle) = self.bundle.as_ref().filter(|_| is_ours)
            && let Some((bytes, target)) = bundle.find(source, capability)
        {
            return Ok((bytes, target, CodeOrigin::Bundle));
        }
        let target = self.target(capability)?;
        let nvrtc = self.nvrtc()?;
        let arch = target.option();
        let (major, minor) = nvrtc.version;
        let version = format!("nvrtc {major}.{minor}");
        let entry = self.cache.as_ref().map(|cache| {
            let parts = OPTIONS.into_iter().chain([arch.as_str(), &version, source]);
            (cache, cache::key(parts))
        });
        if let Some((cache, key)) = &entry
            && let Some(bytes) = cache.read(key)
        {
            return Ok((bytes, target, CodeOrigin::Disk));
        }
        let options = OPTIONS.into_iter().chain([arch.as_str()]);
        let bytes = nvrtc.compile((name, source), options, target, is_ours)?;
        if let Some((cache, key)) = &entry {
            cache.write(key, &bytes);
        }
        Ok((bytes, target, CodeOrigin::Compiled))
    }

    fn target(&self, (major, minor): Capability) -> Result<Target, DriverError> {
        let nvrtc = self.nvrtc()?;
        let wanted = major * 10 + minor;
        match target(wanted, &nvrtc.architectures) {
            Some(Target::Ptx(_)) if nvrtc.version > self.driver => {
                Err(too_new(nvrtc.version, self.driver))
            }
            Some(target) => Ok(target),
            None => Err(too_new(nvrtc.version, self.driver)),
        }
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
fn name_task(error: DriverError, kernel: &Kernel) -> DriverError {
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
        self.compile((name, source), options, target, true)
    }
}

#[cfg(test)]
mod tests;
