//! Matrices that have no result.

/// The reason why a matrix has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// A pivot is 0: some equations are redundant, or contradict others.
    #[error("is singular")]
    Singular,
    /// The matrix is not the product of a triangular matrix and its conjugate transpose.
    #[error("is not positive definite")]
    NotPositiveDefinite,
    /// The iteration did not end. It never ends if elements are not finite.
    #[error(
        "has singular values or eigenvalues that the iteration does not converge to; look for infinities and NaN"
    )]
    NoConvergence,
}
