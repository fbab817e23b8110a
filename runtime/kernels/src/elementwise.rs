//! Functions of one element at a time.
//!
//! All operands have the shape of the output (broadcast inputs have steps of 0). The output may be
//! exactly the view of an input of the same type. Otherwise it must share no element with any
//! input.

mod binary;
mod cast;
mod complex;
mod declaration;
mod division;
pub mod functions;
mod half;
mod loops;
mod pair;
mod parts;
mod quotient;
mod select;
mod single;
mod unary;
mod wide;

pub use binary::{BinaryOp, binary};
pub use cast::{cast, copy};
pub use select::{fill, fill_from, putmask, select};
pub use single::{binary_of_one, unary_of_one};
pub use unary::{UnaryOp, unary};

pub(crate) use cast::cast_block;
pub(super) use loops::with_word;
use pair::pair_block;
use select::select_block;
