//! Elementwise operations that one kernel does together.

use smallvec::SmallVec;

use super::job::{DeviceOperand, DeviceTile};
use crate::dtype::DType;
use crate::kernel::{BinaryOp, UnaryOp};
use crate::shape::Shape;

/// Where a step takes a value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// An element of the chain's input with this number.
    Input(u16),
    /// The result of the step with this number, an earlier one.
    Step(u16),
}

/// What a step does to one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StepKind {
    /// A function of one value.
    Unary(UnaryOp),
    /// A function of two values of one dtype.
    Binary(BinaryOp),
    /// The second value where the first (of any dtype) is not zero, else the third.
    Select,
    /// The value as another dtype.
    Cast(DType),
    /// The value itself.
    Copy,
}

/// One elementwise operation of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    /// What it does.
    pub(crate) kind: StepKind,
    /// With which values, as many as the kind takes.
    pub(crate) inputs: SmallVec<[Value; 3]>,
}

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
