//! Element types, and their names.

mod cast;
mod complex;
mod half;
mod number;
mod promote;
mod scalar;

use weft_kernels::dtype::DType;

/// Returns NumPy's name of a type: `int32` for `i32`.
pub(crate) fn numpy_name(dtype: DType) -> String {
    let name = dtype.name();
    match name.split_at(1) {
        ("i", bits) => format!("int{bits}"),
        ("u", bits) => format!("uint{bits}"),
        ("f", bits) => format!("float{bits}"),
        // The others have NumPy's names, such as `complex64`.
        _ => name.to_owned(),
    }
}

#[test]
fn dtype_names_survive_a_round_trip() {
    for dtype in DType::ALL {
        assert_eq!(DType::from_name(dtype.name()), Some(dtype));
    }
    assert_eq!(DType::from_name("float"), None);
}
