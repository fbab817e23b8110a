//! What operations do, as plain data: the name, how it is cut, and which part of an operand a tile works on.

use weft_geometry::{Projection, Tiling};
use weft_trace::record::MemoryKind;

use crate::dtype::{Parameter, Scalar};
use crate::kernel::factor::FactorOp;
use crate::kernel::fourier::FourierOp;
use crate::kernel::pack::BLOCK;
use crate::kernel::random::Source;
use crate::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};
use crate::shape::Shape;

/// What an element of a tile that is sorted costs, in units of one that is copied.
const SORTING: usize = 4;

/// What an element that is merged or searched for costs, in the same units.
const SEARCHING: usize = 4;

/// About how many partial results become one.
const COMBINED: usize = 32;

/// How random numbers are spread.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub(crate) enum Generator {
    /// One value everywhere.
    Fill(Scalar),
    /// Whatever the memory holds. On GPUs and many ranks, whose copies would differ, nothing is made by it.
    Unset,
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
        start: Parameter,
        /// Last value, or the first one not reached.
        stop: Parameter,
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

/// The other side of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Peer {
    /// Its rank.
    pub(crate) rank: u16,
    /// Which of the messages from the one to the other; the first is 1.
    pub(crate) number: u64,
}

/// What an operation does. Operands stand in the order of the names in brackets.
///
/// Ranks compare their programs by its hash: it is derived, so that no parameter can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
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
    /// To another rank [input].
    Send(Peer),
    /// From another rank [out].
    Receive(Peer),
    /// Gives every rank what of a block some ranks have: the gather of this number; the first is 1 [block].
    Gather(u64),
    /// The same values in another memory [store].
    Move {
        /// Which.
        to: MemoryKind,
        /// Whether other memories give them up.
        alone: bool,
    },
    /// A whole array to one value a tile [input, partials].
    Partial(ReduceOp),
    /// One value a tile to one value, or so for each line [partials, out].
    Combine(ReduceOp),
    /// A whole array to a value and its index a tile [input, values, indices].
    PartialArg(ReduceOp),
    /// Those to one index, or so for each line [values, indices, out].
    CombineArg(ReduceOp),
    /// Along one axis [input, out].
    Axis {
        /// How.
        reduce: ReduceOp,
        /// The axis of the input that is gone in the output.
        axis: u8,
        /// Its length.
        length: usize,
    },
    /// Along one axis, which is cut: a row of values for each tile [input, partials].
    PartialAxis {
        /// How.
        reduce: ReduceOp,
        /// The axis of the input that is gone in a row.
        axis: u8,
    },
    /// The same to values and their indices along the axis [input, values, indices].
    PartialAxisArg {
        /// How.
        reduce: ReduceOp,
        /// The axis of the input that is gone in a row.
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
    /// Each line along one axis in order [input, out].
    Sort {
        /// The axis.
        axis: u8,
    },
    /// The numbers of each line's elements in the order of these [input, out].
    ArgSort {
        /// The axis.
        axis: u8,
    },
    /// Each tile of a vector in order [input, out].
    SortRuns,
    /// Each tile of a vector in order, and where in the vector its elements stood [input, values, numbers].
    ArgSortRuns,
    /// Each two runs of a vector merged to one [input, out].
    MergeRuns {
        /// Runs that were sorted at first.
        runs: u32,
        /// How many of them are one run.
        width: u32,
    },
    /// The same with the numbers of elements [values, numbers, out values, out numbers].
    ArgMergeRuns {
        /// Runs that were sorted at first.
        runs: u32,
        /// How many of them are one run.
        width: u32,
    },
    /// How many elements of each block of a vector are set [mask, counts].
    CountBlocks,
    /// What a mask selects, by the running counts of its blocks [mask, ends, values, out].
    Pack,
    /// The numbers of the elements that are set [mask, ends, out].
    Positions,
    /// Values one after the other where a mask is set, 0 elsewhere [mask, ends, values, out].
    Unpack,
    /// Row-major numbers with one axis more [numbers so far, indices, out].
    Ravel {
        /// Length of the axis.
        length: usize,
    },
    /// How often each number occurs, a row for each tile [numbers, out].
    Count {
        /// Whether there is one tile only.
        whole: bool,
    },
    /// The sums of the weights of each number, a row for each tile [numbers, weights, out].
    CountWeights {
        /// Whether there is one tile only.
        whole: bool,
    },
    /// Where values would stand in a sorted vector [sorted, values, out].
    Search {
        /// Whether behind those that are equal.
        right: bool,
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
    /// Spectra of lines, or lines of spectra [input, out].
    Fourier {
        /// Which transform.
        op: FourierOp,
        /// The axis along which lines run.
        axis: u8,
        /// Elements of a line.
        length: usize,
        /// What the results are multiplied by.
        scale: Parameter,
    },
    /// Each matrix of a stack taken apart [as `op` says]. The operation has the shape of the stack.
    Factor {
        /// What is made of it.
        op: FactorOp,
        /// Axes of the stack.
        stack: u8,
        /// About how many elements' work a matrix is.
        work: u32,
    },
}

impl Body {
    /// The operation's name in outputs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Body::Generate(Generator::Fill(_)) => "fill",
            Body::Generate(Generator::Unset) => "empty",
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
            Body::Send(_) => "send",
            Body::Receive(_) => "receive",
            Body::Gather(_) => "gather",
            Body::Partial(op) | Body::PartialArg(op) => op.name(),
            Body::Axis { reduce, .. }
            | Body::PartialAxis { reduce, .. }
            | Body::PartialAxisArg { reduce, .. } => reduce.name(),
            Body::Move { alone: true, .. } => "offload",
            Body::Move { alone: false, .. } => "prefetch",
            Body::Combine(_) | Body::CombineArg(_) | Body::CombineDot => "combine",
            Body::Scan { scan, .. } => scan.name(),
            Body::Take { .. } => "take",
            Body::Put { .. } => "put",
            Body::Sort { .. } | Body::SortRuns => "sort",
            Body::ArgSort { .. } | Body::ArgSortRuns => "argsort",
            Body::MergeRuns { .. } | Body::ArgMergeRuns { .. } => "merge",
            Body::CountBlocks => "count_blocks",
            Body::Pack => "pack",
            Body::Positions => "nonzero",
            Body::Unpack => "unpack",
            Body::Ravel { .. } => "ravel_multi_index",
            Body::Count { .. } | Body::CountWeights { .. } => "bincount",
            Body::Search { .. } => "searchsorted",
            Body::Dot => "dot",
            Body::MatVec { .. } => "matvec",
            Body::MatMul { .. } => "matmul",
            Body::Factor { op, .. } => op.name(),
            Body::Fourier { op, .. } => op.name(),
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

    /// Whether ranks can share its tiles out. What a program reads, every rank's program reads.
    pub(crate) fn can_be_shared(&self) -> bool {
        !matches!(self, Body::Read | Body::Move { .. })
    }

    /// Whether it sends to other ranks or receives from them.
    pub(crate) fn is_message(&self) -> bool {
        matches!(self, Body::Send(_) | Body::Receive(_) | Body::Gather(_))
    }

    /// Whether one tile of all elements works on all of every operand.
    pub(crate) fn is_of_elements(&self) -> bool {
        matches!(
            self,
            Body::Unary(_)
                | Body::Binary(_)
                | Body::Select
                | Body::PutMask
                | Body::Cast
                | Body::Copy
                | Body::Generate(_)
        )
    }

    /// Whether it leaves memory as it is.
    pub(crate) fn writes_nothing(&self) -> bool {
        matches!(self, Body::Generate(Generator::Unset))
    }

    /// What it computes over a shape, in elements that could be touched meanwhile: the multiplications of a product of matrices by the
    /// eight that a processor does in the time of one; 0 where it touches elements alone.
    #[inline]
    pub(crate) fn work(&self, shape: &Shape) -> usize {
        match self {
            Body::MatMul { inner } => shape.len().saturating_mul(*inner) / 8,
            Body::Fourier { length, .. } => {
                let stages = usize::BITS - length.leading_zeros();
                shape.len().saturating_mul(stages as usize) / 2
            }
            Body::Factor { work, .. } => shape.len().saturating_mul(*work as usize),
            _ => 0,
        }
    }

    /// What decides how it is cut.
    pub(crate) fn tiling(&self) -> Tiling {
        match self {
            Body::Partial(_) | Body::PartialArg(_) | Body::Dot => Tiling::Shape { work: 1 },
            Body::MatMul { inner } => Tiling::Product { inner: *inner },
            Body::MatVec { inner } => Tiling::Processors { work: *inner },
            Body::CombineDot => Tiling::Whole,
            Body::Combine(_) | Body::CombineArg(_) => Tiling::Processors { work: COMBINED },
            Body::Axis { length, .. } => Tiling::Processors { work: *length },
            Body::PartialAxis { axis, .. } | Body::PartialAxisArg { axis, .. } => {
                Tiling::Along { axis: *axis }
            }
            Body::Move { to, .. } if *to != MemoryKind::Framebuffer => Tiling::Whole,
            Body::Send(_) | Body::Receive(_) | Body::Gather(_) => Tiling::Whole,
            // Terms of one line, and writes to one place, go in order.
            Body::Scan { axis, .. }
            | Body::Put { axis }
            | Body::Sort { axis }
            | Body::ArgSort { axis } => Tiling::Across { axis: *axis },
            Body::SortRuns | Body::ArgSortRuns => Tiling::Few { work: SORTING },
            Body::MergeRuns { .. } | Body::ArgMergeRuns { .. } | Body::Search { .. } => {
                Tiling::Processors { work: SEARCHING }
            }
            Body::CountBlocks => Tiling::Processors { work: BLOCK },
            Body::Count { whole } | Body::CountWeights { whole } if *whole => Tiling::Whole,
            Body::Count { .. } | Body::CountWeights { .. } => Tiling::Shape { work: 1 },
            Body::Factor { stack: 0, .. } => Tiling::Whole,
            Body::Fourier { axis, .. } => Tiling::Across { axis: *axis },
            Body::Factor { work, .. } => Tiling::Processors {
                work: *work as usize,
            },
            _ => Tiling::Processors { work: 1 },
        }
    }

    /// Which part of operand `index` a tile works on.
    pub(crate) fn projection(&self, index: usize) -> Projection {
        match (self, index) {
            (Body::Partial(_), 1) | (Body::PartialArg(_), 1 | 2) | (Body::Dot, 2) => {
                Projection::Elements
            }
            (Body::PartialAxis { .. }, 1) | (Body::PartialAxisArg { .. }, 1 | 2) => {
                Projection::Rows
            }
            (Body::Combine(_), 0) | (Body::CombineArg(_), 0 | 1) => Projection::Beside { axis: 0 },
            (Body::CombineDot, _) => Projection::Whole,
            (Body::MergeRuns { .. }, 0) | (Body::ArgMergeRuns { .. }, 0 | 1) => Projection::Whole,
            (Body::CountBlocks, 0) => Projection::Blocks {
                length: BLOCK as u32,
            },
            (Body::Pack | Body::Unpack, 0..=2) | (Body::Positions, 0 | 1) => Projection::Whole,
            (Body::Count { .. }, 1) | (Body::CountWeights { .. }, 2) => Projection::Rows,
            (Body::Search { .. }, 0) => Projection::Whole,
            (Body::Axis { axis, .. }, 0) => Projection::Beside { axis: *axis },
            (Body::Take { axis }, 0) => Projection::Except { axis: *axis },
            (Body::Take { axis }, 1) => Projection::Only { axis: *axis },
            (Body::Put { .. }, 1) => Projection::Whole,
            // Cut along another axis only.
            (Body::Put { axis }, 2) => Projection::Except { axis: *axis },
            (Body::MatVec { .. }, 1) | (Body::Factor { stack: 0, .. }, _) => Projection::Whole,
            // The only one: lines stay whole, and may have another length than their spectra.
            (Body::Fourier { axis, .. }, _) => Projection::Except { axis: *axis },
            (Body::MatMul { .. }, 0) => Projection::Except { axis: 1 },
            (Body::MatMul { .. }, 1) => Projection::Except { axis: 0 },
            _ => Projection::Same,
        }
    }
}
