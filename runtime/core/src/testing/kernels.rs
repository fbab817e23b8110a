//! GPU kernels without a GPU: their code, their sources, and NVRTC, which compiles them to PTX.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use crate::cuda::{Address, DeviceOperand, DeviceTile, GpuInfo, Job, Kernel, Launch, Work};
use crate::device::cuda::code;
use crate::device::cuda::compile;
use crate::error::DriverError;
use crate::shape::Shape;
use weft_elements::chain::Step;

/// The architectures that tests compile kernels for.
const ARCHITECTURES: [u32; 3] = [80, 90, 100];

/// Returns the architectures to compile the kernel of this name for. It is one, chosen by the name,
/// since no source depends on it; with `WEFT_TEST_ARCHITECTURES=all` it is every one.
pub fn architectures(name: &str) -> &'static [u32] {
    if std::env::var_os("WEFT_TEST_ARCHITECTURES").is_some_and(|which| which == "all") {
        return &ARCHITECTURES;
    }
    let at = name.bytes().map(usize::from).sum::<usize>() % ARCHITECTURES.len();
    &ARCHITECTURES[at..=at]
}

/// Returns whether a test that needs a tool can continue. If the tool is missing, prints a message.
///
/// # Panics
/// Panics if the tool is missing but required.
pub fn goes_on(tool: &str, is_there: bool) -> bool {
    let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    let is_required = required.split(',').any(|name| name.trim() == tool);
    assert!(is_there || !is_required, "{tool} is required and not there");
    if !is_there {
        eprintln!("skipped: there is no {tool}");
    }
    is_there
}

/// Compiles kernels by NVRTC for their [`architectures`]. Kernels of the same name must be the same
/// kernel.
///
/// # Panics
/// Panics if there are no kernels, if two sources have one name, or if a kernel does not compile.
pub fn compile_all(kernels: impl IntoIterator<Item = Kernel>) {
    let kernels: HashSet<Kernel> = kernels.into_iter().collect();
    let mut names = HashMap::new();
    for kernel in &kernels {
        if let Some(other) = names.insert(kernel.name(), kernel) {
            assert_eq!(
                other.source(),
                kernel.source(),
                "two sources have the name {}",
                kernel.name()
            );
        }
    }
    assert!(!kernels.is_empty(), "there are kernels to compile");
    let Some(nvrtc) = nvrtc() else { return };
    for kernel in &kernels {
        let (name, source) = (kernel.name(), kernel.source());
        for arch in architectures(&name) {
            if let Err(error) = nvrtc.ptx(&name, &source, *arch) {
                panic!("for sm_{arch}: {error}\n{source}");
            }
        }
    }
}

/// NVIDIA's run-time compiler.
pub struct Nvrtc(compile::Nvrtc);

impl Nvrtc {
    /// Compiles the source of a kernel to PTX of an architecture.
    ///
    /// # Errors
    /// Returns an error if it does not compile.
    pub fn ptx(&self, name: &str, source: &str, arch: u32) -> Result<Vec<u8>, DriverError> {
        self.0.ptx(name, source, arch)
    }
}

/// Returns NVRTC; `None`, with a printed message, if it is missing.
pub fn nvrtc() -> Option<Nvrtc> {
    machines_nvrtc().map(Nvrtc)
}

/// Returns NVRTC as the runtime's own type.
pub(crate) fn machines_nvrtc() -> Option<compile::Nvrtc> {
    let nvrtc = compile::nvrtc(nvrtc_of_ci());
    goes_on("nvrtc", nvrtc.is_some());
    nvrtc
}

/// Returns the NVRTC that `.ci/run` installs into the target folder; `None` if it is missing, or
/// `WEFT_NVRTC` names another one.
fn nvrtc_of_ci() -> Option<PathBuf> {
    if std::env::var_os("WEFT_NVRTC").is_some_and(|path| !path.is_empty()) {
        return None;
    }
    // This program is target/<profile>/deps/<name>.
    let program = std::env::current_exe().ok()?;
    let pythons = program.ancestors().nth(3)?.join("tmp/venv-nvrtc/lib");
    let libraries = fs::read_dir(pythons).ok()?.filter_map(|python| {
        let packages = python.ok()?.path().join("site-packages");
        Some(packages.join("nvidia/cu13/lib/libnvrtc.so.13"))
    });
    libraries.into_iter().find(|library| library.is_file())
}

/// Returns the properties of the GPU that kernels are written for.
pub fn gpu() -> GpuInfo {
    GpuInfo {
        name: "H200".into(),
        memory: 141 << 30,
        free: 140 << 30,
        capability: (9, 0),
        multiprocessors: 132,
        bandwidth: None,
        uuid: None,
        has_unified: true,
    }
}

/// Returns the number of bytes of device memory that the work of a job needs for itself.
pub fn scratch(job: &Job<'_>) -> usize {
    code::scratch(job)
}

/// Returns the work of a job for a GPU, with that memory at `scratch`.
pub fn work(job: &Job<'_>, scratch: Address, _gpu: &GpuInfo) -> Vec<Work> {
    code::work(job, scratch).to_vec()
}

/// Returns elementwise steps over tiles of one shape, which write some of their results.
pub fn chain(
    shape: Shape,
    inputs: &[DeviceOperand],
    steps: &[Step],
    outputs: &[(u16, DeviceTile)],
) -> code::Chain {
    code::Chain {
        shape,
        inputs: inputs.into(),
        steps: steps.into(),
        outputs: outputs.into(),
    }
}

/// Returns the kernel of a chain; `None` if there are no elements. It is a kernel even if a copy or
/// a fill would do.
pub fn launch_chain(chain: &code::Chain) -> Option<Launch> {
    code::launch(chain)
}

/// Forces indices of 64 bits in a chain's kernel.
pub fn widen_indices(kernel: &mut Kernel) {
    kernel.widen_indices();
}

/// Returns whether it is a chain's kernel with indices of 64 bits.
pub fn has_wide_indices(kernel: &Kernel) -> bool {
    kernel.has_wide_indices()
}
