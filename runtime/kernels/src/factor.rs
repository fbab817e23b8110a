//! Matrix factorizations and their uses: solutions of equations, inverses, determinants,
//! eigenvalues.
//!
//! Each kernel works on a stack of matrices, one after the other. The last two axes of an operand
//! are those of a matrix, and the axes before them those of the stack. `faer` does the work, on one
//! thread. A result does not depend on the number of workers or the cut of the stack, but its last
//! bits may depend on the machine's vector instructions.

mod matrix;

pub use weft_numeric::Defect;
use weft_numeric::Field;

use super::Tile;
use crate::dtype::{Complex, DType, Element, Parameter};
use matrix::Stack;

/// An operation on matrices. Operands are in the order of the names in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub enum FactorOp {
    /// The solution of `a x = b` [a, b, x].
    Solve {
        /// Whether `b` and `x` are vectors.
        vector: bool,
    },
    /// The inverse [a, out].
    Inv,
    /// The determinant [a, out].
    Det,
    /// The sign of the determinant, and the logarithm of its magnitude [a, sign, logarithm].
    SlogDet,
    /// The lower triangular `l` of `a = l l^H` [a, l]. Only the lower triangle of `a` is read.
    Cholesky,
    /// Orthonormal columns and an upper triangular matrix with `a = q r` [a, q, r].
    Qr,
    /// Singular vectors and values, largest first, with `a = u diag(s) vt` [a, u, s, vt]. The
    /// number of vectors is that of the outputs.
    Svd,
    /// Singular values, largest first [a, s].
    SvdVals,
    /// Eigenvalues, smallest first, and eigenvectors as columns [a, values, vectors]. Only the
    /// lower triangle of `a` is read.
    Eigh,
    /// Eigenvalues, smallest first [a, values].
    EigValsh,
    /// Eigenvalues, in no order, and eigenvectors as columns [a, values, vectors]; complex even for
    /// a real matrix.
    Eig,
    /// Eigenvalues, in no order [a, values].
    EigVals,
    /// The shortest `x` that minimizes the distance of `a x` from `b` [a, b, x, rank, s], with the
    /// rank of `a` and its singular values.
    LstSq {
        /// Whether `b` and `x` are vectors.
        vector: bool,
        /// Singular values of at most this times the largest one count as 0.
        cutoff: Parameter,
    },
}

impl FactorOp {
    /// Returns the operation's name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            FactorOp::Solve { .. } => "solve",
            FactorOp::Inv => "inv",
            FactorOp::Det => "det",
            FactorOp::SlogDet => "slogdet",
            FactorOp::Cholesky => "cholesky",
            FactorOp::Qr => "qr",
            FactorOp::Svd => "svd",
            FactorOp::SvdVals => "svdvals",
            FactorOp::Eigh => "eigh",
            FactorOp::EigValsh => "eigvalsh",
            FactorOp::Eig => "eig",
            FactorOp::EigVals => "eigvals",
            FactorOp::LstSq { .. } => "lstsq",
        }
    }
}

/// A matrix without a result: its row-major number in the tile's stack, and the reason.
pub type Defective = (usize, Defect);

/// Runs an operation over the stacks of its operands: the inputs, followed by the outputs.
///
/// # Errors
/// Returns an error for the first matrix without a result. Those before it in the stack have
/// theirs.
///
/// # Panics
/// Panics if the operands are not those of the operation.
pub fn factor(op: FactorOp, operands: &mut [Tile]) -> Result<(), Defective> {
    let Some(a) = operands.first() else {
        unreachable!("{} has no operands", op.name())
    };
    match a.dtype() {
        DType::F32 => factorize::<f32>(op, operands),
        DType::F64 => factorize::<f64>(op, operands),
        DType::C64 => factorize::<Complex<f32>>(op, operands),
        DType::C128 => factorize::<Complex<f64>>(op, operands),
        dtype => unreachable!("{} is not defined for {dtype}", op.name()),
    }
}

/// An element type of matrices that can be factored.
trait Factored: Element + Field<Real: Element, Complex: Element> {}

impl<T: Element + Field<Real: Element, Complex: Element>> Factored for T {}

