//! A window that slides over the content of a reader.

use std::io::{self, Read};

/// The initial size of the buffer in bytes.
const FIRST: usize = 1 << 18;

/// The maximum size of the buffer in bytes, which limits the length of records.
pub(super) const LONGEST: usize = 1 << 24;

/// The bytes of a reader that were read but not consumed yet.
pub(super) struct Buffer<R> {
    input: R,
    bytes: Vec<u8>,
    /// The window: `bytes[start..end]`.
    start: usize,
    end: usize,
    /// The offset of `bytes[0]` in the content.
    origin: u64,
    /// An error that occurred after valid bytes.
    failed: Option<io::Error>,
}

/// The result of [`Buffer::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// The window grew.
    Longer,
    /// The content has ended.
    Ended,
    /// The window has its maximum size.
    Full,
}

impl<R: Read> Buffer<R> {
    pub(super) fn new(input: R) -> Self {
        Buffer {
            input,
            bytes: vec![0; FIRST],
            start: 0,
            end: 0,
            origin: 0,
            failed: None,
        }
    }

    /// Returns the bytes that were read but not consumed.
    pub(super) fn window(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the offset of the window's first byte in the content.
    pub(super) fn offset(&self) -> u64 {
        self.origin + self.start as u64
    }

    /// Consumes the first `count` bytes of the window.
    pub(super) fn consume(&mut self, count: usize) {
        self.start = self.end.min(self.start + count);
    }

    /// Reads until the buffer is full. The buffer grows with the bytes read, never by a number in
    /// the content.
    pub(super) fn fill(&mut self) -> io::Result<Filled> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.bytes.copy_within(self.start..self.end, 0);
        self.origin += self.start as u64;
        self.end -= self.start;
        self.start = 0;
        if self.end == self.bytes.len() {
            if self.end >= LONGEST {
                return Ok(Filled::Full);
            }
            self.bytes.resize(self.end * 2, 0);
        }
        let before = self.end;
        while let Some(free) = self
            .bytes
            .get_mut(self.end..)
            .filter(|free| !free.is_empty())
        {
            match self.input.read(free) {
                Ok(0) => break,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.end == before => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        Ok(if self.end == before {
            Filled::Ended
        } else {
            Filled::Longer
        })
    }

    /// Reads to the end of the content, and returns the number of bytes that were not consumed.
    pub(super) fn drain(&mut self) -> u64 {
        let mut count = 0;
        loop {
            count += self.window().len() as u64;
            self.consume(usize::MAX - self.start);
            // Bytes that cannot be read do not count.
            if !matches!(self.fill(), Ok(Filled::Longer)) {
                return count;
            }
        }
    }
}
