//! Tests of generated kernels without a GPU: NVRTC compiles them to PTX, and the emulator runs them on the CPU, where
//! their results are compared with the CPU's kernels'.

#![allow(unsafe_code, reason = "copies between addresses, as a driver does")]

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cuda_emulator::host::Module;

use super::super::api::GpuInfo;
use super::super::compile::ptx;
use super::super::work::{Launch, Work};
use super::{DeviceTile, Kernel};
use crate::kernel::testing::Operand;

/// The architectures that kernels are compiled for in tests.
pub(in super::super) const ARCHITECTURES: [u32; 3] = [80, 90, 100];

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

/// Has NVRTC compile kernels, for each architecture. Kernels of one name must be one kernel.
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
    let Some(compile) = ptx() else {
        goes_on("nvrtc", false);
        return;
    };
    for kernel in &kernels {
        let (name, source) = (kernel.name(), kernel.source());
        for arch in ARCHITECTURES {
            if let Err(error) = compile(&name, &source, arch) {
                panic!("for sm_{arch}: {error}\n{source}");
            }
        }
    }
}

/// A GPU to write kernels for.
pub(in super::super) fn gpu() -> GpuInfo {
    GpuInfo {
        name: "H200".into(),
        memory: 141 << 30,
        free: 140 << 30,
        capability: (9, 0),
        multiprocessors: 132,
    }
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
