//! GPU kernels on the CPU, by the emulator, compared with the CPU's own kernels over random shapes,
//! layouts and dtypes.
//!
//! Integers, extremes and places are identical bit for bit. Sums and products of floats are within
//! the documented bounds.

use std::collections::HashSet;

use super::super::{Kernel, factor, testing};

mod harness;
mod index;
mod linear;
mod pack;
mod reduce;
mod scan;
mod sort;

#[test]
fn every_kernel_around_routines_compiles() {
    let kernels: Vec<Kernel> = factor::all().into_iter().map(Kernel::from_source).collect();
    let names: HashSet<String> = kernels.iter().map(Kernel::name).collect();
    assert_eq!(names.len(), kernels.len(), "each kernel has its own name");
    let Some(nvrtc) = testing::nvrtc() else {
        return;
    };
    for kernel in kernels {
        for arch in testing::architectures(&kernel.name()) {
            if let Err(error) = nvrtc.ptx(&kernel.name(), &kernel.source(), *arch) {
                panic!("for sm_{arch}: {error}\n{}", kernel.source());
            }
        }
    }
}

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
