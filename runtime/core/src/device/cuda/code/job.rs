//! One task as a GPU sees it.

use super::super::work::Address;
use crate::dtype::{DType, Scalar};
use crate::operation::Descriptor;
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_geometry::Cut;

/// A view of memory that a GPU can use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceTile {
    /// Where element 0 of the layout's numbering stands, or would stand: an instance may hold the later elements only.
    pub start: Address,
    /// Type of the elements.
    pub dtype: DType,
    /// Which elements.
    pub layout: Layout,
}

/// An operand of a task on a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DeviceOperand {
    /// Elements in memory.
    Tile(DeviceTile),
    /// One value, used for every element.
    Scalar(Scalar),
}

/// An operation on one tile, its operands in the body's order, each the part that the tile works on.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// What is done.
    pub body: &'a Descriptor,
    /// To what.
    pub operands: &'a [DeviceOperand],
    /// Index of the tile's first element in the whole.
    pub first: [usize; MAX_DIMS],
    /// Shape of the operation, all tiles together.
    pub whole: Shape,
    /// The tile.
    pub cut: Cut,
    /// Whether a body of a user's own checks its accesses, as `--verify` asks for, and tells a wrong one to [`fault`](Self::fault).
    pub verify: bool,
    /// 16 bytes of host memory that the GPU can write, zero before the work runs. A kernel that finds an index outside its
    /// axis writes nothing else, and puts here the index (`i64`) and behind it the axis's length (`u64`, plus 1, so that it
    /// is never 0). 0 for bodies without indices.
    pub fault: Address,
}
