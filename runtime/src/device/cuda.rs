//! GPUs: the same operations as CUDA kernels, issued to streams in the order of their dependences.
//!
//! [`code`] says which kernels do an operation and writes their source; [`api`] is what a driver of GPUs must offer.

pub(crate) mod api;
pub(crate) mod code;
pub(crate) mod driver;
pub mod error;
pub(crate) mod work;
