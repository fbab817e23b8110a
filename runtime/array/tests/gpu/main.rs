//! Every operation on a GPU has the results of CPUs: the same bits if IEEE arithmetic determines
//! them, and within the test's tolerance if they depend on a library or an order of additions.
//!
//! Run `cargo test -p weft-array --test gpu -- --ignored`. `WEFT_TEST_GPUS` is the number of GPUs
//! (default 1), and `WEFT_TEST_LENGTH` the length of the long vectors (default 1,000,003).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a mistake in a test must stop it"
)]

mod generate;
mod harness;
mod linear;
mod memory;
mod movement;
mod operations;
mod reductions;
#[path = "../support/runtimes.rs"]
mod support;
