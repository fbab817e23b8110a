//! The bits of single values.

use super::{Complex, DType, Scalar, f16};

/// The bits of a single value, aligned for every dtype.
#[repr(align(16))]
#[derive(Clone, Copy, Default)]
pub struct ScalarBits {
    /// The bytes of the value in native order, followed by zeros.
    pub bytes: [u8; 16],
}

impl ScalarBits {
    /// Returns the bits of a value.
    #[inline]
    pub fn from_scalar(scalar: &Scalar) -> ScalarBits {
        let mut bits = [0; 16];
        let mut put = |at: usize, bytes: &[u8]| bits[at..at + bytes.len()].copy_from_slice(bytes);
        match *scalar {
            Scalar::Bool(value) => put(0, &[u8::from(value)]),
            Scalar::I8(value) => put(0, &value.to_ne_bytes()),
            Scalar::I16(value) => put(0, &value.to_ne_bytes()),
            Scalar::I32(value) => put(0, &value.to_ne_bytes()),
            Scalar::I64(value) => put(0, &value.to_ne_bytes()),
            Scalar::U8(value) => put(0, &value.to_ne_bytes()),
            Scalar::U16(value) => put(0, &value.to_ne_bytes()),
            Scalar::U32(value) => put(0, &value.to_ne_bytes()),
            Scalar::U64(value) => put(0, &value.to_ne_bytes()),
            Scalar::F16(value) => put(0, &value.to_ne_bytes()),
            Scalar::F32(value) => put(0, &value.to_ne_bytes()),
            Scalar::F64(value) => put(0, &value.to_ne_bytes()),
            Scalar::C64(value) => {
                put(0, &value.re.to_ne_bytes());
                put(4, &value.im.to_ne_bytes());
            }
            Scalar::C128(value) => {
                put(0, &value.re.to_ne_bytes());
                put(8, &value.im.to_ne_bytes());
            }
        }
        ScalarBits { bytes: bits }
    }

    /// Returns the value of dtype `dtype` with these bits.
    #[inline]
    pub fn scalar(&self, dtype: DType) -> Scalar {
        let bytes = &self.bytes;
        fn part<const N: usize>(bytes: &[u8; 16], at: usize) -> [u8; N] {
            let mut part = [0; N];
            part.copy_from_slice(&bytes[at..at + N]);
            part
        }
        match dtype {
            DType::Bool => Scalar::Bool(bytes[0] != 0),
            DType::I8 => Scalar::I8(i8::from_ne_bytes(part(bytes, 0))),
            DType::I16 => Scalar::I16(i16::from_ne_bytes(part(bytes, 0))),
            DType::I32 => Scalar::I32(i32::from_ne_bytes(part(bytes, 0))),
            DType::I64 => Scalar::I64(i64::from_ne_bytes(part(bytes, 0))),
            DType::U8 => Scalar::U8(bytes[0]),
            DType::U16 => Scalar::U16(u16::from_ne_bytes(part(bytes, 0))),
            DType::U32 => Scalar::U32(u32::from_ne_bytes(part(bytes, 0))),
            DType::U64 => Scalar::U64(u64::from_ne_bytes(part(bytes, 0))),
            DType::F16 => Scalar::F16(f16::from_ne_bytes(part(bytes, 0))),
            DType::F32 => Scalar::F32(f32::from_ne_bytes(part(bytes, 0))),
            DType::F64 => Scalar::F64(f64::from_ne_bytes(part(bytes, 0))),
            DType::C64 => Scalar::C64(Complex::new(
                f32::from_ne_bytes(part(bytes, 0)),
                f32::from_ne_bytes(part(bytes, 4)),
            )),
            DType::C128 => Scalar::C128(Complex::new(
                f64::from_ne_bytes(part(bytes, 0)),
                f64::from_ne_bytes(part(bytes, 8)),
            )),
        }
    }
}
