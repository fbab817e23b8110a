//! Bodies in CUDA C, on emulated GPUs: the results of the bodies for CPUs, errors of the compiler,
//! and findings of `--verify`.

mod checks;
mod errors;
mod functions;
mod results;

use cuda_emulator::emulated;
use weft::runtime::current;

use crate::support::runtime_on_gpus;

/// Returns flags for `gpus` GPUs that cut operations of a few hundred elements.
pub(crate) fn flags(gpus: usize, more: &str) -> String {
    format!("--cpus 2 --gpus {gpus} --min-gpu-chunk 64 {more}")
}

/// Runs a program in a process with two emulated GPUs.
pub(crate) fn with_gpus(program: impl FnOnce()) {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().display().to_string();
    let variables = [
        ("WEFT_EMULATED_GPUS", "2"),
        ("WEFT_EMULATED_SEED", "7"),
        ("WEFT_CACHE", cache.as_str()),
    ];
    emulated(&variables, program);
}

/// Runs a program on CPUs, on one GPU, on two, on two with CUDA graphs, and with accesses checked.
fn everywhere(program: impl Fn()) {
    with_gpus(|| {
        for words in [
            "--cpus 2 --gpus 0 --min-cpu-chunk 64".to_owned(),
            flags(1, ""),
            flags(2, ""),
            flags(1, "--cuda-graphs"),
            flags(2, "--verify"),
        ] {
            let runtime = runtime_on_gpus(&words);
            runtime.enter(&program);
            runtime.finish().unwrap();
        }
    });
}

/// Whether the program runs on GPUs.
fn is_on_gpus() -> bool {
    current().unwrap().plan().gpus > 0
}
