//! Linear algebra under NumPy's names: equations, inverses, determinants, factors, eigenvalues.
//!
//! The last two axes of an array are a matrix, and those before them a stack of matrices, which are
//! processed separately. A matrix is one task on one thread, so its result does not depend on the
//! number of workers; stacks are divided into tasks.
//!
//! Integers and `bool` are treated as `f64`. A matrix without a result, such as the inverse of a
//! singular matrix, is a failure of the operation, with
//! [`Cause::Matrix`](weft_core::error::Cause::Matrix).
//!
//! ```
//! use weft::linalg;
//!
//! let a = weft::from_slice(&[2.0_f64, 1.0, 1.0, 3.0]).reshape(&[2, 2]);
//! let b = weft::from_slice(&[3.0_f64, 5.0]);
//! let x = linalg::solve(&a, &b).to_vec().unwrap();
//! assert!((x[0] - 0.8).abs() < 1e-15 && (x[1] - 1.4).abs() < 1e-15);
//!
//! let (values, _vectors) = linalg::eigh(&a);
//! assert!((values.sum().item() - 5.0).abs() < 1e-14);
//!
//! let singular = weft::ones::<f64>(&[2, 2]);
//! let error = linalg::inv(&singular).to_vec().unwrap_err();
//! assert!(error.to_string().contains("the matrix is singular"));
//! ```

mod dynamic;
mod typed;

pub use typed::*;
