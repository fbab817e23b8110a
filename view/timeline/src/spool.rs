//! Records in parts, in memory while they are few, otherwise in a temporary file without a name.

use super::format::TimelineError;
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;

/// Bytes in memory before all are written to the file.
pub(super) const IN_MEMORY: usize = 48 << 20;

/// The number of records that are read or written at once.
pub(super) const PIECE: usize = 1 << 13;

/// A record of fixed size.
pub(super) trait Spooled: Copy {
    /// The size in bytes.
    const SIZE: usize;

    /// Appends its bytes.
    fn put(&self, to: &mut Vec<u8>);

    /// Parses the output of [`put`](Self::put).
    fn get(bytes: &[u8]) -> Option<Self>;
}

/// Declares a record of integers.
macro_rules! spooled {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $int:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) struct $name {
            $($(#[$about])* pub(super) $field: $int),*
        }

        impl $crate::spool::Spooled for $name {
            const SIZE: usize = 0 $(+ size_of::<$int>())*;

            fn put(&self, to: &mut Vec<u8>) {
                $(to.extend_from_slice(&self.$field.to_le_bytes());)*
            }

            fn get(bytes: &[u8]) -> Option<Self> {
                let mut rest = bytes;
                $(
                    let (value, after) = rest.split_first_chunk()?;
                    let $field = <$int>::from_le_bytes(*value);
                    rest = after;
                )*
                rest.is_empty().then_some($name { $($field),* })
            }
        }
    };
}
pub(super) use spooled;

/// Records of one part.
#[derive(Debug, Default)]
struct Part {
    buffer: Vec<u8>,
    /// The places of earlier records in the file: offset and bytes.
    chunks: Vec<(u64, usize)>,
    count: usize,
}

/// Records by part.
#[derive(Debug)]
pub(super) struct Spool<R> {
    parts: Vec<Part>,
    /// Bytes in memory, and their maximum.
    bytes: usize,
    limit: usize,
    file: Option<File>,
    written: u64,
    records: PhantomData<R>,
}

impl<R> Default for Spool<R> {
    fn default() -> Self {
        Spool::new(IN_MEMORY)
    }
}

impl<R> Spool<R> {
    /// Creates an empty spool that holds at most `limit` bytes in memory.
    pub(super) fn new(limit: usize) -> Self {
        Spool {
            parts: Vec::new(),
            bytes: 0,
            limit,
            file: None,
            written: 0,
            records: PhantomData,
        }
    }
}

impl<R: Spooled> Spool<R> {
    /// Adds a record to a part.
    pub(super) fn push(&mut self, at: usize, record: &R) -> Result<(), TimelineError> {
        if at >= self.parts.len() {
            self.parts.resize_with(at + 1, Part::default);
        }
        if let Some(part) = self.parts.get_mut(at) {
            record.put(&mut part.buffer);
            part.count += 1;
        }
        self.bytes += R::SIZE;
        if self.bytes >= self.limit {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TimelineError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().map_err(TimelineError::Spool)?),
        };
        for part in self.parts.iter_mut().filter(|part| !part.buffer.is_empty()) {
            file.write_all_at(&part.buffer, self.written)
                .map_err(TimelineError::Spool)?;
            part.chunks.push((self.written, part.buffer.len()));
            self.written += part.buffer.len() as u64;
            // Freed: rows may arrive part by part, and each part would keep the capacity of all
            // together.
            part.buffer = Vec::new();
        }
        self.bytes = 0;
        Ok(())
    }

    /// Returns the number of records of a part.
    pub(super) fn count(&self, at: usize) -> usize {
        self.parts.get(at).map_or(0, |part| part.count)
    }

    /// Returns the number of parts.
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Calls `each` with the records of a part, in their order.
    pub(super) fn each<E: From<TimelineError>>(
        &self,
        at: usize,
        mut each: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(part) = self.parts.get(at) else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        let mut all = |bytes: &[u8]| {
            let mut records = bytes.chunks_exact(R::SIZE).filter_map(R::get);
            records.try_for_each(&mut each)
        };
        for (offset, length) in &part.chunks {
            let mut from = 0;
            while from < *length {
                bytes.resize((*length - from).min(PIECE * R::SIZE), 0);
                if let Some(file) = &self.file {
                    let read = file.read_exact_at(&mut bytes, offset + from as u64);
                    read.map_err(TimelineError::Spool)?;
                }
                all(&bytes)?;
                from += bytes.len();
            }
        }
        all(&part.buffer)
    }

    /// Reads the records of a part, in their order.
    pub(super) fn read(&self, at: usize) -> Result<Vec<R>, TimelineError> {
        let mut records = Vec::with_capacity(self.count(at));
        self.each(at, |record| {
            records.push(record);
            Ok::<(), TimelineError>(())
        })?;
        Ok(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    spooled! {
        TestRecord { number: u32, time: i64, flags: u8 }
    }

    #[test]
    fn records_survive_a_round_trip() {
        let record = |number: u32| TestRecord {
            number,
            time: i64::MIN + i64::from(number),
            flags: 0xa5,
        };
        let mut spool = Spool::default();
        for number in 0..10 {
            spool.push(number as usize % 3, &record(number)).unwrap();
            if number % 4 == 3 {
                spool.flush().unwrap();
            }
        }
        let expected: Vec<TestRecord> = [1, 4, 7].map(record).to_vec();
        assert_eq!(TestRecord::SIZE, 13);
        assert_eq!(spool.read(1).unwrap(), expected);
        assert_eq!(spool.read(1).unwrap(), expected);
        assert_eq!((spool.count(0), spool.parts()), (4, 3));
        assert_eq!(spool.read(7).unwrap(), []);
    }
}
