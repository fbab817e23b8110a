//! Where elements lie, how operations over them are cut, and which of them go from rank to rank.
//!
//! This crate runs nothing. It holds the rules by which the runtime cuts operations and exchanges
//! elements, so that tools can apply the same rules to a recorded run, or to one with more ranks.
//!
//! 1. A [`Shape`] counts elements; a [`Layout`] is a view of a store; a [`Region`] is the set of
//!    elements that a view touches.
//! 2. [`Cuts`] are the tiles of an operation, found from its shape, its [`Tiling`] and the
//!    processors; a [`Cut`] is one of them. A [`Projection`] maps a tile to a part of an operand.
//! 3. The tiles of an operation are shared out among the [`Ranks`]. Every rank runs an operation
//!    that is too small to be cut. The [`Spread`] of a store records where its elements are up to
//!    date. From it each rank computes the messages of an operation without communication
//!    ([`Exchanges`]): senders and receivers agree.

mod access;
mod block;
mod exchange;
mod exchanges;
mod image;
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
