//! The timeline: the data of a viewer in narrow columns, so that any part of it at any zoom is read
//! in milliseconds.
//!
//! 1. A feed passes rows one by one, each as a [`Slice`] on a [`LaneKey`] (`feed`).
//! 2. [`Builder`] spools them by lane.
//! 3. Each lane is sorted, in memory or, if it has many slices, in files (`sorted`). Its slices get
//!    rows (`place`), and its dense tiles are computed at every level ([`bins`]).
//! 4. [`File`] reads the result in place ([docs/timeline-file.md](../../../docs/timeline-file.md))
//!    and returns the contents of tiles.
//!
//! Times in the file are ns from the start of the trace.

pub mod bins;
mod build;
mod caused;
mod counter;
mod feed;
mod file;
mod format;
mod held;
mod hits;
mod holder;
mod lane;
mod names;
mod record;
mod slice;
mod sorted;
mod spool;
mod states;
mod tile;
mod timeline;
mod write;

pub use build::Builder;
pub use counter::Levels;
pub use file::{File, Item};
pub use format::{EXACT, Line, Origin, TILE_BINS, TimelineError};
pub use held::{HeldBy, MemoryHolders};
pub use hits::Hits;
pub use holder::Holder;
pub use lane::{Lane, LaneIndex, LaneKey, LaneKind};
pub use slice::{Flags, Slice, SliceKind};
pub use tile::{Marks, Tile, TileKey, Tiles};
pub use timeline::{Opened, Timeline};
