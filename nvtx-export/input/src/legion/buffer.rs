//! A window that slides over a reader.

use std::io::{self, Read};

/// Bytes held at first.
const FIRST: usize = 1 << 18;

/// Bytes held at most: the longest record that can be read.
pub(super) const LONGEST: usize = 1 << 24;

/// The bytes of a reader that were not used yet, as far as they were read.
pub(super) struct Buffer<R> {
    input: R,
    bytes: Vec<u8>,
    /// The window: `bytes[start..end]`.
    start: usize,
    end: usize,
    /// Place of `bytes[0]` in the content.
    origin: u64,
    /// An error that came after bytes that were still good.
    failed: Option<io::Error>,
}

/// What [`Buffer::fill`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// The window is longer.
    Longer,
    /// The content has ended.
    Ended,
    /// The window is as long as it may become.
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

    /// What was read and not used.
    pub(super) fn window(&self) -> &[u8] {
        self.bytes.get(self.start..self.end).unwrap_or_default()
    }

    /// Place of the window's first byte in the content.
    pub(super) fn offset(&self) -> u64 {
        self.origin + self.start as u64
    }

    /// The first `count` bytes of the window are used.
    pub(super) fn consume(&mut self, count: usize) {
        self.start = self.end.min(self.start + count);
    }

    /// Reads until the buffer is full. It grows with what was read, never by a number in the content.
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

    /// Reads to the end of the content; returns how many bytes there were beyond those used.
    pub(super) fn drain(&mut self) -> u64 {
        let mut count = 0;
        loop {
            count += self.window().len() as u64;
            self.consume(usize::MAX - self.start);
            // What cannot be read is not there.
            if !matches!(self.fill(), Ok(Filled::Longer)) {
                return count;
            }
        }
    }
}
