//! NVIDIA's libraries that Weft loads at run time, and the places that are searched for them.

mod load;
mod names;
mod place;

pub(super) use load::{file_of, first};
pub use names::CudaLibrary;
