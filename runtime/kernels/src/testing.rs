//! Operands for tests, with any memory layout, which are read back element by element without the
//! code under test.

#![allow(unsafe_code, reason = "builds tiles over memory of its own")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::should_implement_trait,
    reason = "for tests alone"
)]

use std::cell::UnsafeCell;

use crate::dtype::{Complex, DType, Element, Scalar, with_element};
use crate::shape::{Layout, MAX_DIMS, Shape};
use crate::{Tile, TileRef};

/// Internal functions for the tests of this crate, which are in `tests/` so that the kernels are
/// compiled once.
pub mod inner {
    pub use crate::dtype::half::from_f64;
    pub use crate::philox::philox;
    pub use crate::sort::order::Ordered;

    pub mod complex {
        pub use crate::dtype::complex::*;
    }

    pub mod math {
        pub use crate::math::*;
    }
}

/// A small generator, so that one number from proptest determines a whole operand.
#[derive(Clone, Copy)]
pub struct Draw(pub u64);

impl Draw {
    #[allow(
        clippy::should_implement_trait,
        reason = "an endless source needs no Option"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns a random value, often a special one.
    pub fn value(&mut self, dtype: DType) -> Scalar {
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            2.0,
            0.5,
            -2.5,
            3.5,
            f64::NAN,
            f64::INFINITY,
            1e300,
            -1e-300,
        ];
        let kind = self.below(4);
        let word = self.next();
        match dtype {
            DType::C64 | DType::C128 => {
                let [re, im] = [0, 1].map(|_| self.value(dtype.real()));
                complex(re, im).cast(dtype)
            }
            DType::F16 | DType::F32 | DType::F64 if kind == 0 => {
                let value = special[self.below(special.len())];
                Scalar::F64(if word & 1 == 0 { value } else { -value }).cast(dtype)
            }
            DType::F16 | DType::F32 | DType::F64 => {
                Scalar::F64((word as i64 as f64) / 2f64.powi(60)).cast(dtype)
            }
            _ if kind == 0 => {
                let top = 1i64 << (8 * dtype.size() - 1);
                let edges = [top, top.wrapping_sub(1), i32::MIN.into(), -1];
                Scalar::I64(edges[self.below(edges.len())]).cast(dtype)
            }
            _ if kind == 1 => Scalar::U64(word).cast(dtype),
            _ => Scalar::I64(self.below(70) as i64 - 5).cast(dtype),
        }
    }

    /// Returns a value without NaN, infinities or large numbers.
    pub fn tame(&mut self, dtype: DType) -> Scalar {
        let mut part = || Scalar::F64(self.next() as i64 as f64 / 2f64.powi(60));
        if dtype.is_complex() {
            let [re, im] = [part(), part()];
            return complex(re, im).cast(dtype);
        }
        part().cast(dtype)
    }
}

/// Returns the complex number with these parts.
fn complex(re: Scalar, im: Scalar) -> Scalar {
    Scalar::C128(Complex::new(re.to(), im.to()))
}

/// Memory with a layout over it.
pub struct Operand {
    words: Box<[UnsafeCell<u128>]>,
    dtype: DType,
    pub layout: Layout,
}

impl Operand {
    /// Creates an operand of this shape with a random memory layout, filled by `value`. Steps may
    /// be negative, uneven or swapped, and 0 unless the elements must be distinct.
    pub fn new(
        draw: &mut Draw,
        dtype: DType,
        dims: &[usize],
        distinct: bool,
        mut value: impl FnMut(&mut Draw) -> Scalar,
    ) -> Operand {
        let shape = Shape::new(dims).unwrap();
        let plain = draw.below(3) == 0;
        let mut axes: Vec<usize> = (0..dims.len()).rev().collect();
        let mut strides = [0; MAX_DIMS];
        let (mut step, mut offset) = (1isize, 0);
        if !plain {
            for place in (1..axes.len()).rev() {
                axes.swap(place, draw.below(place + 1));
            }
            offset = draw.below(4) as isize;
            step = 1 + (draw.below(6) / 5) as isize;
        }
        for &axis in &axes {
            let kind = if plain { 0 } else { draw.below(6) };
            if kind == 1 && !distinct {
                continue;
            }
            let backwards = kind == 2;
            strides[axis] = if backwards { -step } else { step };
            let reach = step * dims[axis].saturating_sub(1) as isize;
            offset += if backwards { reach } else { 0 };
            step = step * dims[axis].max(1) as isize + isize::from(kind == 3);
        }
        let layout = Layout {
            shape,
            strides,
            offset: offset as usize,
        };
        let length = layout.extent().map_or(0, |(_, high)| high + 1) + 3;
        let operand = Operand::empty(dtype, layout, length);
        for at in 0..length {
            operand.put(at, value(draw));
        }
        operand
    }

