//! Discrete Fourier transforms along one axis.
//!
//! A line of `n` elements `x` has the spectrum `X[k] = sum of x[j] exp(-2 pi i j k / n)`. A line of
//! another length is cut off, or padded with zeros. `rustfft` and `realfft` do the transforms. A
//! result does not depend on the number of workers or on the other lines, but its last bits may
//! depend on the machine's vector instructions.

#![allow(unsafe_code, reason = "reads and writes the memory of tiles")]

use weft_numeric::Fourier;

use super::Tile;
use crate::dtype::{Complex, DType, Element};

/// A Fourier transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FourierOp {
    /// Complex signals to complex spectra.
    Forward,
    /// Complex spectra to complex signals.
    Inverse,
    /// Real signals to the first half of their spectra, which determines the rest.
    RealForward,
    /// The first half of spectra to real signals. The imaginary part of the first element, and of
    /// the last one if the length is even, is taken as 0.
    RealInverse,
    /// The first half of signals with real spectra to these spectra:
    /// [`RealInverse`](Self::RealInverse) of the conjugated elements.
    Hermitian,
    /// Real spectra to the first half of signals: the conjugated results of
    /// [`RealForward`](Self::RealForward).
    HermitianInverse,
}

impl FourierOp {
    /// Returns the operation's name in outputs, which is NumPy's.
    pub fn name(self) -> &'static str {
        match self {
            FourierOp::Forward => "fft",
            FourierOp::Inverse => "ifft",
            FourierOp::RealForward => "rfft",
            FourierOp::RealInverse => "irfft",
            FourierOp::Hermitian => "hfft",
            FourierOp::HermitianInverse => "ihfft",
        }
    }

    /// Whether it reads only real numbers. The others also take real numbers as complex ones.
    pub fn is_from_real(self) -> bool {
        matches!(self, FourierOp::RealForward | FourierOp::HermitianInverse)
    }

    /// Whether its results are real.
    pub fn is_to_real(self) -> bool {
        matches!(self, FourierOp::RealInverse | FourierOp::Hermitian)
    }

    /// Whether it transforms spectra to signals, as far as the norm is concerned.
    pub fn is_inverse(self) -> bool {
        use FourierOp::{HermitianInverse, Inverse, RealInverse};
        matches!(self, Inverse | RealInverse | HermitianInverse)
    }

    /// Returns the number of results for lines of `length`.
    pub fn results(self, length: usize) -> usize {
        match self {
            op if op.is_from_real() => length / 2 + 1,
            _ => length,
        }
    }
}

/// Transforms all lines of a tile along `axis`, each as a signal of `length` elements, and
/// multiplies the results by `scale`.
///
/// # Panics
/// Panics if the operands do not have the dtypes or shapes of the transform, or `length` is 0.
pub fn fourier(
    op: FourierOp,
    axis: usize,
    length: usize,
    scale: f64,
    input: &Tile,
    out: &mut Tile,
) {
    assert!(length > 0, "a transform of no elements");
    assert_eq!(
        out.dims()[axis],
        op.results(length),
        "the length of results"
    );
    match out.dtype().real() {
        DType::F32 => transform::<f32>(op, axis, length, scale as f32, input, out),
        DType::F64 => transform::<f64>(op, axis, length, scale, input, out),
        dtype => unreachable!("{} is not defined for {dtype}", op.name()),
    }
}

