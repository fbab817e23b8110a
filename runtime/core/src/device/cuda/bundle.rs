//! Kernels that are compiled before programs run.
//!
//! With `WEFT_KERNEL_SOURCES` set to a folder, a program on a GPU writes its kernels' sources
//! there. [`pack`] compiles them into a bundle, from which runtimes read the code of kernels.

pub use super::compile::look_in;
pub use super::compile::pack::{PackError, Packed, compiler, pack};
