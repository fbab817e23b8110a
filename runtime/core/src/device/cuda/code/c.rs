//! Words of CUDA C: types, values and arguments.

use crate::dtype::{DType, Scalar};

/// Functions of elements, for every dtype, in `namespace weft` under the names of the operations; `to_f64` and the like
/// cast.
pub const PRELUDE: &str = include_str!("cuda/prelude.cuh");

/// The C type of an element. There is none where [`DType::has_gpu_code`] says so, and nothing asks for it.
pub const fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "signed char",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::I64 => "long long",
        DType::U8 => "unsigned char",
        DType::U16 => "unsigned short",
        DType::U32 => "unsigned int",
        DType::U64 => "unsigned long long",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::F16 | DType::C64 | DType::C128 => unreachable!(),
    }
}

/// A value as an argument: its bits in the lowest bytes. Of a type that has a C type.
pub fn word(value: Scalar) -> u64 {
    match value {
        Scalar::Bool(value) => u64::from(value),
        Scalar::I8(value) => i64::from(value) as u64,
        Scalar::I16(value) => i64::from(value) as u64,
        Scalar::I32(value) => i64::from(value) as u64,
        Scalar::I64(value) => value as u64,
        Scalar::U8(value) => u64::from(value),
        Scalar::U16(value) => u64::from(value),
        Scalar::U32(value) => u64::from(value),
        Scalar::U64(value) => value,
        Scalar::F32(value) => u64::from(value.to_bits()),
        Scalar::F64(value) => value.to_bits(),
        Scalar::F16(_) | Scalar::C64(_) | Scalar::C128(_) => {
            unreachable!("no code is made for {}", value.dtype())
        }
    }
}

/// A parameter that takes a value: the function of the prelude that gets the value of this dtype out of the
/// `unsigned long long` that the parameter is.
pub fn from_word(dtype: DType, parameter: &str) -> String {
    format!("weft::{}_of({parameter})", dtype.name())
}

/// The type of indices and steps, in elements: 32 bits wide where all of them fit, which is faster.
pub const fn index_type(is_wide: bool) -> &'static str {
    if is_wide { "long long" } else { "int" }
}