fn transform<T: Fourier + Element>(
    op: FourierOp,
    axis: usize,
    length: usize,
    scale: T,
    input: &Tile,
    out: &mut Tile,
) where
    Complex<T>: Element,
{
    let zero = Complex::new(<T as Element>::ZERO, <T as Element>::ZERO);
    let known = input.dtype();
    let is_complex = known == <Complex<T> as Element>::DTYPE && !op.is_from_real();
    assert!(
        known == T::DTYPE || is_complex,
        "the input has another dtype"
    );
    // Real numbers are read as complex ones.
    let read = |from: &Line, into: &mut [Complex<T>]| match known == T::DTYPE {
        true => from.read(into, zero, |re: T| Complex::new(re, zero.im)),
        false => from.read(into, zero, |value: Complex<T>| value),
    };
    match op {
        FourierOp::Forward | FourierOp::Inverse => {
            let plan = T::complex(length, op == FourierOp::Inverse);
            let mut line = vec![zero; length];
            let mut scratch = vec![zero; plan.get_inplace_scratch_len()];
            lines::<Complex<T>>(axis, input, out, |from, to| {
                read(&from, &mut line);
                plan.process_with_scratch(&mut line, &mut scratch);
                to.write(line.iter().map(|value| value * scale));
            });
        }
        FourierOp::RealForward | FourierOp::HermitianInverse => {
            let plan = T::forward(length);
            let mut line = vec![zero.re; length];
            let mut spectrum = vec![zero; length / 2 + 1];
            let mut scratch = vec![zero; plan.get_scratch_len()];
            let is_conjugated = op == FourierOp::HermitianInverse;
            lines::<Complex<T>>(axis, input, out, |from, to| {
                from.read(&mut line, zero.re, |value: T| value);
                let done = plan.process_with_scratch(&mut line, &mut spectrum, &mut scratch);
                assert!(done.is_ok(), "buffers fit the plan");
                to.write(spectrum.iter().map(|value| {
                    let scaled = value * scale;
                    if is_conjugated { scaled.conj() } else { scaled }
                }));
            });
        }
        FourierOp::RealInverse | FourierOp::Hermitian => {
            let plan = T::inverse(length);
            let mut spectrum = vec![zero; length / 2 + 1];
            let mut line = vec![zero.re; length];
            let mut scratch = vec![zero; plan.get_scratch_len()];
            lines::<T>(axis, input, out, |from, to| {
                read(&from, &mut spectrum);
                if op == FourierOp::Hermitian {
                    for value in &mut spectrum {
                        *value = value.conj();
                    }
                }
                spectrum[0].im = zero.im;
                if length.is_multiple_of(2) {
                    spectrum[length / 2].im = zero.im;
                }
                let done = plan.process_with_scratch(&mut spectrum, &mut line, &mut scratch);
                assert!(done.is_ok(), "buffers fit the plan");
                to.write(line.iter().map(|value| *value * scale));
            });
        }
    }
}

/// The elements of a tile along one axis.
struct Line {
    first: *mut u8,
    dtype: DType,
    count: usize,
    /// The step between elements in bytes.
    step: isize,
}

impl Line {
    fn at<U>(&self, index: usize) -> *mut U {
        let element = self.first.wrapping_byte_offset(index as isize * self.step);
        element.cast()
    }

    /// Copies the elements, each converted by `taken`, and fills the rest with `zero`.
    fn read<U: Element, V: Copy>(&self, into: &mut [V], zero: V, taken: impl Fn(U) -> V) {
        assert_eq!(self.dtype, U::DTYPE, "the input has another dtype");
        let count = self.count.min(into.len());
        let (known, rest) = into.split_at_mut(count);
        for (index, value) in known.iter_mut().enumerate() {
            // SAFETY: an element of a tile that is read: in memory, of this type and initialised,
            // by the promises of its creator.
            *value = taken(unsafe { self.at::<U>(index).read() });
        }
        rest.fill(zero);
    }

    /// Writes all elements.
    fn write<U: Element>(&self, values: impl Iterator<Item = U>) {
        assert_eq!(self.dtype, U::DTYPE, "the output has another dtype");
        for (index, value) in (0..self.count).zip(values) {
            // SAFETY: an element of a tile that is written, of this type, which nothing else reads
            // or writes meanwhile.
            unsafe { self.at::<U>(index).write(value) };
        }
    }
}

/// Calls `run` with each line of the input, and the line of the output, with elements of type `B`,
/// at the same place.
fn lines<B: Element>(axis: usize, input: &Tile, out: &Tile, mut run: impl FnMut(Line, Line)) {
    assert_eq!(out.dtype(), B::DTYPE, "the output has another dtype");
    let places = out.layout().shape.without(axis);
    assert_eq!(places, input.layout().shape.without(axis), "as many lines");
    for place in 0..places.len() {
        let index = places.unravel(place);
        run(line(axis, input, &index), line(axis, out, &index));
    }
}

/// Returns the line of a tile at an index of its other axes.
fn line(axis: usize, tile: &Tile, index: &[usize]) -> Line {
    let others = (0..tile.dims().len()).filter(|other| *other != axis);
    let steps = others
        .zip(index)
        .map(|(other, at)| *at as isize * tile.byte_stride(other));
    Line {
        first: tile.first().wrapping_offset(steps.sum()),
        dtype: tile.dtype(),
        count: tile.dims()[axis],
        step: tile.byte_stride(axis),
    }
}
