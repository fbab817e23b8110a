//! A table that only grows. Reading takes no lock, so launches never wait for a thread that adds a
//! value.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Chunk `n` has `FIRST << n` places.
const FIRST: usize = 64;
const CHUNKS: usize = 26;

/// Values, numbered from 0 in the order of their addition.
#[derive(Debug)]
pub(super) struct Table<T> {
    chunks: [OnceLock<Box<[OnceLock<T>]>>; CHUNKS],
    length: Mutex<usize>,
}

impl<T> Table<T> {
    pub(super) fn new() -> Self {
        Table {
            chunks: [const { OnceLock::new() }; CHUNKS],
            length: Mutex::new(0),
        }
    }

    /// Adds a value and returns its number. Returns the value if the table is full, which it is
    /// with 2^32 - 64 values.
    pub(super) fn push(&self, value: T) -> Result<usize, T> {
        let mut length = self.length.lock().unwrap_or_else(PoisonError::into_inner);
        let (chunk, at) = place(*length);
        let Some(slots) = self.chunks.get(chunk) else {
            return Err(value);
        };
        let slots = slots.get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect());
        slots[at].set(value)?;
        *length += 1;
        Ok(*length - 1)
    }

    /// Returns the value of this number.
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        let (chunk, at) = place(number);
        self.chunks.get(chunk)?.get()?.get(at)?.get()
    }
}

/// Returns the chunk of a number, and the position in it.
fn place(number: usize) -> (usize, usize) {
    let shifted = number + FIRST;
    let chunk = (shifted / FIRST).ilog2() as usize;
    (chunk, shifted - (FIRST << chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_increase_and_keep_their_values() {
        let table = Table::new();
        assert_eq!(table.get(0), None);
        for value in 0..1000 {
            assert_eq!(table.push(value), Ok(value));
        }
        assert!((0..1000).all(|number| table.get(number) == Some(&number)));
        assert_eq!(table.get(1000), None);
        assert_eq!(table.get(1 << 40), None);
    }

    #[test]
    fn readers_see_values_pushed_by_other_threads() {
        let table = Table::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let number = table.push(7).unwrap();
                        assert_eq!(table.get(number), Some(&7));
                    }
                });
            }
        });
        assert_eq!(table.get(1999), Some(&7));
        assert_eq!(table.get(2000), None);
    }
}
