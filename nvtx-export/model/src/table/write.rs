//! Tables for programs.

use super::{Cell, Table};
use crate::printable::printable;
use rayon::prelude::*;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::io::{self, Write};
use std::ops::Range;

/// The number of rows that are formatted together.
const BLOCK: usize = 1 << 12;

/// The number of blocks that are formatted in parallel before they are written.
const BLOCKS: usize = 32;

/// Writes comma-separated values, one line per row. Control characters in texts are escaped,
/// because CSV is often read in a terminal.
pub(super) fn csv(table: &Table, to: &mut dyn Write) -> io::Result<()> {
    let mut heading = csv::Writer::from_writer(Vec::new());
    let names = table.names();
    heading.write_record(names.iter().map(|name| printable(name).into_owned()))?;
    to.write_all(&into_bytes(heading)?)?;
    let rows = table.rows.len();
    for first in (0..rows).step_by(BLOCK * BLOCKS) {
        let blocks = (first..rows.min(first + BLOCK * BLOCKS)).into_par_iter();
        let blocks = blocks.step_by(BLOCK);
        let blocks = blocks.map(|first| csv_rows(table, first..rows.min(first + BLOCK)));
        for block in blocks.collect::<Vec<_>>() {
            to.write_all(&block?)?;
        }
    }
    to.flush()
}

fn csv_rows(table: &Table, block: Range<usize>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut integer = itoa::Buffer::new();
    let mut real = Vec::new();
    let columns = table.visible_columns().len();
    for row in block {
        for cell in table.rows.get(row).iter().take(columns) {
            let text;
            let field = match cell {
                Cell::Null => &[],
                Cell::Text(raw) => {
                    text = printable(raw);
                    text.as_bytes()
                }
                Cell::Integer(number) => integer.format(*number).as_bytes(),
                Cell::Real(number) => {
                    real.clear();
                    write!(real, "{number}")?;
                    &real
                }
            };
            writer.write_field(field)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    into_bytes(writer)
}

fn into_bytes(writer: csv::Writer<Vec<u8>>) -> io::Result<Vec<u8>> {
    let bytes = writer.into_inner();
    bytes.map_err(csv::IntoInnerError::into_error)
}

pub(super) fn json(table: &Table, to: &mut dyn Write) -> io::Result<()> {
    let mut to = io::BufWriter::new(to);
    serde_json::to_writer_pretty(&mut to, table)?;
    to.write_all(b"\n")?;
    to.flush()
}

/// Writes a list of objects, whose keys are in the order of the columns.
impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = distinct(self.names());
        let mut list = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in 0..self.rows.len() {
            list.serialize_element(&Object(&names, &self.rows.get(row)))?;
        }
        list.end()
    }
}

/// Appends a number to repeated names, because the keys of an object must be unique.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::with_capacity(names.len());
    for name in &names {
        let mut key = name.clone();
        let mut number = 2;
        while keys.contains(&key) || (key != *name && names.contains(&key)) {
            key = format!("{name}_{number}");
            number += 1;
        }
        keys.push(key);
    }
    keys
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
