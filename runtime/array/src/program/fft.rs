//! Discrete Fourier transforms under NumPy's names.
//!
//! The transform of a line of `n` elements `x` is `X[k] = sum of x[j] exp(-2 pi i j k / n)`;
//! [`ifft`] is the inverse. Lines along an axis are transformed separately, so arrays are divided
//! into tasks along the other axes. The spectrum of `f16`, `f32` and `Complex<f32>` is
//! `Complex<f32>`; of all others, including integers, `Complex<f64>`.
//!
//! ```
//! use weft::fft;
//!
//! let x = weft::from_slice(&[1.0_f64, 2.0, 3.0, 4.0]);
//! let spectrum = fft::rfft(&x).to_vec().unwrap();
//! assert_eq!(spectrum[0].re, 10.0);
//! assert_eq!((spectrum[1].re, spectrum[1].im), (-2.0, 2.0));
//! assert_eq!(fft::irfft(&fft::rfft(&x)).to_vec().unwrap(), [1.0, 2.0, 3.0, 4.0]);
//!
//! // Along another axis, each line continued with zeros to 8 elements.
//! let grid = weft::ones::<f64>(&[5, 3]);
//! let along = fft::Along { axis: Some(0), length: Some(8), ..Default::default() };
//! assert_eq!(fft::fft_along(&grid, along).shape(), [8, 3]);
//! ```

mod dynamic;
mod typed;

pub use typed::*;

/// The transform that is divided by the number of elements, as NumPy's `norm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// The inverse transform.
    #[default]
    Backward,
    /// Each transform, by the square root.
    Ortho,
    /// The forward transform.
    Forward,
}

impl Norm {
    /// Returns the factor of a transform of `elements` elements.
    fn scale(self, elements: usize, is_inverse: bool) -> f64 {
        let elements = elements as f64;
        match (self, is_inverse) {
            (Norm::Backward, true) | (Norm::Forward, false) => elements.recip(),
            (Norm::Ortho, _) => elements.sqrt().recip(),
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
        }
    }
}

/// The lines of a transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Along {
    /// The axis along which they run; the last one if `None`.
    pub axis: Option<usize>,
    /// The length of a line of the signal. Lines are truncated, or padded with zeros. The default
    /// is the length of the axis, or for `irfft`, `2 * (length - 1)`.
    pub length: Option<usize>,
    /// The transform that is divided by the number of elements.
    pub norm: Norm,
}
