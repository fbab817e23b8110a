//! An output of numbers that counts its bytes.

use super::Failed;
use crate::format::TimelineError;
use crate::sorted::Sorted;
use crate::spool::Spooled;
use std::io::{self, Write};
use std::sync::mpsc::SyncSender;

/// Bytes of a column that are passed on at once.
const COLUMN: usize = 1 << 16;

/// Bytes that are passed to the writing thread at once.
const PIECE: usize = 1 << 18;

/// A file, or a part of one, with the number of bytes written.
pub(super) struct Out<W> {
    to: W,
    pub(super) at: u64,
}

impl<W: Write> Out<W> {
    pub(super) fn new(to: W) -> Self {
        Out { to, at: 0 }
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.to.write_all(bytes)
    }

    pub(super) fn numbers(&mut self, numbers: impl Iterator<Item = u32>) -> io::Result<()> {
        let mut column = self.column();
        for number in numbers {
            column.number(number)?;
        }
        column.end()
    }

    pub(super) fn longs(&mut self, numbers: impl Iterator<Item = u64>) -> io::Result<()> {
        self.numbers(numbers.flat_map(|number| [number as u32, (number >> 32) as u32]))
    }

    /// Returns a writer of single numbers.
    pub(super) fn column(&mut self) -> Column<'_, W> {
        Column {
            out: self,
            buffer: Vec::new(),
        }
    }

    /// Writes a number of each record.
    pub(super) fn write_column<R: Spooled>(
        &mut self,
        records: &Sorted<R>,
        mut number: impl FnMut(usize, &R) -> Result<u32, TimelineError>,
    ) -> Result<(), Failed> {
        let mut column = self.column();
        records.each(0..records.len(), |at, record| {
            let number = number(at, record)?;
            Ok::<(), Failed>(column.number(number)?)
        })?;
        Ok(column.end()?)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A writer of single numbers.
pub(super) struct Column<'o, W> {
    out: &'o mut Out<W>,
    buffer: Vec<u8>,
}

impl<W: Write> Column<'_, W> {
    pub(super) fn number(&mut self, number: u32) -> io::Result<()> {
        self.buffer.extend_from_slice(&number.to_le_bytes());
        match self.buffer.len() >= COLUMN {
            true => self.hand_over(),
            false => Ok(()),
        }
    }

    pub(super) fn long(&mut self, number: u64) -> io::Result<()> {
        self.number(number as u32)?;
        self.number((number >> 32) as u32)
    }

    fn hand_over(&mut self) -> io::Result<()> {
        self.out.put(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Passes on the remaining numbers.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.hand_over()
    }
}

/// Passes bytes to the thread that writes the file.
pub(super) struct Pipe<T> {
    to: SyncSender<T>,
    piece: Vec<u8>,
    wrap: fn(Vec<u8>) -> T,
}

impl<T> Pipe<T> {
    pub(super) fn new(to: SyncSender<T>, wrap: fn(Vec<u8>) -> T) -> Self {
        Pipe {
            to,
            piece: Vec::with_capacity(PIECE),
            wrap,
        }
    }
}

impl<T> Write for Pipe<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        let sent = self.to.send((self.wrap)(piece));
        // The writing thread has failed, and reports its own error.
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
