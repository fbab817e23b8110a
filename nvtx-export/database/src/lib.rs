//! SQLite files of others: opened without touching them, and with everything off that a hostile one could use.

mod budget;
mod guard;
mod name;
mod open;

pub(crate) use budget::Budget;
pub(crate) use guard::{forbid_writing, harden};
pub(crate) use name::{quoted, readable, uri};
pub(crate) use open::Untouched;
