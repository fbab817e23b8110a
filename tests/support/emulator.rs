//! Programs on emulated GPUs.

use std::path::Path;

use super::Command;

/// Whether programs can run on emulated GPUs; `false`, with a word why, where this machine has
/// no C++ compiler for the emulator.
///
/// # Panics
/// There is none, but the variable `WEFT_TEST_REQUIRE` has `c++`.
pub(crate) fn can_emulate() -> bool {
    let can = cuda_emulator::host::Module::can_compile();
    if !can {
        let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
        assert!(
            !required.split(',').any(|name| name.trim() == "c++"),
            "there is no C++ compiler, but WEFT_TEST_REQUIRE names it"
        );
        eprintln!("skipped: there is no C++ compiler");
    }
    can
}

/// Puts emulated GPUs before a command; kernels that Weft keeps lie in `folder`.
pub(crate) fn emulate(command: &mut Command, folder: &Path, gpus: u32, seed: u64) {
    let libraries =
        cuda_emulator::folder().expect("the emulator, which Cargo builds with this test");
    for name in [
        "CUDA_VISIBLE_DEVICES",
        "CUDA_HOME",
        "CUDA_PATH",
        "WEFT_NVRTC",
        "WEFT_CUPTI",
    ] {
        command.env_remove(name);
    }
    command
        .env("LD_LIBRARY_PATH", libraries)
        .env("WEFT_CACHE", folder.join("kernels"))
        .env("WEFT_EMULATED_GPUS", gpus.to_string())
        .env("WEFT_EMULATED_SEED", seed.to_string());
}
