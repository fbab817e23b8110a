//! Functions of numerical libraries, over strided memory and on one thread.
//!
//! Such libraries are generic: the compiler generates their code for a type in the crate that uses
//! it. Only this crate uses them, so that a change of the runtime does not compile that code again.
//!
//! - With the feature `linalg`, [`Field`] factors matrices by `faer`: a function for each
//!   factorisation, for each type of element.
//! - With the feature `fft`, [`Fourier`] provides the plans of `rustfft` and `realfft`.

#[cfg(feature = "linalg")]
mod defect;
#[cfg(feature = "linalg")]
mod field;
#[cfg(feature = "fft")]
mod fourier;
#[cfg(feature = "linalg")]
mod number;
#[cfg(feature = "linalg")]
mod orthogonal;
#[cfg(feature = "linalg")]
mod pivoted;
#[cfg(feature = "linalg")]
mod small;

#[cfg(feature = "linalg")]
pub use field::{Defect, Field, Mat, MatMut, MatRef};
#[cfg(feature = "fft")]
pub use fourier::{ComplexToReal, Fft, Fourier, RealToComplex};
