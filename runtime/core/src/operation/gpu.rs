//! Work for GPUs, as plain data: jobs, the kernels and library calls that they become, and their
//! CUDA C. Nothing here needs a GPU.

pub(crate) mod call;
pub(crate) mod code;
pub(crate) mod factor;
pub(crate) mod work;

pub(crate) use call::Call;
pub(crate) use code::{DeviceTile, FoldedChain, Job};
pub(crate) use factor::{Factoring, Need};
pub(crate) use work::{Address, Transform, Work};
