//! Element types, and their common types: promotion and casts follow NumPy 2.

mod promote;

pub use promote::Promotion;

pub use weft_elements::dtype::{
    CastFrom, Comparable, Complex, DType, Element, Float, Inexact, Integer, Number, Real, Scalar,
    ScalarBits, f16,
};
#[doc(hidden)]
pub use weft_elements::dtype::{
    Parameter, dispatch, with_comparable, with_complex, with_element, with_float, with_integer,
    with_native, with_native_float, with_native_real, with_number, with_real, with_summand,
    with_unsigned, with_unsigned_element,
};
pub(crate) use weft_elements::dtype::{complex, half};
