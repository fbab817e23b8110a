//! Products of vectors and matrices.
//!
//! All operands of one product have one type, which is the result's too, as in NumPy: integers wrap, and of `bool` the
//! sum is "or" and the product "and". Those of `f16` are made in `f32`, which the caller casts to. Terms of a dot product and of a row of [`matvec`] are taken in the order, and with
//! the error bound, that [`reduce`](super::reduce) documents, with one more rounding for the product.

mod blocked;
mod columns;
mod dot;
mod fetch;
mod gemm;
mod matmul;
mod matvec;
mod ring;
mod short;
mod stack;

pub use dot::{combine_dot, dot};
pub use matmul::matmul;
#[doc(hidden)]
pub use matmul::multiply_parts;
pub use matvec::{matvec, matvecs};
pub use stack::{combine_parts, matmuls};

use super::Tile;

/// # Panics
/// Unless the operands have one type.
fn check_types(a: &Tile, b: &Tile, out: &Tile) {
    assert_eq!(a.dtype(), b.dtype(), "the factors have one type");
    assert_eq!(
        a.dtype(),
        out.dtype(),
        "a product has the type of its factors"
    );
}
