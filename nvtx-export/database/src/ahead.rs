//! Tables read ahead by other threads, and delivered row by row in order.

use crate::slices::Connections;
use crate::{Database, readable};
use rusqlite::types::ValueRef;
use std::borrow::Cow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use weft_model::{ExportError, cores};

/// The number of rows sent at once.
const ROWS: usize = 1 << 10;

/// The size of texts sent at once in bytes, unless a single text is longer.
const TEXTS: usize = 1 << 20;

/// The number of a thread's pieces that may wait in its channel: the rows of a slice.
const PIECES: usize = 64;

/// The maximum number of reading threads. More would outrun the thread that processes the rows.
const READERS: usize = 4;

/// A value of a row.
#[derive(Clone, Copy, Debug)]
enum Cell {
    /// NULL, or of another type.
    None,
    Integer(i64),
    Text {
        from: usize,
        to: usize,
    },
}

/// A piece of rows.
#[derive(Debug, Default)]
struct Piece {
    cells: Vec<Cell>,
    texts: Vec<u8>,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'p> {
    cells: &'p [Cell],
    texts: &'p [u8],
}

impl<'p> Ahead<'p> {
    /// Returns a column as an integer; `None` for NULL and other types.
    pub fn integer(&self, column: usize) -> Option<i64> {
        match self.cells.get(column) {
            Some(Cell::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    /// Returns a column as text; `None` for NULL and other types. Bytes that are not UTF-8 are
    /// escaped, so that different values stay different.
    pub fn text(&self, column: usize) -> Option<Cow<'p, str>> {
        match self.cells.get(column) {
            Some(Cell::Text { from, to }) => self.texts.get(*from..*to).map(readable),
            _ => None,
        }
    }

    /// Returns the row without the columns before this one.
    pub fn from(&self, column: usize) -> Ahead<'p> {
        Ahead {
            cells: self.cells.get(column..).unwrap_or_default(),
            texts: self.texts,
        }
    }
}

impl Piece {
    fn push(&mut self, row: &rusqlite::Row<'_>, columns: usize) {
        for column in 0..columns {
            let cell = match row.get_ref(column) {
                Ok(ValueRef::Integer(value)) => Cell::Integer(value),
                Ok(ValueRef::Text(bytes)) => {
                    let from = self.texts.len();
                    self.texts.extend_from_slice(bytes);
                    let to = self.texts.len();
                    Cell::Text { from, to }
                }
                _ => Cell::None,
            };
            self.cells.push(cell);
        }
    }

