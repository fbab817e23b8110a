//! Elementwise operations that one kernel does together.

use smallvec::SmallVec;

use super::job::{DeviceOperand, DeviceTile};
use crate::shape::Shape;
use weft_elements::chain::Step;

/// Elementwise operations over one index space, done together: each input is read once for each index, steps pass their
/// results on in registers, and only the outputs are written. An output may be the very view that is an input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// Shape of every tile among inputs and outputs.
    pub(crate) shape: Shape,
    /// What is read.
    pub(crate) inputs: SmallVec<[DeviceOperand; 8]>,
    /// What is done, in order.
    pub(crate) steps: SmallVec<[Step; 8]>,
    /// Which steps' results are written, and where; at least one.
    pub(crate) outputs: SmallVec<[(u16, DeviceTile); 2]>,
}
