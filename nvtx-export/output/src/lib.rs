//! Writers of the joined trace in the formats of other tools, one module per format.

pub mod file;
pub mod legion;
pub mod nsys_rep;
pub mod perfetto;
pub mod query;
pub mod sqlite;
pub mod text;
