//! How many floating-point operations an operation's task does, as docs/roofline.md counts them.
//!
//! What processors count as arithmetic counts: additions, subtractions, multiplications, divisions, square roots, and a comparison
//! that selects one of its operands (a minimum) one each, a multiplication and addition in one two. Comparisons, roundings, and what
//! changes signs or moves values count nothing, nor does arithmetic of integers. A complex number is two real ones.

use weft_geometry::Cut;
use weft_trace::record::Arithmetic;

use super::{Body, Distribution, Generator, Operand, Operation};
use crate::dtype::DType;
use crate::kernel::factor::FactorOp;
use crate::kernel::fourier::FourierOp;
use crate::kernel::{BinaryOp, ReduceOp, ScanOp, UnaryOp};
use crate::shape::Shape;

/// What a complex multiplication takes more than a real one where it is added to something.
const COMPLEX: u64 = 4;

impl Operation {
    /// What its task on a tile computes; `None` where that is not known.
    pub(crate) fn arithmetic(&self, cut: &Cut) -> Option<Arithmetic> {
        let exponent = match (self.body, self.operands.get(1)) {
            (Body::Binary(BinaryOp::Pow), Some(Operand::Scalar(value))) => Some(value.to::<f64>()),
            _ => None,
        };
        let dtype = match (self.body, self.operands.get(1)) {
            // Of numbers to be counted, by weights that are added.
            (Body::CountWeights { .. }, Some(Operand::Array { store, .. })) => store.dtype,
            _ => self.dtype(),
        };
        let of = Of {
            dtype,
            elements: || self.part_shape(cut).len() as u64,
            part: |at: usize| self.part(at, cut).map(|part| part.shape),
            exponent,
        };
        of.count(&self.body)
    }
}

/// What an operation computes on: a tile.
struct Of<E, P> {
    /// That of the elements that are computed with.
    dtype: DType,
    /// Elements of the tile of the operation's own shape.
    elements: E,
    /// The part of an operand that the tile works on.
    part: P,
    /// What every element is raised to, where that is one value.
    exponent: Option<f64>,
}

