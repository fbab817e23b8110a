//! Element types, tiles of elements, and the engine of fusion.
//!
//! What all array functions and the runtime have in common, and no array function itself: what the elements of arrays are
//! ([`dtype`]), where they lie ([`shape`], [`Tile`]), and how functions of them that know nothing of one another are computed together,
//! block by block ([`chain`]). Functions and reductions come from libraries above, or from a user.
//!
//! Operands that are written are `&mut Tile`, others `&Tile`. The lifetime of a tile says how long its memory lives, which no call
//! outlasts, and is left out of signatures.

#![allow(
    elided_lifetimes_in_paths,
    reason = "what is lent to a chain lives as long as the call"
)]

mod apply;
pub mod chain;
mod copy;
pub mod dtype;
mod handle;
mod map;
pub mod nest;
pub mod peak;
mod run;
pub mod shape;
pub mod simd;
mod ticks;
mod tile;

pub use apply::apply;
pub use copy::{copy_elements, fill_elements, over};
pub use handle::Handle;
pub use map::{Map, MapFunction};
pub use run::Run;
pub use tile::{Tile, TileRef};
