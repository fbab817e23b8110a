//! Types for the GPU kernels of libraries.
//!
//! A library's [`GpuKernels`](crate::operation::GpuKernels) are functions from a [`Job`] to
//! [`Work`]: the kernels, their arguments and numbers of threads, and their CUDA C, a [`Source`].
//! None of them needs a GPU.

pub use crate::device::cuda::api::GpuInfo;
pub use crate::device::cuda::bundle;
pub use crate::device::cuda::call::{Call, RawStream};
pub use crate::device::cuda::code::{DeviceOperand, DeviceTile, Job, Kernel, Source};
pub use crate::device::cuda::code::{c, copy, grid, name, nest};
pub use crate::device::cuda::factor::{Factoring, Routine, Vectors, WORKSPACE_ALIGNMENT};
pub use crate::device::cuda::work::{
    Address, Args, Fft, Gemm, Launch, LineSteps, Matrix, Transform, TransformKind, Work,
};
pub use weft_config::machine::library::CudaLibrary;
