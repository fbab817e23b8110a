//! SQLite files: those of others, opened without touching them and with everything off that a hostile one could use, and the tables of
//! Weft's own, each declared once ([`schema`]).

mod ahead;
mod budget;
mod columns;
mod guard;
mod name;
mod open;
mod reader;
pub mod schema;
mod slices;

pub use ahead::Ahead;
pub use budget::Budget;
pub use columns::Columns;
pub use guard::{forbid_writing, harden};
pub use name::{quoted, readable, uri};
pub use open::Untouched;
pub use reader::{Database, integer, is_joined, text};
pub use slices::Room;
