//! The tables and views of a joined database, each declared once. A declaration generates the SQL
//! that creates a table, the code that writes and reads its rows, and its part of `docs/schema.md`
//! ([`page()`]).

pub mod cut_for;
mod nsys;
mod page;
mod table;
mod value;
mod view;
mod weft;

pub use nsys::*;
pub use page::{page, views};
pub use table::{Column, Insert, Table, TableRow, write_rows};
pub(crate) use table::{column, table};
pub use value::{Bytes, BytesPerSecond, Count, Numbers, PrimaryKey, SignedNumbers, TextKey, Value};
pub use weft::*;
