//! Shapes, and the layouts that place them in memory.

pub use weft_geometry::shape::{Layout, MAX_DIMS, Shape};
