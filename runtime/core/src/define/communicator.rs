//! What the tiles of a concurrent task exchange values with.

#![allow(unsafe_code, reason = "copies elements to words and back")]

use std::sync::Arc;

use super::Reduction;
use super::reduction::combine_rows;
use crate::device::cpu::{ExchangeError, Given, Member, Part};
use crate::device::words_of;
use crate::dtype::Element;
use crate::words;

/// What a tile of a [concurrent](super::Builder::concurrent) task exchanges values with: all tiles of the call, on all ranks, make the same
/// calls in the same order.
///
/// Where a tile ends before it makes a call that others wait in, they get an error.
#[derive(Clone)]
pub struct Communicator(Member);

impl std::fmt::Debug for Communicator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tile {} of {}", self.tile(), self.tiles())
    }
}

impl Communicator {
    /// That of the tile which the calling thread runs; of a task that is not concurrent, one of a tile by itself.
    pub(super) fn current() -> Communicator {
        Communicator(Member::current().unwrap_or_else(Member::alone))
    }

    /// The number of this tile.
    pub fn tile(&self) -> usize {
        self.0.tile()
    }

    /// How many tiles there are.
    pub fn tiles(&self) -> usize {
        self.0.tiles()
    }

    /// Waits until all tiles are here.
    ///
    /// # Errors
    /// A tile has ended, or makes another call.
    pub fn barrier(&self) -> Result<(), ExchangeError> {
        self.exchange("a barrier".to_owned(), Vec::new()).map(drop)
    }

    /// What every tile gives, by their numbers; they may give different numbers of elements.
    ///
    /// # Errors
    /// A tile has ended, or makes another call.
    pub fn all_gather<T: Element>(&self, values: &[T]) -> Result<Vec<Vec<T>>, ExchangeError> {
        let call = format!("all_gather of {}", words::dtype(T::DTYPE));
        let all = self.exchange(call, vec![part_of(values)])?;
        let mut gathered = Vec::with_capacity(all.len());
        for given in all.iter() {
            gathered.push(given.parts.first().map(values_of).unwrap_or_default());
        }
        Ok(gathered)
    }

    /// Gives each tile a part, and gets the part that each gives this one.
    ///
    /// # Errors
    /// There are not as many parts as tiles; or a tile has ended, or makes another call.
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
        let own = |given: &Arc<Given>| given.parts.get(self.tile()).map(values_of);
        Ok(all
            .iter()
            .map(|given| own(given).unwrap_or_default())
            .collect())
    }

    /// Combines the values of all tiles, element by element, in the order of the tiles: every tile gets the same bits.
    ///
    /// # Errors
    /// The reduction is not defined for the elements; or a tile has ended, gives another number of elements, or makes another call.
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

    /// Gives each tile a part, or one part to all, and gets what each tile gives to all or to this one, as bytes: for front ends with
    /// elements of their own. All tiles say the same of the call.
    ///
    /// # Errors
    /// There are neither one nor as many parts as tiles; or a tile has ended, or makes another call.
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
        let own = |given: &Arc<Given>| {
            let at = if given.parts.len() == 1 {
                0
            } else {
                self.tile()
            };
            given.parts.get(at).map(values_of).unwrap_or_default()
        };
        Ok(all.iter().map(own).collect())
    }

    fn exchange(&self, call: String, parts: Vec<Part>) -> Result<Arc<[Arc<Given>]>, ExchangeError> {
        self.0.exchange(Given { call, parts })
    }
}

fn part_of<T: Element>(values: &[T]) -> Part {
    // SAFETY: there are as many bytes of initialised elements, which have no padding.
    let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) };
    Part {
        words: words_of(bytes),
        bytes: bytes.len(),
    }
}

/// The elements of a part that tiles of the same call gave, which was compared: they are of this type.
fn values_of<T: Element>(part: &Part) -> Vec<T> {
    let count = part.bytes / size_of::<T>();
    let mut values: Vec<T> = Vec::with_capacity(count);
    // SAFETY: the words hold so many elements, which were of this type; there is room for them.
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
