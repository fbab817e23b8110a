//! Tables for programs.

use super::{Cell, Table};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::io::{self, Write};

pub(super) fn csv(table: &Table, to: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(to);
    writer.write_record(table.names())?;
    let mut field = Vec::new();
    for row in &table.rows {
        for cell in row {
            field.clear();
            match cell {
                Cell::Null => {}
                Cell::Text(text) => field.extend_from_slice(text.as_bytes()),
                Cell::Integer(number) => write!(field, "{number}")?,
                Cell::Real(number) => write!(field, "{number}")?,
            }
            writer.write_field(&field)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

pub(super) fn json(table: &Table, to: &mut dyn Write) -> io::Result<()> {
    let mut to = io::BufWriter::new(to);
    serde_json::to_writer_pretty(&mut to, table)?;
    to.write_all(b"\n")?;
    to.flush()
}

/// A list of objects, whose keys stand in the order of the columns.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.names();
        let mut list = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in &self.rows {
            list.serialize_element(&Object(&names, row))?;
        }
        list.end()
    }
}

struct Object<'a>(&'a [String], &'a [Cell]);

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.1.len()))?;
        for (name, cell) in self.0.iter().zip(self.1) {
            match cell {
                Cell::Null => object.serialize_entry(name, &None::<u8>)?,
                Cell::Text(text) => object.serialize_entry(name, text)?,
                Cell::Integer(number) => object.serialize_entry(name, number)?,
                Cell::Real(number) => object.serialize_entry(name, number)?,
            }
        }
        object.end()
    }
}
