//! Elementwise operations that one kernel does together.

use smallvec::SmallVec;

use super::job::{DeviceOperand, DeviceTile};
use crate::shape::Shape;
use weft_elements::chain::Step;

/// Elementwise operations over one index space, fused into one kernel. Each input is read once per
/// index, steps pass their results on in registers, and only the outputs are written. An output may
/// be the same view as an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Shape of every input and output tile.
    pub shape: Shape,
    /// The inputs.
    pub inputs: SmallVec<[DeviceOperand; 8]>,
    /// The operations, in order.
    pub(crate) steps: SmallVec<[Step; 8]>,
    /// The steps whose results are written, and the tiles that they are written to; at least one,
    /// unless a result is [reduced](FoldedChain).
    pub outputs: SmallVec<[(u16, DeviceTile); 2]>,
}

/// A chain, one of whose results is reduced to one value, or to one for each line along an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldedChain {
    /// The chain.
    pub chain: Chain,
    /// The step whose results are reduced, in row-major order of the indices.
    pub step: u16,
    /// The reduced values.
    pub out: DeviceTile,
}