    /// Delivers the rows, and returns the number of those not understood.
    fn look(&self, columns: usize, each: &mut impl FnMut(&Ahead<'_>) -> bool) -> u64 {
        let rows = self.cells.chunks_exact(columns.max(1));
        let rows = rows.map(|cells| Ahead {
            cells,
            texts: &self.texts,
        });
        rows.map(|row| u64::from(!each(&row))).sum()
    }
}

/// A message from a reading thread.
enum PrefetchMessage {
    Rows(Piece),
    /// The end of a slice, and whether it is damaged.
    End {
        damaged: bool,
    },
    Failed(rusqlite::Error),
}

impl Database {
    /// Calls `each` with every row like [`each_row`](Self::each_row), while other threads read the
    /// rows that follow.
    ///
    /// # Errors
    /// Returns an error if the query cannot be prepared.
    pub fn each_ahead(
        &self,
        table: &str,
        columns: &[&str],
        mut each: impl FnMut(&Ahead<'_>) -> bool,
    ) -> Result<(), ExportError> {
        let bounds = self.slices(table);
        if bounds.len() > 1
            && let Some(sql) = self.select(table, columns)
        {
            let sql = format!("{sql} WHERE rowid BETWEEN ?1 AND ?2");
            let connections = Connections::new(self);
            let reader = Reader {
                connections: &connections,
                sql: &sql,
                columns: columns.len(),
                texts: self.budget(),
            };
            let read = reader.all(&bounds, &mut each);
            if let Some(read) = read.map_err(self.error(table))? {
                self.count_odd_rows(read.odd_rows);
                if read.damaged {
                    self.count_damage(table);
                }
                return Ok(());
            }
        }
        let mut piece = Piece::default();
        self.each_row(table, columns, |row| {
            piece.cells.clear();
            piece.texts.clear();
            piece.push(row, columns.len());
            piece.look(columns.len(), &mut each) == 0
        })
    }
}

/// The result of reading a table.
#[derive(Default)]
struct TableRead {
    odd_rows: u64,
    damaged: bool,
}

struct Reader<'d> {
    connections: &'d Connections<'d>,
    sql: &'d str,
    columns: usize,
    texts: &'d crate::Budget,
}

impl Reader<'_> {
    /// Reads slices with several threads; `None` if the system provides none.
    fn all(
        &self,
        bounds: &[(i64, i64)],
        each: &mut impl FnMut(&Ahead<'_>) -> bool,
    ) -> rusqlite::Result<Option<TableRead>> {
        let readers = cores().min(READERS).min(bounds.len());
        thread::scope(|scope| {
            let mut channels: Vec<Receiver<PrefetchMessage>> = Vec::new();
            for first in 0..readers {
                let (to, from) = sync_channel(PIECES);
                let own = bounds.iter().skip(first).step_by(readers);
                let read = move || self.read(own.copied(), &to);
                if thread::Builder::new().spawn_scoped(scope, read).is_err() {
                    return Ok(None);
                }
                channels.push(from);
            }
            let mut read = TableRead::default();
            for channel in channels.iter().cycle().take(bounds.len()) {
                loop {
                    match channel.recv() {
                        Ok(PrefetchMessage::Rows(piece)) => {
                            read.odd_rows += piece.look(self.columns, each)
                        }
                        Ok(PrefetchMessage::End { damaged }) => {
                            read.damaged |= damaged;
                            break;
                        }
                        Ok(PrefetchMessage::Failed(error)) => return Err(error),
                        // The thread ended early. The end of the scope reports why.
                        Err(_) => break,
                    }
                }
            }
            Ok(Some(read))
        })
    }

    /// Reads the slices of one thread.
    fn read(&self, slices: impl Iterator<Item = (i64, i64)>, to: &SyncSender<PrefetchMessage>) {
        let read = || -> rusqlite::Result<()> {
            let connection = self.connections.take()?;
            {
                let mut statement = connection.prepare(self.sql)?;
                for bounds in slices {
                    let Some(damaged) = self.slice(&mut statement, bounds, to)? else {
                        break;
                    };
                    if to.send(PrefetchMessage::End { damaged }).is_err() {
                        break;
                    }
                }
            }
            self.connections.give_back(connection);
            Ok(())
        };
        if let Err(error) = read() {
            // If this fails too, the receiver is gone.
            let _ = to.send(PrefetchMessage::Failed(error));
        }
    }

    /// Reads a slice, and returns whether it is damaged; `None` if the receiver is gone.
    fn slice(
        &self,
        statement: &mut rusqlite::Statement<'_>,
        bounds: (i64, i64),
        to: &SyncSender<PrefetchMessage>,
    ) -> rusqlite::Result<Option<bool>> {
        let mut rows = statement.query(bounds)?;
        let mut piece = Piece::default();
        let mut damaged = true;
        // In an intact table, ids are unique.
        for _ in 0..=bounds.0.abs_diff(bounds.1).saturating_add(1) {
            match rows.next() {
                Ok(Some(row)) => piece.push(row, self.columns),
                Ok(None) => {
                    damaged = false;
                    break;
                }
                Err(_) => break,
            }
            if piece.cells.len() >= ROWS * self.columns || piece.texts.len() >= TEXTS {
                if !self.texts.take(piece.texts.len()) {
                    break;
                }
                let full = std::mem::take(&mut piece);
                piece.cells.reserve(full.cells.len());
                if to.send(PrefetchMessage::Rows(full)).is_err() {
                    return Ok(None);
                }
            }
        }
        Ok(to
            .send(PrefetchMessage::Rows(piece))
            .is_ok()
            .then_some(damaged))
    }
}
