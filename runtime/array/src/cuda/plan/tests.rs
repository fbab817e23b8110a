//! Kernels for GPUs on the CPU, by the emulator, beside the CPU's own kernels: over random shapes, layouts and dtypes.
//!
//! Integers, extremes and places are the same bit for bit, sums and products of floats within the bounds that the
//! modules state.

mod harness;
mod index;
mod linear;
mod pack;
mod reduce;
mod scan;
mod sort;

#[test]
fn every_kernel_compiles() {
    let families = [
        reduce::all(),
        scan::all(),
        index::all(),
        linear::all(),
        sort::all(),
        pack::all(),
    ];
    harness::compile_all(families.into_iter().flatten().collect());
}
