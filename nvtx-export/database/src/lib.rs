//! SQLite files. Foreign ones are opened without changing them and with all features disabled that
//! a hostile file could use. Weft's own tables are each declared once ([`schema`]).

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
