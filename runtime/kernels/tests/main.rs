//! Kernels, compared with plain code, NumPy's results and one another. Test modules have the names
//! of the tested ones.

#![allow(
    elided_lifetimes_in_paths,
    reason = "memory passed to a kernel outlives the call"
)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

mod chain;
mod count;
mod dtype;
mod elementwise;
mod generate;
mod index;
mod linear;
mod math;
mod op;
mod pack;
mod philox;
mod random;
mod reduce;
mod scalars;
mod scan;
mod shapes;
mod single;
mod sort;
