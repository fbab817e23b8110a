//! Tests of generated kernels without a GPU. NVRTC compiles them to PTX, the emulator runs them on
//! the CPU, and the results are compared with those of the CPU's kernels.

#![allow(unsafe_code, reason = "copies between addresses, as a driver does")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cuda_emulator::host::{Fault, Module};
use weft_core::cuda::{Launch, TICKETS, Work};

pub(crate) use weft_core::testing::{
    architectures, compile_all, goes_on, gpu, nvrtc, scratch, work,
};

use super::{DeviceTile, Kernel};
use crate::dtype::DType;
use crate::kernel::testing::Operand;

/// Returns the dtypes with code, which are all.
pub(crate) fn dtypes() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter()
}

/// Whether kernels can be run on this machine.
pub(crate) fn can_run() -> bool {
    goes_on("c++", Module::can_compile())
}

/// Runs a GPU's work on the CPU, over memory of this process.
///
/// # Panics
/// Panics if a kernel does not compile, or makes an invalid access.
pub(crate) fn run(work: &Work) {
    match *work {
        Work::Kernel(ref launch) => run_with(launch, run_module),
        Work::Copy { from, to, bytes } => {
            // SAFETY: addresses of work in tests are those of live, disjoint memory of this
            // process.
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
        Work::Fft(fft) => unreachable!("cuFFT is not emulated here: {fft:?}"),
        Work::Factor(factoring) => {
            unreachable!("cuSOLVER is not emulated here: {factoring:?}")
        }
        Work::Gemm(gemm) => unreachable!("cuBLAS is not emulated here: {gemm:?}"),
    }
}

/// Runs an issued kernel on the CPU, over memory of this process.
pub(crate) fn run_kernel(launch: &Launch) {
    run_with(launch, run_issued);
}

fn run_with(launch: &Launch, run: impl FnOnce(&Module, &Launch) -> Result<(), Fault>) {
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
    if let Err(fault) = run(&module, launch) {
        panic!("{fault}\n{launch:?}\n{}", launch.kernel.source());
    }
}

/// Runs a planned kernel of a module, and checks that it leaves its tickets at 0.
pub(crate) fn run_module(module: &Module, launch: &Launch) -> Result<(), Fault> {
    let mut launch = launch.clone();
    let mut tickets = vec![0_u32; TICKETS];
    if launch.kernel.takes_tickets() {
        launch.args.push(tickets.as_mut_ptr() as u64);
    }
    let result = run_issued(module, &launch);
    let is_clear = tickets.iter().all(|&ticket| ticket == 0);
    let name = launch.kernel.name();
    assert!(result.is_err() || is_clear, "{name} keeps tickets");
    result
}

/// Runs a kernel of a module with all its arguments.
fn run_issued(module: &Module, launch: &Launch) -> Result<(), Fault> {
    let mut args = launch.args.to_vec();
    module.launch(&launch.kernel.name(), launch.grid, launch.block, &mut args)
}

/// Returns an operand of the CPU's kernels as a GPU's tile.
pub(crate) fn device_tile(operand: &Operand) -> DeviceTile {
    let tile = operand.tile();
    DeviceTile {
        start: tile.data() as u64,
        dtype: tile.dtype(),
        layout: *tile.layout(),
    }
}
