//! Libraries of NVIDIA's that Weft loads at run time, and where they are looked for.

mod load;
mod names;
mod place;

pub(super) use load::{file_of, first};
pub use names::CudaLibrary;