impl<E: Fn() -> u64, P: Fn(usize) -> Option<Shape>> Of<E, P> {
    fn count(&self, body: &Body) -> Option<Arithmetic> {
        let dtype = self.dtype;
        let is_real = dtype.is_float();
        let is_complex = dtype.is_complex();
        let mut single = matches!(dtype, DType::F16 | DType::F32 | DType::C64);
        let each = |count: u64| count.saturating_mul((self.elements)());
        let operations = match *body {
            // A draw of integers, or its bits as a float.
            Body::Generate(Generator::Random { distribution, .. }) => match distribution {
                Distribution::Uniform => each(1),
                Distribution::Integers { .. } => 0,
                // By the system's logarithm, sine and cosine.
                Distribution::Normal => return None,
            },
            Body::Generate(Generator::Arange { .. }) if is_real => each(2),
            Body::Generate(Generator::Linspace { .. }) => {
                single = false;
                each(2)
            }
            // Moves and searches, and arithmetic of integers.
            Body::Generate(_)
            | Body::Select
            | Body::PutMask
            | Body::Cast
            | Body::Copy
            | Body::Load
            | Body::Read
            | Body::Send(_)
            | Body::Receive(_)
            | Body::Gather(_)
            | Body::Move { .. }
            | Body::Take { .. }
            | Body::Put { .. }
            | Body::Sort { .. }
            | Body::ArgSort { .. }
            | Body::SortRuns
            | Body::ArgSortRuns
            | Body::MergeRuns { .. }
            | Body::ArgMergeRuns { .. }
            | Body::CountBlocks
            | Body::Pack
            | Body::Positions
            | Body::Unpack
            | Body::Ravel { .. }
            | Body::Count { .. }
            | Body::Search { .. } => 0,
            _ if !is_real && !is_complex => 0,
            Body::Unary(op) => {
                let one = match is_complex {
                    true => complex_unary(op)?,
                    false => unary(op)?,
                };
                // Elementary functions are computed in 64 bits, whatever their elements.
                single &= one <= 1 || is_complex;
                each(one)
            }
            Body::Binary(op) => each(match is_complex {
                true => complex_binary(op)?,
                false => binary(op, self.exponent)?,
            }),
            Body::Partial(op)
            | Body::Combine(op)
            | Body::PartialArg(op)
            | Body::CombineArg(op)
            | Body::Axis { reduce: op, .. }
            | Body::PartialAxis { reduce: op, .. }
            | Body::PartialAxisArg { reduce: op, .. } => {
                let results = match *body {
                    Body::CombineArg(_) => 2,
                    _ => 1,
                };
                self.joined(results)?
                    .saturating_mul(reduction(op, is_complex))
            }
            Body::CombineDot => self
                .joined(1)?
                .saturating_mul(reduction(ReduceOp::Sum, is_complex)),
            Body::Scan { scan, axis } => {
                let shape = (self.part)(0)?;
                let length = shape.dims().get(usize::from(axis)).copied()?;
                let lines = shape.len() / length.max(1);
                let op = match scan {
                    ScanOp::CumSum => ReduceOp::Sum,
                    ScanOp::CumProd => ReduceOp::Prod,
                };
                ((shape.len() - lines.min(shape.len())) as u64)
                    .saturating_mul(reduction(op, is_complex))
            }
            Body::CountWeights { .. } => self.size(1)?.saturating_mul(sum(is_complex)),
            Body::Dot => self.size(0)?.saturating_mul(product(is_complex)),
            Body::MatVec { inner } | Body::MatMul { inner } => self
                .size(2)?
                .saturating_mul(inner as u64)
                .saturating_mul(product(is_complex)),
            Body::Fourier { op, length, .. } => {
                let lines = self.size(1)? / op.results(length).max(1) as u64;
                lines.saturating_mul(fourier(op, length))
            }
            Body::Factor { op, .. } => {
                let shape = (self.part)(0)?;
                let [.., rows, columns] = *shape.dims() else {
                    return None;
                };
                let stack = shape.len() as u64 / (rows * columns).max(1) as u64;
                let sides = match (op, (self.part)(1)) {
                    (
                        FactorOp::Solve { vector: true } | FactorOp::LstSq { vector: true, .. },
                        _,
                    ) => 1,
                    (_, Some(shape)) => shape.dims().last().copied().unwrap_or(1),
                    (_, None) => 1,
                };
                let one = factor(op, rows as f64, columns as f64, sides as f64);
                let real = match is_complex {
                    true => COMPLEX,
                    false => 1,
                };
                stack.saturating_mul(one).saturating_mul(real)
            }
        };
        Some(Arithmetic { operations, single })
    }

    /// Elements of an operand.
    fn size(&self, operand: usize) -> Option<u64> {
        (self.part)(operand).map(|shape| shape.len() as u64)
    }

    /// How many elements are joined with others: those of the first operand, less one for each result, which is the operand of this number.
    fn joined(&self, results: usize) -> Option<u64> {
        Some(self.size(0)?.saturating_sub(self.size(results)?))
    }
}

const fn sum(is_complex: bool) -> u64 {
    if is_complex { 2 } else { 1 }
}

/// A multiplication and addition in one.
const fn product(is_complex: bool) -> u64 {
    if is_complex { 2 * COMPLEX } else { 2 }
}

/// What joining two elements takes.
fn reduction(op: ReduceOp, is_complex: bool) -> u64 {
    match (op, is_complex) {
        (ReduceOp::Any | ReduceOp::All | ReduceOp::CountNonzero, _) => 0,
        (ReduceOp::Prod, true) => 6,
        (_, is_complex) => sum(is_complex),
    }
}

