//! What operations do, as plain data: the name, how it is cut, and which part of an operand a tile works on.

use crate::dtype::Scalar;
use crate::kernel::random::Source;
use crate::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};
use crate::partition::{Cut, Grain};
use crate::shape::{Layout, Shape};

/// How random numbers are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Distribution {
    /// From 0 up to, not including, 1.
    Uniform,
    /// Around 0 with variance 1.
    Normal,
    /// Integers from `low` up to, not including, `high`.
    Integers {
        /// The smallest.
        low: i128,
        /// One more than the largest.
        high: i128,
    },
}

/// Values made from the position of an element alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Generator {
    /// One value everywhere.
    Fill(Scalar),
    /// `start + step * index`.
    Arange {
        /// Value at index 0.
        start: Scalar,
        /// Difference between neighbours.
        step: Scalar,
    },
    /// `number` values from `start` to `stop`.
    Linspace {
        /// First value.
        start: f64,
        /// Last value, or the first one not reached.
        stop: f64,
        /// How many values.
        count: usize,
        /// Whether `stop` itself is the last value.
        endpoint: bool,
    },
    /// 1 on a diagonal, 0 elsewhere.
    Eye {
        /// Which diagonal: above the main one where positive.
        diagonal: isize,
    },
    /// Random numbers.
    Random {
        /// How they are spread.
        distribution: Distribution,
        /// Where they come from.
        source: Source,
    },
}

/// What an operation does. Operands stand in the order of the names in brackets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Body {
    /// Makes values [out].
    Generate(Generator),
    /// An element at a time [input, out].
    Unary(UnaryOp),
    /// Two elements at a time [left, right, out].
    Binary(BinaryOp),
    /// One or the other [condition, left, right, out].
    Select,
    /// Replaces where a mask is set [mask, values, out].
    PutMask,
    /// To another dtype [input, out].
    Cast,
    /// The same values [input, out].
    Copy,
    /// Values of the program [input, out].
    Load,
    /// The same values, for the program to read [input, out].
    Read,
    /// A whole array to one value a tile [input, partials].
    Partial(ReduceOp),
    /// One value a tile to one value [partials, out].
    Combine(ReduceOp),
    /// A whole array to a value and its index a tile [input, values, indices].
    PartialArg(ReduceOp),
    /// Those to one index [values, indices, out].
    CombineArg(ReduceOp),
    /// Along one axis [input, out].
    Axis {
        /// How.
        reduce: ReduceOp,
        /// The axis of the input that is gone in the output.
        axis: u8,
    },
    /// Running results along one axis [input, out].
    Scan {
        /// How.
        scan: ScanOp,
        /// The axis.
        axis: u8,
    },
    /// What a vector of `i64` names along one axis [input, indices, out].
    Take {
        /// The axis of the input, which is that of the indices in the output.
        axis: u8,
    },
    /// Writes to what a vector of `i64` names along one axis [values, indices, out].
    Put {
        /// The axis of the output, which is that of the indices in the values.
        axis: u8,
    },
    /// The product of two vectors to one value a tile [left, right, partials].
    Dot,
    /// Those to one value [partials, out].
    CombineDot,
    /// Matrix times vector [matrix, vector, out].
    MatVec {
        /// Length of the vector.
        inner: usize,
    },
    /// Matrix times matrix [left, right, out].
    MatMul {
        /// Columns of the left matrix.
        inner: usize,
    },
}

impl Body {
    /// The operation's name in outputs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Body::Generate(Generator::Fill(_)) => "fill",
            Body::Generate(Generator::Arange { .. }) => "arange",
            Body::Generate(Generator::Linspace { .. }) => "linspace",
            Body::Generate(Generator::Eye { .. }) => "eye",
            Body::Generate(Generator::Random { .. }) => "random",
            Body::Unary(op) => op.name(),
            Body::Binary(op) => op.name(),
            Body::Select => "where",
            Body::PutMask => "putmask",
            Body::Cast => "cast",
            Body::Copy => "copy",
            Body::Load => "load",
            Body::Read => "read",
            Body::Partial(op) | Body::PartialArg(op) | Body::Axis { reduce: op, .. } => op.name(),
            Body::Combine(_) | Body::CombineArg(_) | Body::CombineDot => "combine",
            Body::Scan { scan, .. } => scan.name(),
            Body::Take { .. } => "take",
            Body::Put { .. } => "put",
            Body::Dot => "dot",
            Body::MatVec { .. } => "matvec",
            Body::MatMul { .. } => "matmul",
        }
    }

    /// The name of its kernels, without the dtype.
    pub(crate) fn kernel_name(&self) -> &'static str {
        match self {
            Body::Combine(op) | Body::CombineArg(op) => op.name(),
            Body::CombineDot => "sum",
            Body::Load | Body::Read => "copy",
            other => other.name(),
        }
    }

    /// What decides how it is cut.
    pub(crate) fn grain(&self) -> Grain {
        match self {
            Body::Partial(_) | Body::PartialArg(_) | Body::Dot => Grain::Shape { work: 1 },
            Body::MatMul { inner } => Grain::Shape { work: *inner },
            Body::MatVec { inner } => Grain::Processors { work: *inner },
            Body::Combine(_) | Body::CombineArg(_) | Body::CombineDot => Grain::Whole,
            // Terms of one line, and writes to one place, go in order.
            Body::Scan { axis, .. } | Body::Put { axis } => Grain::Across { axis: *axis },
            // The length of the reduced axis is not known here; it only makes tasks longer.
            _ => Grain::Processors { work: 1 },
        }
    }

    /// The part of operand `index` that a tile works on.
    pub(crate) fn part(&self, index: usize, view: &Layout, cut: &Cut, point: u32) -> Layout {
        match (self, index) {
            (Body::Partial(_), 1) | (Body::PartialArg(_), 1 | 2) | (Body::Dot, 2) => {
                element(view, point)
            }
            (Body::Combine(_) | Body::CombineArg(_) | Body::CombineDot, _) => *view,
            (Body::Axis { axis, .. }, 0) => {
                let reduced = usize::from(*axis);
                cut.along(cut.axis() + usize::from(cut.axis() >= reduced), view)
            }
            (Body::Take { axis }, 0) if cut.axis() == usize::from(*axis) => *view,
            (Body::Take { axis }, 1) if cut.axis() == usize::from(*axis) => cut.along(0, view),
            (Body::Take { .. } | Body::Put { .. }, 1) => *view,
            // Cut along another axis only.
            (Body::Put { axis }, 2) if cut.axis() == usize::from(*axis) => *view,
            (Body::MatVec { .. }, 1) => *view,
            (Body::MatMul { .. }, 0) if cut.axis() == 1 => *view,
            (Body::MatMul { .. }, 1) if cut.axis() == 0 => *view,
            _ => cut.of(view),
        }
    }
}

/// One element of a vector, as a vector of length 1.
fn element(view: &Layout, index: u32) -> Layout {
    let mut part = *view;
    part.offset = (view.offset as isize + view.strides[0] * index as isize) as usize;
    part.shape = Shape::new(&[1]).unwrap_or(view.shape);
    part
}
