//! Reductions of the results of a step, which any library can provide.

#![allow(unsafe_code, reason = "terms are handed over by their address")]

use std::any::Any;
use std::fmt::Debug;

use crate::Tile;
use crate::dtype::DType;

/// The number of terms that a fold gets at a time is a multiple of this, except at the end of a
/// row. A fold that works in blocks of this size copies few terms.
pub const TERMS: usize = 512;

/// A reduction of terms, which arrive in row-major order of their indices, to one result.
///
/// The result must not depend on how many terms arrive at a time.
pub trait Fold: Any + Debug + Send + Sync {
    /// Returns the name, which is the same in every run. Two reductions with one name must be the
    /// same.
    fn name(&self) -> &str;

    /// Returns the dtype of the result for terms of dtype `input`; `None` if the reduction is not
    /// defined for them.
    fn output(&self, input: DType) -> Option<DType>;

    /// Calls `feed` to receive all terms, of dtype `input`, and writes their result to `out`.
    ///
    /// # Safety
    /// Each address that `feed` pushes must be that of initialised, contiguous elements of that
    /// dtype, as many as the pushed number.
    ///
    /// # Panics
    /// Panics if the dtype of `out` is not that of the result.
    unsafe fn run(&self, input: DType, feed: &mut dyn FnMut(&mut Push<'_>), out: &mut Tile);

    /// Writes the result of no terms of dtype `input` to `out`.
    ///
    /// # Panics
    /// Panics if there is no such result.
    fn reduce_empty(&self, input: DType, out: &mut Tile);
}

/// A function that takes the next terms: the address of the first one, and their number.
pub type Push<'a> = dyn FnMut(*const u8, usize) + 'a;
