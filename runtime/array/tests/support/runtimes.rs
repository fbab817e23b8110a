//! Helpers for tests of programs: runtimes with given flags, and values for arrays.

#![allow(dead_code, reason = "each test target uses a part of it")]

use weft::{Plan, Runtime};
use weft_config::Machine;
use weft_config::machine::gpu;

/// Returns the plan of these flags for this machine.
pub(crate) fn plan(words: &str) -> Plan {
    let words: Vec<String> = words.split_whitespace().map(String::from).collect();
    Plan::from_words(&words, &Machine::probe()).unwrap()
}

/// Returns a runtime with these flags.
pub(crate) fn runtime(words: &str) -> Runtime {
    Runtime::new(plan(words)).unwrap()
}

/// Returns a runtime with these flags, on the GPUs of this machine.
pub(crate) fn runtime_on_gpus(words: &str) -> Runtime {
    let words: Vec<String> = words.split_whitespace().map(String::from).collect();
    let machine = Machine {
        gpus: gpu::count(),
        ..Machine::probe()
    };
    Runtime::new(Plan::from_words(&words, &machine).unwrap()).unwrap()
}

/// Returns flags for `cpus` workers that cut operations of a few hundred elements.
pub(crate) fn small_tiles(cpus: usize) -> String {
    format!("--cpus {cpus} --min-cpu-chunk 64")
}

/// Runs a program on its own runtime, and finishes that.
pub(crate) fn on(words: &str, program: impl FnOnce()) {
    let runtime = runtime(words);
    runtime.enter(program);
    runtime.finish().unwrap();
}

/// Returns pseudo-random values between -1 and 1.
pub(crate) fn drawn(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        // Marsaglia's xorshift64.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}
