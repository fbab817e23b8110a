//! Functions of one element at a time.
//!
//! All operands have the shape of the output (broadcast inputs have steps of 0). The output may be exactly the view of
//! an input of the same type; otherwise it must share no element with any.

mod binary;
mod cast;
mod loops;
mod select;
mod unary;

pub use binary::binary;
pub use cast::{cast, copy};
pub use select::{fill, putmask, select};
pub use unary::unary;

#[cfg(test)]
mod tests;
