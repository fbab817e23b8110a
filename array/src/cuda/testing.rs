//! Tests of generated kernels without a GPU: NVRTC compiles them to PTX, and the emulator runs them on the CPU, where
//! their results are compared with the CPU's kernels'.

#![allow(unsafe_code, reason = "copies between addresses, as a driver does")]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cuda_emulator::host::Module;

use super::super::api::GpuInfo;
use super::super::compile::{self, Nvrtc};
use super::super::work::{Launch, Work};
use super::{Chain, DeviceOperand, DeviceTile, Kernel, Step, Value};
use crate::dtype::DType;
use crate::kernel::BinaryOp;
use crate::kernel::testing::Operand;
use crate::shape::{Layout, Shape};

/// The architectures that kernels are compiled for in tests.
const ARCHITECTURES: [u32; 3] = [80, 90, 100];

/// The architectures that the kernel of this name is compiled for: one, chosen by its name, since no source depends on it; with
/// `WEFT_TEST_ARCHITECTURES=all`, each.
pub(in super::super) fn architectures(name: &str) -> &'static [u32] {
    if std::env::var_os("WEFT_TEST_ARCHITECTURES").is_some_and(|which| which == "all") {
        return &ARCHITECTURES;
    }
    let at = name.bytes().map(usize::from).sum::<usize>() % ARCHITECTURES.len();
    &ARCHITECTURES[at..=at]
}

/// Whether a test that needs a tool goes on; where the tool is absent it says so, and fails if the tool is required.
pub(in super::super) fn goes_on(tool: &str, is_there: bool) -> bool {
    let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
    let is_required = required.split(',').any(|name| name.trim() == tool);
    assert!(is_there || !is_required, "{tool} is required and not there");
    if !is_there {
        eprintln!("skipped: there is no {tool}");
    }
    is_there
}

/// Has NVRTC compile kernels, for their [`architectures`]. Kernels of one name must be one kernel.
pub(in super::super) fn compile_all(kernels: impl IntoIterator<Item = Kernel>) {
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

/// NVRTC; `None`, with a word, where there is none.
pub(in super::super) fn nvrtc() -> Option<Nvrtc> {
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
pub(in super::super) fn gpu() -> GpuInfo {
    GpuInfo {
        name: "H200".into(),
        memory: 141 << 30,
        free: 140 << 30,
        capability: (9, 0),
        multiprocessors: 132,
        bandwidth: None,
    }
}

/// The types that there is code for.
pub(in super::super) fn dtypes() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.has_gpu_code())
}

/// Whether kernels can be run here.
pub(in super::super) fn can_run() -> bool {
    goes_on("c++", Module::can_compile())
}

/// Does a GPU's work on the CPU, over memory of this process.
///
/// # Panics
/// A kernel does not compile, or does what it may not.
pub(in super::super) fn run(work: &Work) {
    match *work {
        Work::Kernel(ref launch) => run_kernel(launch),
        Work::Copy { from, to, bytes } => {
            // SAFETY: addresses of work in tests are of live memory of this process, apart from each other.
            unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
        }
        Work::Fill {
            to,
            pattern,
            width,
            count,
        } => {
            let width = usize::from(width);
            for at in 0..count {
                let to = (to as *mut u8).wrapping_add(at * width);
                // SAFETY: as above; a pattern has at most four bytes.
                unsafe { std::ptr::copy_nonoverlapping((&raw const pattern).cast(), to, width) };
            }
        }
        Work::Gemm(gemm) => unreachable!("cuBLAS is not emulated here: {gemm:?}"),
    }
}

fn run_kernel(launch: &Launch) {
    static MODULES: OnceLock<Mutex<HashMap<Kernel, Arc<Module>>>> = OnceLock::new();
    let modules = MODULES.get_or_init(Mutex::default);
    let known = || modules.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known().get(&launch.kernel).cloned();
    let module = found.unwrap_or_else(|| {
        let source = launch.kernel.source();
        match Module::compile(&source) {
            Ok(module) => known()
                .entry(launch.kernel.clone())
                .or_insert(module.into())
                .clone(),
            Err(error) => panic!("{}: {error}\n{source}", launch.kernel.name()),
        }
    });
    let mut args = launch.args.to_vec();
    if let Err(fault) = module.launch(&launch.kernel.name(), launch.grid, launch.block, &mut args) {
        panic!("{fault}\n{launch:?}\n{}", launch.kernel.source());
    }
}

/// An operand of the CPU's kernels as a GPU would see it.
pub(in super::super) fn device_tile(operand: &Operand) -> DeviceTile {
    let tile = operand.tile();
    DeviceTile {
        start: tile.data() as u64,
        dtype: tile.dtype(),
        layout: *tile.layout(),
    }
}

/// The kernel of `(a + b) * c` over dense vectors of `f64`.
pub(in super::super) fn chain_of_two() -> Kernel {
    let layout = Layout::contiguous(Shape::new(&[1000]).unwrap());
    let tile = |at: u64| DeviceTile {
        start: at << 20,
        dtype: DType::F64,
        layout,
    };
    let step = |op, inputs: [Value; 2]| Step {
        kind: BinaryOp::into(op),
        inputs: inputs.as_slice().into(),
    };
    let chain = Chain {
        shape: layout.shape,
        inputs: (1..4).map(|at| DeviceOperand::Tile(tile(at))).collect(),
        steps: [
            step(BinaryOp::Add, [Value::Input(0), Value::Input(1)]),
            step(BinaryOp::Mul, [Value::Step(0), Value::Input(2)]),
        ]
        .into_iter()
        .collect(),
        outputs: [(1, tile(4))].as_slice().into(),
    };
    match super::chain(&chain, &gpu()) {
        Some(Work::Kernel(launch)) => launch.kernel,
        other => unreachable!("{other:?}"),
    }
}
