//! Types for the GPU kernels of libraries.
//!
//! A library's [`GpuKernels`](crate::operation::GpuKernels) are functions from a [`Job`] to
//! [`Work`]: the kernels, their arguments and numbers of threads, and their CUDA C, a [`Source`].
//! None of them needs a GPU.

pub use crate::device::cuda::api::GpuInfo;
pub use crate::device::cuda::bundle;
pub use crate::operation::gpu::call::{Call, RawStream};
pub use crate::operation::gpu::code::{
    Chain, ChainFunction, DeviceOperand, DeviceTile, FoldedChain, Job, Kernel, Source,
};
pub use crate::operation::gpu::code::{c, copy, grid, name, nest};
pub use crate::operation::gpu::factor::{Factoring, Need, Routine, Vectors, WORKSPACE_ALIGNMENT};
pub use crate::operation::gpu::work::{
    Address, Args, Fft, Gemm, Launch, LineSteps, Matrix, TICKETS, Transform, TransformKind, Work,
};
