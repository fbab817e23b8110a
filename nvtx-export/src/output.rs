//! Stage 5: the joined trace in a format that others read. One module a format.

mod color;
pub mod sqlite;
pub mod text;
