//! What a program is written with: arrays, and the calls on them.
//!
//! Every call returns at once. It checks what can be seen at the call (shapes, dtypes, bounds), makes an operation with
//! the caller's line, and hands it to the runtime; only reading a value waits.

mod array;
mod assign;
mod compose;
mod count;
mod create;
mod dynamic;
mod elementwise;
mod gather;
mod index;
mod linear;
mod mask;
mod operators;
pub mod random;
mod read;
mod reduce;
mod scan;
mod sort;
mod submit;
mod unique;
mod value;
mod view;

pub use array::Array;
pub use count::{Bins, Side};
pub use create::{
    arange, arange_step, concatenate, eye, from_ndarray, from_slice, full, linspace, ones, zeros,
};
pub use dynamic::DynArray;
pub use elementwise::select;
pub use index::IndexInteger;
pub use operators::Bits;
pub use reduce::Summable;
pub use unique::Unique;
pub use value::{IntoValue, Value};