    fn empty(dtype: DType, layout: Layout, length: usize) -> Operand {
        let words = (0..length).map(|_| UnsafeCell::new(0)).collect();
        Operand {
            words,
            dtype,
            layout,
        }
    }

    /// Creates a row-major array of these values.
    pub fn from_values(dims: &[usize], values: &[Scalar], dtype: DType) -> Operand {
        let layout = Layout::contiguous(Shape::new(dims).unwrap());
        let operand = Operand::empty(dtype, layout, values.len() + 1);
        values
            .iter()
            .enumerate()
            .for_each(|(at, &value)| operand.put(at, value));
        operand
    }

    /// Creates a row-major array of zeros.
    pub fn zeros(dims: &[usize], dtype: DType) -> Operand {
        let shape = Shape::new(dims).unwrap();
        Operand::empty(dtype, Layout::contiguous(shape), shape.len() + 1)
    }

    pub fn tile(&self) -> TileRef<'_> {
        self.view(self.layout)
    }

    pub fn tile_mut(&mut self) -> Tile<'_> {
        self.view_mut(self.layout)
    }

    /// Returns the memory with another layout, which must be inside of it.
    pub fn view(&self, layout: Layout) -> TileRef<'_> {
        self.check(&layout);
        // SAFETY: the elements are in the memory, which is zeroed or filled with elements. Borrowed
        // elements are not written.
        unsafe { TileRef::new(self.words.as_ptr().cast(), self.dtype, layout) }
    }

    /// Returns the memory with another layout for writing. The elements of the layout must be
    /// distinct.
    pub fn view_mut(&mut self, layout: Layout) -> Tile<'_> {
        self.check(&layout);
        // SAFETY: as above; a mutable borrow is exclusive.
        unsafe { Tile::new(self.words.as_ptr().cast_mut().cast(), self.dtype, layout) }
    }

    /// Returns an output that may be exactly the view of an input.
    ///
    /// # Safety
    /// The tile must be lent to one kernel that allows this, and all other tiles of this memory
    /// must be inputs of that kernel.
    pub unsafe fn tile_in_place(&self) -> Tile<'_> {
        // SAFETY: as above, and as the caller promises.
        unsafe {
            Tile::new(
                self.words.as_ptr().cast_mut().cast(),
                self.dtype,
                self.layout,
            )
        }
    }

    fn check(&self, layout: &Layout) {
        let last = layout.extent().map(|(_, last)| last);
        assert!(
            last.is_none_or(|last| last < self.words.len()),
            "{layout:?} of {} elements",
            self.words.len()
        );
    }

    /// Returns the bytes of the memory, without padding between elements.
    pub fn bytes(&self) -> Vec<u8> {
        let length = self.words.len() * self.dtype.size();
        let start = self.words.as_ptr().cast::<u8>();
        // SAFETY: the memory has a word for each element, and no element is larger than a word.
        unsafe { std::slice::from_raw_parts(start, length) }.to_vec()
    }

    /// Creates an operand with the same layout and other memory, such as that of
    /// [`bytes`](Self::bytes) after a change.
    pub fn with_bytes(&self, bytes: &[u8]) -> Operand {
        let other = Operand::empty(self.dtype, self.layout, self.words.len());
        assert!(bytes.len() <= size_of_val(&*other.words));
        let start = other.words.as_ptr().cast_mut().cast::<u8>();
        // SAFETY: the memory is at least as long as the bytes.
        unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        other
    }

    /// Returns the type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    fn address(&self, at: usize) -> *mut u8 {
        assert!(at < self.words.len());
        self.words
            .as_ptr()
            .cast_mut()
            .cast::<u8>()
            .wrapping_add(at * self.dtype.size())
    }

    fn put(&self, at: usize, value: Scalar) {
        // SAFETY: the element lies in the memory, which has a word for each.
        with_element!(self.dtype, T => unsafe { self.address(at).cast::<T>().write(value.to()) });
    }

    fn at(&self, at: usize) -> Scalar {
        // SAFETY: as above; every element was written or is zero.
        with_element!(self.dtype, T => unsafe { self.address(at).cast::<T>().read() }.to_scalar())
    }

    /// Returns the elements in row-major order.
    pub fn values(&self) -> Vec<Scalar> {
        let shape = self.layout.shape;
        let offset = |flat| self.layout.offset_of(&shape.unravel(flat)[..shape.rank()]);
        (0..shape.len()).map(|flat| self.at(offset(flat))).collect()
    }

    /// Returns the elements of the memory outside of the layout.
    pub fn others(&self) -> Vec<(usize, Scalar)> {
        let shape = self.layout.shape;
        let offset = |flat| self.layout.offset_of(&shape.unravel(flat)[..shape.rank()]);
        let inside: std::collections::HashSet<usize> = (0..shape.len()).map(offset).collect();
        (0..self.words.len())
            .filter(|at| !inside.contains(at))
            .map(|at| (at, self.at(at)))
            .collect()
    }
}