fn factorize<'a, T: Factored>(op: FactorOp, operands: &'a [Tile<'a>]) -> Result<(), Defective> {
    let matrices = Stack::<T>::matrices;
    let columns = |tile, vector| match vector {
        true => Stack::<T>::columns(tile),
        false => Stack::<T>::matrices(tile),
    };
    let real = Stack::<T::Real>::columns;
    let complex = Stack::<T::Complex>::columns;
    match (op, operands) {
        (FactorOp::Solve { vector }, [a, b, x]) => {
            let (b, x) = (columns(b, vector), columns(x, vector));
            each(a, |at, a: &Stack<'_, T>| {
                T::solve(a.get(at), b.get(at), x.get_mut(at))
            })
        }
        (FactorOp::Inv, [a, out]) => {
            let out = matrices(out);
            each(a, |at, a: &Stack<'_, T>| T::inv(a.get(at), out.get_mut(at)))
        }
        (FactorOp::Det, [a, out]) => {
            let out = Stack::<T>::values(out);
            each(a, |at, a: &Stack<'_, T>| {
                out.set(at, T::det(a.get(at)));
                Ok(())
            })
        }
        (FactorOp::SlogDet, [a, sign, logarithm]) => {
            let (sign, logarithm) = (
                Stack::<T>::values(sign),
                Stack::<T::Real>::values(logarithm),
            );
            each(a, |at, a: &Stack<'_, T>| {
                let (of_a, log_of_a) = T::slogdet(a.get(at));
                sign.set(at, of_a);
                logarithm.set(at, log_of_a);
                Ok(())
            })
        }
        (FactorOp::Cholesky, [a, l]) => {
            let l = matrices(l);
            each(a, |at, a: &Stack<'_, T>| {
                T::cholesky(a.get(at), l.get_mut(at))
            })
        }
        (FactorOp::Qr, [a, q, r]) => {
            let (q, r) = (matrices(q), matrices(r));
            each(a, |at, a: &Stack<'_, T>| {
                T::qr(a.get(at), q.get_mut(at), r.get_mut(at));
                Ok(())
            })
        }
        (FactorOp::Svd, [a, u, s, vt]) => {
            let (u, s, vt) = (matrices(u), real(s), matrices(vt));
            each(a, |at, a: &Stack<'_, T>| {
                T::svd(a.get(at), u.get_mut(at), s.get_mut(at), vt.get_mut(at))
            })
        }
        (FactorOp::SvdVals, [a, s]) => {
            let s = real(s);
            each(a, |at, a: &Stack<'_, T>| {
                T::svdvals(a.get(at), s.get_mut(at))
            })
        }
        (FactorOp::Eigh, [a, values, vectors]) => {
            let (values, vectors) = (real(values), matrices(vectors));
            each(a, |at, a: &Stack<'_, T>| {
                T::eigh(a.get(at), values.get_mut(at), vectors.get_mut(at))
            })
        }
        (FactorOp::EigValsh, [a, values]) => {
            let values = real(values);
            each(a, |at, a: &Stack<'_, T>| {
                T::eigvalsh(a.get(at), values.get_mut(at))
            })
        }
        (FactorOp::Eig, [a, values, vectors]) => {
            let (values, vectors) = (complex(values), Stack::<T::Complex>::matrices(vectors));
            each(a, |at, a: &Stack<'_, T>| {
                T::eig(a.get(at), values.get_mut(at), vectors.get_mut(at))
            })
        }
        (FactorOp::EigVals, [a, values]) => {
            let values = complex(values);
            each(a, |at, a: &Stack<'_, T>| {
                T::eigvals(a.get(at), values.get_mut(at))
            })
        }
        (FactorOp::LstSq { vector, cutoff }, [a, b, x, rank, s]) => {
            let (b, x, s) = (columns(b, vector), columns(x, vector), real(s));
            let ranks = Stack::<i64>::values(rank);
            each(a, |at, a: &Stack<'_, T>| {
                let (a, b, x) = (a.get(at), b.get(at), x.get_mut(at));
                let rank = T::lstsq(a, b, x, s.get_mut(at), cutoff.0)?;
                ranks.set(at, rank);
                Ok(())
            })
        }
        (op, operands) => unreachable!("{} has {} operands", op.name(), operands.len()),
    }
}

/// Calls `run` with the number of each matrix of a stack.
fn each<'a, T: Factored>(
    a: &'a Tile<'a>,
    mut run: impl FnMut(usize, &Stack<'a, T>) -> Result<(), Defect>,
) -> Result<(), Defective> {
    let stack = Stack::matrices(a);
    (0..stack.len()).try_for_each(|at| run(at, &stack).map_err(|defect| (at, defect)))
}
