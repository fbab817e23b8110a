//! Two runtimes, and comparison of the results of a program on both.

use std::fmt::Debug;

use weft::dtype::{DType, Element, Scalar, f16};
use weft::{DynArray, Runtime};

pub(crate) use crate::support::runtime_on_gpus as runtime;

/// The dtypes with kernels.
pub(crate) const DTYPES: [DType; 11] = [
    DType::Bool,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::F32,
    DType::F64,
];

/// A runtime on CPUs and one on GPUs.
pub(crate) struct Two {
    cpu: Runtime,
    pub(crate) gpu: Runtime,
}

/// Returns the number of GPUs to test with.
pub(crate) fn gpus() -> usize {
    number("WEFT_TEST_GPUS", 1)
}

/// Returns the length of long vectors.
pub(crate) fn length() -> usize {
    number("WEFT_TEST_LENGTH", 1_000_003)
}

fn number(variable: &str, otherwise: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(otherwise, |text| text.parse().unwrap())
}

/// The allowed difference between floats.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tolerance {
    /// Identical bits; all NaN are equal.
    Exact,
    /// This number of units in the last place of the larger one.
    Ulps(f64),
}

impl Two {
    pub(crate) fn new() -> Two {
        Two {
            cpu: runtime("--gpus 0"),
            gpu: runtime(&format!("--gpus {} --min-gpu-chunk 1000", gpus())),
        }
    }

    /// Runs the program on both and compares the resulting arrays.
    pub(crate) fn compare(
        &self,
        what: impl Debug,
        tolerance: Tolerance,
        program: impl Fn() -> Vec<DynArray>,
    ) {
        let on_cpu: Vec<Values> = self.cpu.enter(|| program().iter().map(read).collect());
        let on_gpu: Vec<Values> = self.gpu.enter(|| program().iter().map(read).collect());
        assert_eq!(on_cpu.len(), on_gpu.len());
        for (at, (cpu, gpu)) in on_cpu.iter().zip(&on_gpu).enumerate() {
            assert_eq!(cpu.dims, gpu.dims, "{what:?}: shape of result {at}");
            assert_eq!(cpu.values.len(), gpu.values.len());
            for (index, (x, y)) in cpu.values.iter().zip(&gpu.values).enumerate() {
                assert!(
                    x.is_near(y, tolerance),
                    "{what:?}: element {index} of result {at} ({:?} {:?}) is {x:?} on the CPU, {y:?} on the GPU",
                    cpu.dtype,
                    cpu.dims,
                );
            }
        }
    }
}

impl Drop for Two {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.cpu.finish().unwrap();
            self.gpu.finish().unwrap();
        }
    }
}

struct Values {
    dtype: DType,
    dims: Vec<usize>,
    values: Vec<Element64>,
}

/// An element of any dtype.
#[derive(Clone, Copy, Debug)]
enum Element64 {
    Whole(i128),
    F32(f32),
    F64(f64),
}

impl Element64 {
    fn is_near(&self, other: &Self, tolerance: Tolerance) -> bool {
        let (x, y, unit) = match (*self, *other) {
            (Element64::Whole(x), Element64::Whole(y)) => return x == y,
            (Element64::F32(x), Element64::F32(y)) => {
                (f64::from(x), f64::from(y), f64::from(f32::EPSILON))
            }
            (Element64::F64(x), Element64::F64(y)) => (x, y, f64::EPSILON),
            _ => return false,
        };
        if x.is_nan() || y.is_nan() {
            return x.is_nan() && y.is_nan();
        }
        match tolerance {
            Tolerance::Exact => x.to_bits() == y.to_bits(),
            Tolerance::Ulps(ulps) => {
                x == y || (x - y).abs() <= ulps * unit * x.abs().max(y.abs()).max(1e-30)
            }
        }
    }
}