/// A function of one real number. Elementary ones count the steps of their formulas in `weft_kernels::math`; where the system
/// computes them, how much it does is not known.
fn unary(op: UnaryOp) -> Option<u64> {
    Some(match op {
        UnaryOp::Square
        | UnaryOp::Reciprocal
        | UnaryOp::Sqrt
        | UnaryOp::Deg2rad
        | UnaryOp::Rad2deg => 1,
        UnaryOp::Exp => 44,
        UnaryOp::Exp2 => 42,
        UnaryOp::Expm1 => 55,
        UnaryOp::Log => 35,
        UnaryOp::Log1p => 41,
        UnaryOp::Log2 => 39,
        UnaryOp::Log10 => 42,
        UnaryOp::Sin | UnaryOp::Cos => 68,
        UnaryOp::Tanh => 75,
        UnaryOp::Cbrt
        | UnaryOp::Tan
        | UnaryOp::Asin
        | UnaryOp::Acos
        | UnaryOp::Atan
        | UnaryOp::Sinh
        | UnaryOp::Cosh
        | UnaryOp::Asinh
        | UnaryOp::Acosh
        | UnaryOp::Atanh
        | UnaryOp::Angle => return None,
        UnaryOp::Positive
        | UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::Round
        | UnaryOp::IsNan
        | UnaryOp::IsInf
        | UnaryOp::IsFinite
        | UnaryOp::SignBit
        | UnaryOp::LogicalNot
        | UnaryOp::Conj
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::BitNot => 0,
    })
}

/// A function of one complex number.
fn complex_unary(op: UnaryOp) -> Option<u64> {
    Some(match op {
        UnaryOp::Square => 6,
        // The quotient of its parts, twice a part by it and another, and two quotients.
        UnaryOp::Reciprocal => 5,
        UnaryOp::Positive
        | UnaryOp::Neg
        | UnaryOp::Conj
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::Round
        | UnaryOp::IsNan
        | UnaryOp::IsInf
        | UnaryOp::IsFinite
        | UnaryOp::LogicalNot => 0,
        _ => return None,
    })
}

/// A function of two real numbers.
fn binary(op: BinaryOp, exponent: Option<f64>) -> Option<u64> {
    Some(match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Minimum
        | BinaryOp::Maximum
        | BinaryOp::FMin
        | BinaryOp::FMax => 1,
        // It is squared.
        BinaryOp::Pow if exponent == Some(2.0) => 1,
        BinaryOp::Pow | BinaryOp::Rem | BinaryOp::FloorDiv | BinaryOp::Atan2 | BinaryOp::Hypot => {
            return None;
        }
        _ => 0,
    })
}

/// A function of two complex numbers.
fn complex_binary(op: BinaryOp) -> Option<u64> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Sub => 2,
        BinaryOp::Mul => 6,
        // By Smith's formula.
        BinaryOp::Div => 10,
        BinaryOp::Pow => return None,
        _ => 0,
    })
}

/// A transform of one line, by the usual figure for all algorithms.
fn fourier(op: FourierOp, length: usize) -> u64 {
    let length = length as f64;
    let each = match op {
        FourierOp::Forward | FourierOp::Inverse => 5.0,
        FourierOp::RealForward | FourierOp::RealInverse => 2.5,
    };
    // Saturates.
    (each * length * length.log2()).round() as u64
}

/// One real matrix of `m` rows and `n` columns, to the highest order, by the figures of textbooks.
fn factor(op: FactorOp, m: f64, n: f64, sides: f64) -> u64 {
    // Both orders of rows and columns cost the same.
    let (long, short) = (m.max(n), m.min(n));
    let svd = 14.0 * long * short * short + 8.0 * short.powi(3);
    let count = match op {
        FactorOp::Solve { .. } => 2.0 / 3.0 * n.powi(3) + 2.0 * n * n * sides,
        FactorOp::Inv => 2.0 * n.powi(3),
        FactorOp::Det | FactorOp::SlogDet => 2.0 / 3.0 * n.powi(3),
        FactorOp::Cholesky => n.powi(3) / 3.0,
        FactorOp::Qr if m >= n => 4.0 * (m * n * n - n.powi(3) / 3.0),
        FactorOp::Qr => 2.0 * m * m * (n - m / 3.0) + 4.0 / 3.0 * m.powi(3),
        FactorOp::Svd => svd,
        FactorOp::SvdVals => 4.0 * (long * short * short - short.powi(3) / 3.0),
        FactorOp::Eigh => 9.0 * n.powi(3),
        FactorOp::EigValsh => 4.0 / 3.0 * n.powi(3),
        FactorOp::Eig => 25.0 * n.powi(3),
        FactorOp::EigVals => 10.0 * n.powi(3),
        FactorOp::LstSq { .. } => svd + 2.0 * short * (m + n) * sides,
    };
    count.round() as u64
}

#[cfg(test)]
mod tests;
