//! Stage 5: the joined trace in a format that others read. One module a format.

pub mod file;
pub mod legion;
pub(crate) mod message;
pub mod nsys_rep;
pub mod perfetto;
pub mod printable;
pub mod query;
pub mod sqlite;
pub mod table;
pub mod text;