/// Whether two values have the same type and bits. All NaN are the same.
pub fn same(a: &Scalar, b: &Scalar) -> bool {
    // Different values of narrower floats differ in wider floats too.
    let part = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    match (a, b) {
        (Scalar::F16(_), Scalar::F16(_))
        | (Scalar::F32(_), Scalar::F32(_))
        | (Scalar::F64(_), Scalar::F64(_)) => part(a.to(), b.to()),
        (Scalar::C64(_), Scalar::C64(_)) | (Scalar::C128(_), Scalar::C128(_)) => {
            let (a, b) = (a.to::<Complex<f64>>(), b.to::<Complex<f64>>());
            part(a.re, b.re) && part(a.im, b.im)
        }
        _ => a == b,
    }
}

/// Asserts that two lists of values are the [`same`].
#[track_caller]
pub fn assert_same(got: &[Scalar], expected: &[Scalar], what: &dyn std::fmt::Display) {
    assert_eq!(got.len(), expected.len(), "{what}: number of elements");
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!(
            same(got, expected),
            "{what}: element {at} is {got:?}, not {expected:?}"
        );
    }
}

/// Asserts that two lists of values are [`near`].
#[track_caller]
pub fn assert_near(got: &[Scalar], expected: &[Scalar], ulps: u64, what: &dyn std::fmt::Display) {
    assert_eq!(got.len(), expected.len(), "{what}: number of elements");
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!(
            near(got, expected, ulps),
            "{what}: element {at} is {got:?}, not {expected:?}"
        );
    }
}

/// Whether two floats are at most `ulps` units in the last place apart; for complex numbers, units
/// of the larger part.
pub fn near(got: &Scalar, expected: &Scalar, ulps: u64) -> bool {
    if got.dtype().is_complex() {
        return same(got, expected)
            || got.dtype() == expected.dtype() && near_complex(got, expected, ulps);
    }
    // Numbers the floats in their order.
    let number = |scalar: &Scalar| match *scalar {
        Scalar::F16(value) => {
            let bits = i64::from(value.to_bits() as i16);
            Some(if bits < 0 {
                i64::from(i16::MIN) - bits
            } else {
                bits
            })
        }
        Scalar::F32(value) => {
            let bits = i64::from(value.to_bits() as i32);
            Some(if bits < 0 {
                i64::from(i32::MIN) - bits
            } else {
                bits
            })
        }
        Scalar::F64(value) => {
            let bits = value.to_bits() as i64;
            Some(if bits < 0 {
                i64::MIN.wrapping_sub(bits)
            } else {
                bits
            })
        }
        _ => None,
    };
    same(got, expected)
        || ulps > 0
            && matches!((number(got), number(expected)), (Some(a), Some(b)) if a.abs_diff(b) <= ulps)
}

fn near_complex(got: &Scalar, expected: &Scalar, ulps: u64) -> bool {
    let epsilon = match got.dtype().real() {
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let (got, expected) = (got.to::<Complex<f64>>(), expected.to::<Complex<f64>>());
    let finite = |part: f64| if part.is_finite() { part.abs() } else { 0.0 };
    let step = finite(expected.re).max(finite(expected.im)) * epsilon;
    let part = |got: f64, expected: f64| {
        same(&Scalar::F64(got), &Scalar::F64(expected))
            || (got - expected).abs() <= ulps as f64 * step
    };
    part(got.re, expected.re) && part(got.im, expected.im)
}
