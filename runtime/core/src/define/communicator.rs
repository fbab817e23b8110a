//! Exchanges of values between the tiles of a concurrent task.

#![allow(unsafe_code, reason = "copies elements to words and back")]

use std::sync::Arc;

use super::Reduction;
use super::reduction::combine_rows;
use crate::device::cpu::{Contribution, Member, Part};
use crate::device::words_of;
use crate::dtype::Element;
use crate::error::ExchangeError;
use crate::words;

/// Exchanges values between the tiles of a [concurrent](super::Builder::concurrent) task. All tiles
/// of the call, on all ranks, must make the same calls in the same order.
///
/// If a tile ends before it makes a call that others wait in, they get an error.
#[derive(Clone)]
pub struct Communicator(Member);

impl std::fmt::Debug for Communicator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tile {} of {}", self.tile(), self.tiles())
    }
}

impl Communicator {
    /// Returns the communicator of the calling thread's tile. For a task that is not concurrent it
    /// has only this tile.
    pub(super) fn current() -> Communicator {
        Communicator(Member::current().unwrap_or_else(Member::alone))
    }

    /// Returns the number of this tile.
    pub fn tile(&self) -> usize {
        self.0.tile()
    }

    /// Returns the number of tiles.
    pub fn tiles(&self) -> usize {
        self.0.tiles()
    }

    /// Waits until all tiles have made this call.
    ///
    /// # Errors
    /// Returns an error if a tile has ended, or makes another call.
    pub fn barrier(&self) -> Result<(), ExchangeError> {
        self.exchange("a barrier".to_owned(), Vec::new()).map(drop)
    }

    /// Returns the values given by every tile, by tile number. Tiles may give different numbers of
    /// elements.
    ///
    /// # Errors
    /// Returns an error if a tile has ended, or makes another call.
    pub fn all_gather<T: Element>(&self, values: &[T]) -> Result<Vec<Vec<T>>, ExchangeError> {
        let call = format!("all_gather of {}", words::dtype(T::DTYPE));
        let all = self.exchange(call, vec![part_of(values)])?;
        let mut gathered = Vec::with_capacity(all.len());
        for given in all.iter() {
            gathered.push(given.parts.first().map(values_of).unwrap_or_default());
        }
        Ok(gathered)
    }

    /// Gives each tile a part, and returns the parts that all tiles give to this one.
    ///
    /// # Errors
    /// Returns an error if the number of parts is not the number of tiles, or a tile has ended, or
    /// makes another call.
    pub fn all_to_all<T: Element>(&self, parts: &[Vec<T>]) -> Result<Vec<Vec<T>>, ExchangeError> {
        if parts.len() != self.tiles() {
            return Err(ExchangeError::Parts {
                given: parts.len(),
                tiles: self.tiles(),
            });
        }
        let call = format!("all_to_all of {}", words::dtype(T::DTYPE));
        let parts = parts.iter().map(|part| part_of(part)).collect();
        let all = self.exchange(call, parts)?;
        let own = |given: &Arc<Contribution>| given.parts.get(self.tile()).map(values_of);
        Ok(all
            .iter()
            .map(|given| own(given).unwrap_or_default())
            .collect())
    }

    /// Combines the values of all tiles element by element, in the order of the tiles, so that
    /// every tile gets the same bits.
    ///
    /// # Errors
    /// Returns an error if the reduction is not defined for the elements, or a tile has ended,
    /// gives another number of elements, or makes another call.
    pub fn all_reduce<T: Element>(
        &self,
        values: &mut [T],
        reduction: Reduction,
    ) -> Result<(), ExchangeError> {
        if reduction.identity(T::DTYPE).is_none() {
            return Err(ExchangeError::Undefined {
                reduction: reduction.name(),
                dtype: words::dtype(T::DTYPE),
            });
        }
        let (name, count) = (reduction.name(), values.len());
        let call = format!("all_reduce of {count} {} by {name}", words::dtype(T::DTYPE));
        let all = self.exchange(call, vec![part_of(values)])?;
        for (tile, given) in all.iter().enumerate() {
            let theirs: Vec<T> = given.parts.first().map(values_of).unwrap_or_default();
            match tile {
                0 => values.copy_from_slice(&theirs),
                _ => combine_rows(reduction, &theirs, values),
            }
        }
        Ok(())
    }

    /// Exchanges bytes, for front ends with their own elements. Gives one part to all tiles, or
    /// a part to each, and returns the parts that the tiles give to this one. All tiles must pass
    /// the same `call`.
    ///
    /// # Errors
    /// Returns an error if the number of parts is neither 1 nor the number of tiles, or a tile has
    /// ended, or makes another call.
    pub fn exchange_bytes(
        &self,
        call: &str,
        parts: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        if parts.len() != 1 && parts.len() != self.tiles() {
            return Err(ExchangeError::Parts {
                given: parts.len(),
                tiles: self.tiles(),
            });
        }
        let parts = parts.iter().map(|part| part_of(part)).collect();
        let all = self.exchange(call.to_owned(), parts)?;
        let own = |given: &Arc<Contribution>| {
            let at = if given.parts.len() == 1 {
                0
            } else {
                self.tile()
            };
            given.parts.get(at).map(values_of).unwrap_or_default()
        };
        Ok(all.iter().map(own).collect())
    }

    fn exchange(
        &self,
        call: String,
        parts: Vec<Part>,
    ) -> Result<Arc<[Arc<Contribution>]>, ExchangeError> {
        self.0.exchange(Contribution { call, parts })
    }
}

fn part_of<T: Element>(values: &[T]) -> Part {
    // SAFETY: the slice has this number of initialised bytes, and elements have no padding.
    let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) };
    Part {
        words: words_of(bytes),
        bytes: bytes.len(),
    }
}

/// Returns the elements of a part from the same call, which was compared, so they have this type.
fn values_of<T: Element>(part: &Part) -> Vec<T> {
    let count = part.bytes / size_of::<T>();
    let mut values: Vec<T> = Vec::with_capacity(count);
    // SAFETY: the words hold `count` elements of this type; the vector has room for them.
    unsafe {
        let from: *const u8 = part.words.as_ptr().cast();
        std::ptr::copy_nonoverlapping(
            from,
            values.as_mut_ptr().cast::<u8>(),
            count * size_of::<T>(),
        );
        values.set_len(count);
    }
    values
}
