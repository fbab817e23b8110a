//! The joined trace in a format that others read. One module a format.

pub mod file;
pub mod legion;
pub mod nsys_rep;
pub mod perfetto;
pub mod query;
pub mod sqlite;
pub mod text;
