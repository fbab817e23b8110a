//! How the results of a step are reduced: reductions that any library can bring.

#![allow(unsafe_code, reason = "terms are handed over by their address")]

use std::any::Any;
use std::fmt::Debug;

use crate::Tile;
use crate::dtype::DType;

/// Terms come in numbers that are multiples of this, except where a row ends: a fold that takes them by blocks of so many needs to copy few.
pub const TERMS: usize = 512;

/// A reduction that takes terms as they come, in row-major order of their indices, to one result.
///
/// How many terms come at a time must make no difference.
pub trait Fold: Any + Debug + Send + Sync {
    /// What it is called, in every run alike. Two of one name do the same.
    fn name(&self) -> &str;

    /// The dtype of its result for terms of this dtype; `None` if it is not defined for them.
    fn output(&self, input: DType) -> Option<DType>;

    /// Has `feed` push all terms, of dtype `input`, and writes their result to `out`.
    ///
    /// # Safety
    /// What `feed` pushes are addresses of initialised elements of that dtype, which lie one after the other, and how many they are.
    ///
    /// # Panics
    /// If `out` has another dtype than the result.
    unsafe fn run(&self, input: DType, feed: &mut dyn FnMut(&mut Push<'_>), out: &mut Tile);

    /// Writes the result of no terms of dtype `input` to `out`.
    ///
    /// # Panics
    /// If there is none.
    fn of_nothing(&self, input: DType, out: &mut Tile);
}

/// Takes the next terms: the address of the first one, and their number.
pub type Push<'a> = dyn FnMut(*const u8, usize) + 'a;
