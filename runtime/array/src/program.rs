//! The user's interface: arrays and the calls on them.
//!
//! A call checks its arguments, is lowered to operations with the caller's line, and returns at
//! once. Only reading a value waits.

mod array;
mod assign;
mod axes;
mod bits;
mod compare;
mod contract;
mod convolve;
mod count;
mod create;
mod direct;
mod dynamic;
mod einsum;
mod element;
mod elementwise;
#[cfg(feature = "fft")]
pub mod fft;
mod file;
mod gather;
mod index;
mod interchange;
mod join;
#[cfg(feature = "linalg")]
pub mod linalg;
mod linear;
mod map;
mod mask;
mod matrix;
pub mod memory;
mod nan;
mod norm;
mod operators;
mod places;
mod quantile;
pub mod random;
mod read;
mod reduce;
mod roll;
mod scan;
mod sequence;
mod sets;
mod sort;
mod statistics;
mod typed;
mod unique;
mod untyped;
mod value;
mod view;
mod viewing;

pub use array::Array;
pub use compare::Tolerance;
pub use convolve::Overlap;
pub use count::{Bins, Side};
pub use create::{
    arange, arange_step, concatenate, eye, from_ndarray, from_slice, full, linspace, ones, zeros,
};
pub use dynamic::DynArray;
pub use einsum::einsum;
pub use elementwise::{complex, select};
pub use file::{load, load_npz, save_npz};
pub use index::IndexInteger;
pub use interchange::Sharing;
pub use join::{PadMode, column_stack, dstack, hstack, stack, vstack};
pub use norm::MatrixNorm;
pub use operators::Bits;
pub use reduce::Summable;
pub use roll::Wrapped;
pub use sequence::{
    Indexing, geomspace, identity, indices, linspace_open, logspace, meshgrid, tri,
};
pub use unique::Unique;
pub use untyped::{HostValue, Pending};
pub use value::{IntoValue, Value, ValueRef};
pub use viewing::Viewing;
