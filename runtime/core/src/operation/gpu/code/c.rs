//! Elements of CUDA C source: types, values and arguments.

use smallvec::{SmallVec, smallvec};

use crate::dtype::{DType, Scalar};

/// Functions of elements for every dtype, in `namespace weft` under the names of the operations.
/// `to_f64` and similar functions cast.
pub const PRELUDE: &str = include_str!("cuda/prelude.cuh");

/// Types and functions of half precision and of complex numbers, which C does not have.
const HALF: [&str; 2] = [
    include_str!("cuda/half.cuh"),
    include_str!("cuda/half_functions.cuh"),
];
const COMPLEX: [&str; 2] = [
    include_str!("cuda/complex.cuh"),
    include_str!("cuda/complex_functions.cuh"),
];

/// Returns the definitions of the C types of these dtypes; empty for those that C has.
pub fn types(dtypes: &[DType]) -> String {
    let mut out = String::new();
    if dtypes.contains(&DType::F16) {
        out.push_str(HALF[0]);
    }
    if dtypes.iter().any(|dtype| dtype.is_complex()) {
        out.push_str(COMPLEX[0]);
    }
    out
}

/// Returns [`PRELUDE`] with the types and functions of these dtypes.
pub fn prelude(dtypes: &[DType]) -> String {
    let mut out = String::from(PRELUDE);
    out.push_str(&types(dtypes));
    if dtypes.contains(&DType::F16) {
        out.push_str(HALF[1]);
    }
    if dtypes.iter().any(|dtype| dtype.is_complex()) {
        out.push_str(COMPLEX[1]);
    }
    out
}

/// Returns the C type of an element; [`types`] defines those that C does not have.
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
        DType::F16 => "weft::Half",
        DType::C64 => "weft::Complex<float>",
        DType::C128 => "weft::Complex<double>",
    }
}

/// Returns a value as arguments, one for each of its [`value_parameters`]. Its bits are in the
/// lowest bytes.
pub fn words(value: Scalar) -> SmallVec<[u64; 2]> {
    let low = match value {
        Scalar::Bool(value) => u64::from(value),
        Scalar::I8(value) => i64::from(value) as u64,
        Scalar::I16(value) => i64::from(value) as u64,
        Scalar::I32(value) => i64::from(value) as u64,
        Scalar::I64(value) => value as u64,
        Scalar::U8(value) => u64::from(value),
        Scalar::U16(value) => u64::from(value),
        Scalar::U32(value) => u64::from(value),
        Scalar::U64(value) => value,
        Scalar::F16(value) => u64::from(value.to_bits()),
        Scalar::F32(value) => u64::from(value.to_bits()),
        Scalar::F64(value) => value.to_bits(),
        Scalar::C64(value) => u64::from(value.im.to_bits()) << 32 | u64::from(value.re.to_bits()),
        Scalar::C128(value) => return smallvec![value.re.to_bits(), value.im.to_bits()],
    };
    smallvec![low]
}

/// Returns the names of the parameters for a value of this dtype, each an `unsigned long long`: two
/// if it has 16 bytes.
pub fn value_parameters(dtype: DType, name: &str) -> SmallVec<[String; 2]> {
    match dtype {
        DType::C128 => smallvec![name.to_owned(), format!("{name}_imag")],
        _ => smallvec![name.to_owned()],
    }
}

/// Returns the expression for the value of these parameters, a call of the prelude's function for
/// their words.
pub fn from_words(dtype: DType, name: &str) -> String {
    let parameters = value_parameters(dtype, name);
    format!("weft::{}_of({})", dtype.name(), parameters.join(", "))
}

/// Returns the type of indices and steps, in elements. It has 32 bits if all of them fit, which is
/// faster.
pub const fn index_type(is_wide: bool) -> &'static str {
    if is_wide { "long long" } else { "int" }
}
