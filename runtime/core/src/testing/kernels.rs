//! Kernels for GPUs where there is none: their code, their sources, and NVRTC, which compiles them to PTX.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use crate::cuda::{Address, DeviceOperand, DeviceTile, GpuInfo, Job, Kernel, Launch, Work};
use crate::device::cuda::code;
use crate::device::cuda::compile;
use crate::device::cuda::error::DriverError;
use crate::shape::Shape;
use weft_elements::chain::Step;

/// The architectures that kernels are compiled for in tests.
const ARCHITECTURES: [u32; 3] = [80, 90, 100];

/// The architectures that the kernel of this name is compiled for: one, chosen by its name, since no source depends on it; with
/// `WEFT_TEST_ARCHITECTURES=all`, each.
pub fn architectures(name: &str) -> &'static [u32] {
    if std::env::var_os("WEFT_TEST_ARCHITECTURES").is_some_and(|which| which == "all") {
        return &ARCHITECTURES;
    }
    let at = name.bytes().map(usize::from).sum::<usize>() % ARCHITECTURES.len();
    &ARCHITECTURES[at..=at]
}

/// Whether a test that needs a tool goes on; where the tool is absent it says so, and fails if the tool is required.
///
/// # Panics
/// The tool is required and not there.
pub fn goes_on(tool: &str, is_there: bool) -> bool {
    let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    let is_required = required.split(',').any(|name| name.trim() == tool);
    assert!(is_there || !is_required, "{tool} is required and not there");
    if !is_there {
        eprintln!("skipped: there is no {tool}");
    }
    is_there
}

/// Has NVRTC compile kernels, for their [`architectures`]. Kernels of one name must be one kernel.
///
/// # Panics
/// There are none, two have one name, or one does not compile.
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
    /// It does not compile.
    pub fn ptx(&self, name: &str, source: &str, arch: u32) -> Result<Vec<u8>, DriverError> {
        self.0.ptx(name, source, arch)
    }
}

/// NVRTC; `None`, with a word, where there is none.
pub fn nvrtc() -> Option<Nvrtc> {
    machines_nvrtc().map(Nvrtc)
}

/// The same as the runtime has it.
pub(crate) fn machines_nvrtc() -> Option<compile::Nvrtc> {
    let nvrtc = compile::nvrtc(nvrtc_of_ci());
    goes_on("nvrtc", nvrtc.is_some());
    nvrtc
}

/// The NVRTC that `.ci/run` installs into the target folder; `None` where there is none, or another one is asked for.
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

/// A GPU to write kernels for.
pub fn gpu() -> GpuInfo {
    GpuInfo {
        name: "H200".into(),
        memory: 141 << 30,
        free: 140 << 30,
        capability: (9, 0),
        multiprocessors: 132,
        bandwidth: None,
        uuid: None,
    }
}

/// Bytes of device memory that the work of a job needs for itself.
pub fn scratch(job: &Job<'_>) -> usize {
    code::scratch(job)
}

/// What a GPU has to do for a job, with that memory at `scratch`.
pub fn work(job: &Job<'_>, scratch: Address, gpu: &GpuInfo) -> Vec<Work> {
    code::work(job, scratch, gpu).to_vec()
}

/// The kernel that takes elementwise steps together, over tiles of one shape, and writes some of their results; `None` where there are no
/// elements. As a kernel even where a copy or a fill would do.
pub fn launch_chain(
    shape: Shape,
    inputs: &[DeviceOperand],
    steps: &[Step],
    outputs: &[(u16, DeviceTile)],
    gpu: &GpuInfo,
) -> Option<Launch> {
    let chain = code::Chain {
        shape,
        inputs: inputs.into(),
        steps: steps.into(),
        outputs: outputs.into(),
    };
    code::launch(&chain, gpu)
}

/// Gives a chain's kernel indices of 64 bits, whatever it needs.
pub fn widen_indices(kernel: &mut Kernel) {
    kernel.widen_indices();
}

/// Whether it is a chain's, and has such indices.
pub fn has_wide_indices(kernel: &Kernel) -> bool {
    kernel.has_wide_indices()
}
