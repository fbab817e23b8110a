//! Where elements lie, how operations over them are cut, and which of them go from rank to rank.
//!
//! Nothing here runs: these are the rules by which the runtime cuts and exchanges, so that whoever wants to know what a run
//! does, or would do on more ranks, asks the same code.
//!
//! 1. A [`Shape`] counts elements; a [`Layout`] is a view of a store; a [`Region`] is the elements a view touches.
//! 2. [`Cuts`] are an operation's tiles, by its shape, its [`Tiling`] and the processors; [`Cut`] is one of them. [`Projection`]
//!    says which part of an operand a tile works on.
//! 3. An operation's tiles are shared out among the [`Ranks`]; what is too small to be cut, every rank does for itself.
//!    [`Spread`] knows of each store where its elements are up to date, so that every rank finds by itself, and without
//!    asking, which messages an operation needs ([`Exchanges`]): those that send and those that receive agree.

mod access;
mod block;
mod exchange;
mod exchanges;
mod partition;
mod pieces;
mod processors;
mod projection;
mod ranks;
mod region;
pub mod shape;
mod spread;
pub mod words;

pub use access::Access;
pub use block::Block;
pub use exchange::{Exchange, Gather, Moved, Transfer, Used};
pub use exchanges::{Exchanges, Spreads};
pub use partition::{Cut, Cuts, Tiling};
pub use processors::Processors;
pub use projection::{Affine, Along, Image, IndexRun, NoProjection, Projection, Rest};
pub use ranks::Ranks;
pub use region::Region;
pub use shape::{Layout, MAX_DIMS, Shape};
pub use spread::Spread;
