//! Products of vectors and matrices.
//!
//! All operands of a product have one type, which is also the result's, as in NumPy. Integers wrap.
//! For `bool` the sum is "or" and the product is "and". Products of `f16` are computed in `f32`, to
//! which the caller casts. The terms of a dot product, and of a row of [`matvec`], are added in the
//! order documented in [`reduce`](super::reduce). The error bound is also the same, with one more
//! rounding for the product.

mod blocked;
mod columns;
mod dot;
mod fetch;
mod gemm;
mod matmul;
mod matvec;
mod operands;
mod part;
mod registers;
mod ring;
mod short;
mod stack;
mod tiny;

pub use dot::{combine_dot, dot};
pub use matmul::matmul;
#[doc(hidden)]
pub use matmul::multiply_parts;
pub use matvec::{matvec, matvecs};
pub use stack::{combine_parts, matmuls};

use super::Tile;

/// # Panics
/// Panics unless the operands have one type.
fn check_types(a: &Tile, b: &Tile, out: &Tile) {
    assert_eq!(a.dtype(), b.dtype(), "the factors have one type");
    assert_eq!(
        a.dtype(),
        out.dtype(),
        "a product has the type of its factors"
    );
}
