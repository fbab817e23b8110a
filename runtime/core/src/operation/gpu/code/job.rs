//! One task in the form that the code generator needs.

use super::super::work::Address;
use crate::dtype::{DType, Scalar};
use crate::operation::Descriptor;
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_geometry::Cut;

/// A view of memory that a GPU can use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceTile {
    /// Address of element 0 in the layout's numbering. It may lie outside of an instance that holds
    /// only later elements.
    pub start: Address,
    /// Dtype of the elements.
    pub dtype: DType,
    /// Layout of the elements.
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

impl DeviceOperand {
    /// Returns the dtype of the elements.
    pub fn dtype(&self) -> DType {
        match self {
            DeviceOperand::Tile(tile) => tile.dtype,
            DeviceOperand::Scalar(value) => value.dtype(),
        }
    }
}

/// An operation on one tile. Its operands are in the body's order; each is the part that the tile
/// uses.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The operation.
    pub body: &'a Descriptor,
    /// The operands.
    pub operands: &'a [DeviceOperand],
    /// Index of the tile's first element in the whole shape.
    pub first: [usize; MAX_DIMS],
    /// Shape of the operation, with all tiles.
    pub whole: Shape,
    /// The tile.
    pub cut: Cut,
    /// Whether a user's body checks its accesses for `--verify`, and reports a wrong one to
    /// [`fault`](Self::fault).
    pub verify: bool,
    /// 16 bytes of host memory that the GPU can write, zero before the work runs. A kernel that
    /// finds an index outside of its axis writes nothing else. It stores here the index (`i64`),
    /// and then the axis's length plus 1 (`u64`), which is never 0. The address is 0 for bodies
    /// without indices.
    pub fault: Address,
}
