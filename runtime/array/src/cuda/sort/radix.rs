//! Sorting of long lines by the digits of their elements, for all lines at once.

use smallvec::{SmallVec, smallvec};

use super::key::SortKernelKey;
use super::{DeviceTile, Lines, launch};
use crate::cuda::loops::{BLOCKS, Form, THREADS, arguments};
use crate::dtype::DType;
use weft_core::cuda::{Address, Work};

/// The number of elements of at most 8 bytes of a tile in a pass: `SortTile` in `sort.cuh`.
const TILE: usize = 256 * 12;

/// The number of digits at one place: `DIGITS` in `sort.cuh`.
const DIGITS: usize = 256;

/// The alignment of parts of the scratch memory, in bytes.
const ALIGNMENT: usize = 256;

#[cfg(test)]
thread_local! {
    /// Whether plans of this thread number elements with 64 bits, however few there are.
    pub(in crate::cuda) static ALL_HUGE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Consecutive parts of scratch memory.
struct Parts {
    next: Address,
}

impl Parts {
    fn take(&mut self, bytes: usize) -> Address {
        let here = self.next;
        self.next += bytes.next_multiple_of(ALIGNMENT) as u64;
        here
    }
}

/// Two buffers that are alternately read and written.
type Pair = [Address; 2];

/// The addresses of all memory. Address 0 means no memory.
struct Memory {
    /// Tickets, counts and states of tiles, all initially 0.
    zeros: Address,
    zero_bytes: usize,
    counts: Address,
    states: Address,
    /// The lines, one after the other.
    input: Address,
    values: Pair,
    numbers: Pair,
    /// The outputs of the last pass.
    out_values: Address,
    out_numbers: Address,
    end: Address,
}

impl Lines<'_> {
    /// Returns the size in bytes of an element's number between passes.
    fn number_size(&self) -> usize {
        if self.is_huge() { 8 } else { 4 }
    }

    /// Whether numbers of elements do not fit 31 bits, with room for a grid that goes beyond them.
    fn is_huge(&self) -> bool {
        #[cfg(test)]
        if ALL_HUGE.get() {
            return true;
        }
        self.total() > i32::MAX as usize - BLOCKS * THREADS
    }

    fn total(&self) -> usize {
        self.lines * self.count
    }

    /// Returns the number of tiles of a pass. Tiles of 16-byte elements have half as many elements.
    fn tiles(&self) -> usize {
        let of_tile = match self.elements.dtype.size() {
            16 => TILE / 2,
            _ => TILE,
        };
        self.total().div_ceil(of_tile)
    }

    /// Returns the number of digits: those of an element's word, then those of the number of its
    /// line.
    fn places(&self) -> usize {
        let line_bits = usize::BITS - (self.lines - 1).leading_zeros();
        self.bytes + line_bits.div_ceil(8) as usize
    }

    /// Whether numbers of elements are needed between passes.
    fn carries_numbers(&self) -> bool {
        self.numbers.is_some() || self.lines > 1
    }

    fn memory(&self, scratch: Address) -> Memory {
        let (total, places) = (self.total(), self.places());
        let mut parts = Parts { next: scratch };
        let zeros = parts.take(places * 4);
        let counts = parts.take(places * DIGITS * 8);
        let states = parts.take(self.tiles() * DIGITS * 8);
        let zero_bytes = (parts.next - zeros) as usize;
        let bytes = total * self.elements.dtype.size();
        let input = if self.is_dense(self.input) {
            self.first(self.input)
        } else {
            parts.take(bytes)
        };
        let dense = |tile| self.is_dense(tile).then(|| self.first(tile));
        let out_values = match self.values {
            None => 0,
            Some(tile) => dense(tile).unwrap_or_else(|| parts.take(bytes)),
        };
        let out_numbers = match self.numbers {
            None => 0,
            Some(tile) => dense(tile).unwrap_or_else(|| parts.take(total * 8)),
        };
        // The first pass reads the input, and the last one writes the output.
        let between = places - 1;
        let mut pair = |bytes: usize, is_needed: bool| {
            [0, 1].map(|n| {
                let is_used = is_needed && n < between;
                if is_used { parts.take(bytes) } else { 0 }
            })
        };
        let values = pair(bytes, true);
        let numbers = pair(total * self.number_size(), self.carries_numbers());
        Memory {
            zeros,
            zero_bytes,
            counts,
            states,
            input,
            values,
            numbers,
            out_values,
            out_numbers,
            end: parts.next,
        }
    }

    /// Returns the number of bytes of device memory for sorting by digits.
    pub(super) fn radix_scratch(&self) -> usize {
        self.memory(0).end as usize
    }

    /// Returns the work that sorts by digits.
    pub(super) fn radix(&self, scratch: Address) -> SmallVec<[Work; 2]> {
        let memory = self.memory(scratch);
        let [total, count, places] = [self.total(), self.count, self.places()].map(|n| n as u64);
        let (elements, is_wide) = (self.elements, self.is_huge());
        let mut works = smallvec![Work::Fill {
            to: memory.zeros,
            pattern: 0,
            width: 4,
            count: memory.zero_bytes / 4,
        }];
        let copy_grid = self.total().div_ceil(4 * THREADS).min(4 * BLOCKS);
        let copy = |key: fn(DType, Form) -> SortKernelKey, tile: &DeviceTile, operand, dense| {
            let form = Form::new(&self.nest, &[operand], self.is_wide);
            let mut args = smallvec![self.nest.first[operand], dense, total, count];
            args.push(self.step(tile) as u64);
            args.extend(arguments(&self.nest, &[operand]));
            launch(key(tile.dtype, form), copy_grid, args)
        };
        if !self.is_dense(self.input) {
            works.push(copy(SortKernelKey::Gather, self.input, 0, memory.input));
        }
        let grid = self.total().div_ceil(8 * THREADS).min(BLOCKS);
        let args = smallvec![memory.input, total, count, places, memory.counts];
        works.push(launch(
            SortKernelKey::Digits { elements, is_wide },
            grid,
            args,
        ));
        works.push(launch(
            SortKernelKey::Starts,
            self.places(),
            smallvec![memory.counts],
        ));
        let key = SortKernelKey::Pass {
            elements,
            has_numbers: self.carries_numbers(),
            is_wide,
        };
        for place in 0..self.places() {
            let (is_first, is_last) = (place == 0, place + 1 == self.places());
            let before = |pair: Pair| pair[(place + 1) % 2];
            let (input, numbers_in) = match is_first {
                true => (memory.input, 0),
                false => (before(memory.values), before(memory.numbers)),
            };
            let (out, numbers_out, results) = match is_last {
                true => (memory.out_values, 0, memory.out_numbers),
                false => (memory.values[place % 2], memory.numbers[place % 2], 0),
            };
            let starts = memory.counts + (place * DIGITS * 8) as u64;
            let ticket = memory.zeros + 4 * place as u64;
            let mut args = smallvec![input, numbers_in, out, numbers_out, results, total, count];
            args.extend([place as u64, place as u64, self.first_number as u64]);
            args.extend([starts, memory.states, ticket]);
            works.push(launch(key, self.tiles(), args));
        }
        let outs = [
            (self.values, memory.out_values),
            (self.numbers, memory.out_numbers),
        ];
        for (operand, (tile, dense)) in outs.into_iter().enumerate() {
            if let Some(tile) = tile
                && !self.is_dense(tile)
            {
                works.push(copy(SortKernelKey::Scatter, tile, operand + 1, dense));
            }
        }
        works
    }
}
