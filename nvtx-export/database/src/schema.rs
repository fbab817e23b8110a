//! The tables and views of a joined database, each declared once: a declaration gives the SQL that creates a table, writes
//! rows into it and reads them back, and its part of `docs/schema.md` ([`page()`]).

pub(crate) mod cut_for;
mod nsys;
mod page;
mod table;
mod value;
mod view;
mod weft;

pub(crate) use nsys::*;
pub use page::{page, views};
pub(crate) use table::{Column, Insert, Table, TableRow, column, table, write_rows};
pub(crate) use value::{Bytes, BytesPerSecond, Count, Key, Numbers, SignedNumbers, TextKey, Value};
pub(crate) use weft::*;
