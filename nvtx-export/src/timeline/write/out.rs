//! Where numbers are written to, and how many bytes there are already.

use std::io::{self, Write};
use std::sync::mpsc::SyncSender;

/// Bytes that are handed over at once.
const PIECE: usize = 1 << 18;

/// A file, or a part of one, and how much of it is written.
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
        let mut buffer = Vec::with_capacity(1 << 16);
        for number in numbers {
            buffer.extend_from_slice(&number.to_le_bytes());
            if buffer.len() >= 1 << 16 {
                self.put(&buffer)?;
                buffer.clear();
            }
        }
        self.put(&buffer)
    }

    pub(super) fn longs(&mut self, numbers: impl Iterator<Item = u64>) -> io::Result<()> {
        self.numbers(numbers.flat_map(|number| [number as u32, (number >> 32) as u32]))
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Hands bytes over to the thread that writes the file.
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
        // Whoever writes the file has given up, and says why.
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}