fn read(array: &DynArray) -> Values {
    fn read_as<T: Element>(array: &DynArray, to: impl Fn(T) -> Element64) -> Vec<Element64> {
        let read = array
            .to_ndarray::<T>()
            .unwrap_or_else(|error| panic!("{error}"));
        read.iter().copied().map(to).collect()
    }
    use Element64::{F32, F64, Whole};
    let values = match array.dtype() {
        DType::Bool => read_as::<bool>(array, |x| Whole(x.into())),
        DType::I8 => read_as::<i8>(array, |x| Whole(x.into())),
        DType::I16 => read_as::<i16>(array, |x| Whole(x.into())),
        DType::U8 => read_as::<u8>(array, |x| Whole(x.into())),
        DType::U16 => read_as::<u16>(array, |x| Whole(x.into())),
        DType::I32 => read_as::<i32>(array, |x| Whole(x.into())),
        DType::I64 => read_as::<i64>(array, |x| Whole(x.into())),
        DType::U32 => read_as::<u32>(array, |x| Whole(x.into())),
        DType::U64 => read_as::<u64>(array, |x| Whole(x.into())),
        // Functions of the smallest integers have results in `f16`.
        DType::F16 => read_as::<f16>(array, |x| F32(x.into())),
        DType::F32 => read_as::<f32>(array, F32),
        DType::F64 => read_as::<f64>(array, F64),
        other => panic!("{other} is not tested"),
    };
    Values {
        dtype: array.dtype(),
        dims: array.shape().to_vec(),
        values,
    }
}

/// Returns the array's elements as another dtype.
pub(crate) fn cast(array: &DynArray, to: DType) -> DynArray {
    let runtime = weft::runtime::current().unwrap();
    let cast = DynArray::full(&runtime, array.shape(), Scalar::zero(to)).unwrap();
    cast.assign(array).unwrap();
    cast
}

/// Returns `count` elements of a dtype: special values first, then others of all magnitudes.
pub(crate) fn sample(dtype: DType, count: usize, seed: u64) -> DynArray {
    fn load<T: Element>(
        count: usize,
        special: &[T],
        other: impl Fn(u64) -> T,
        seed: u64,
    ) -> DynArray {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let values: Vec<T> = (0..count)
            .map(|at| {
                // Marsaglia's xorshift.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                match special.get((at + seed as usize) % (special.len() * 4)) {
                    Some(&value) => value,
                    None => other(state),
                }
            })
            .collect();
        weft::from_slice(&values).into_dyn()
    }
    /// Returns a float from 2^-20 to 2^20, with either sign.
    fn float(bits: u64) -> f64 {
        let mantissa = 1.0 + (bits >> 12) as f64 / (1u64 << 52) as f64;
        let exponent = (bits % 41) as i32 - 20;
        let sign = if bits & 64 == 0 { 1.0 } else { -1.0 };
        sign * mantissa * 2f64.powi(exponent)
    }
    let f64s = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        -f64::INFINITY,
        1e300,
        1e-310,
    ];
    let f32s = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        f32::NAN,
        f32::INFINITY,
        -f32::INFINITY,
        1e38,
        1e-40,
    ];
    match dtype {
        DType::Bool => load(count, &[true, false], |bits| bits & 1 == 1, seed),
        DType::I8 => load(
            count,
            &[0, 1, -1, i8::MIN, i8::MAX, 7, 8],
            |b| b as i8 >> (b >> 61),
            seed,
        ),
        DType::I16 => load(
            count,
            &[0, 1, -1, i16::MIN, i16::MAX, 15, 16],
            |b| b as i16 >> (b >> 60),
            seed,
        ),
        DType::U8 => load(
            count,
            &[0, 1, u8::MAX, 7, 8],
            |b| b as u8 >> (b >> 61),
            seed,
        ),
        DType::U16 => load(
            count,
            &[0, 1, u16::MAX, 15, 16],
            |b| b as u16 >> (b >> 60),
            seed,
        ),
        DType::I32 => load(
            count,
            &[0, 1, -1, i32::MIN, i32::MAX, 31, 32],
            |b| b as i32 >> (b >> 59),
            seed,
        ),
        DType::I64 => load(
            count,
            &[0, 1, -1, i64::MIN, i64::MAX, 63, 64],
            |b| b as i64 >> (b >> 58),
            seed,
        ),
        DType::U32 => load(
            count,
            &[0, 1, u32::MAX, 31, 32],
            |b| b as u32 >> (b >> 59),
            seed,
        ),
        DType::U64 => load(count, &[0, 1, u64::MAX, 63, 64], |b| b >> (b >> 58), seed),
        DType::F32 => load(count, &f32s, |bits| float(bits) as f32, seed),
        DType::F64 => load(count, &f64s, float, seed),
        other => panic!("{other} is not tested"),
    }
}
