//! Element types, tiles of elements, and the engine of fusion.
//!
//! The common basis of array functions and the runtime, without any array function: the types of
//! elements ([`dtype`]), their places in memory ([`shape`], [`Tile`]), and the engine that computes
//! independent functions together, block by block ([`chain`]). Functions and reductions come from
//! other libraries or from users.
//!
//! Operands that are written are `&mut Tile`, others `&Tile`. The lifetime of a tile is that of its
//! memory, which outlives every call. It is left out of signatures.

#![allow(
    elided_lifetimes_in_paths,
    reason = "memory passed to a chain outlives the call"
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
