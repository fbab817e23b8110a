//! Elements selected by a mask, packed into a vector.
//!
//! The place of a selected element depends on the number of selected elements before it. So these
//! are counted first, by blocks of [`BLOCK`] elements, and the running counts are an operand. With
//! them any part of the output is found by bisection, so that tiles of the output may be cut
//! anywhere.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

mod bits;
pub(crate) mod whole;

pub use bits::{BITS, BitOrder, pack_bits, unpack_bits};
pub use whole::{count_set, indices, place, select};

use std::slice;

use super::Tile;
use crate::dtype::{DType, Element, with_element};
use whole::PART;

/// The number of elements of a mask that are counted together.
pub const BLOCK: usize = 4096;

/// Counts the set elements of each block of `mask` in `counts` (`i64`). Both are vectors; the last
/// block may be shorter.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn count_blocks(mask: &Tile, counts: &mut Tile) {
    let (mask, counts) = (Vector::<bool>::new(mask), Vector::<i64>::new(counts));
    assert_eq!(
        mask.count.div_ceil(BLOCK),
        counts.count,
        "one count per block"
    );
    let mut buffer = [0; PART];
    for block in 0..counts.count {
        let (mut at, end) = (block * BLOCK, mask.count.min((block + 1) * BLOCK));
        let mut set = 0;
        while at < end {
            let marks = mask.marks(at, end, &mut buffer);
            set += whole::sum(marks);
            at += marks.len();
        }
        counts.set(block, set as i64);
    }
}

/// Sets `out` to the elements starting at number `first` of the elements of `values` that `mask`
/// selects. `ends` are the running sums of [`count_blocks`]. All are vectors; `mask`, `ends` and
/// `values` are whole.
///
/// # Panics
/// Panics if the shapes or types do not fit, or fewer elements are set than `out` has room for.
pub fn pack(first: usize, mask: &Tile, ends: &Tile, values: &Tile, out: &mut Tile) {
    assert_eq!(values.dtype(), out.dtype(), "elements keep their type");
    assert_eq!(
        values.dims(),
        mask.dims(),
        "one value for each element of the mask"
    );
    with_element!(out.dtype(), T => {
        let (values, out) = (Vector::<T>::new(values), Vector::<T>::new(out));
        Selected::new(mask, ends).each(first, out.count, |rank, places| {
            for (n, &place) in places.iter().enumerate() {
                out.set(rank + n, values.get(place as usize));
            }
        });
    });
}

/// Sets `out` (`i64`) to the positions, starting at number `first`, of the set elements of `mask`.
/// Otherwise like [`pack`].
///
/// # Panics
/// Panics as [`pack`].
pub fn positions(first: usize, mask: &Tile, ends: &Tile, out: &mut Tile) {
    let out = Vector::<i64>::new(out);
    Selected::new(mask, ends).each(first, out.count, |rank, places| out.copy(rank, places));
}

/// The inverse of [`pack`]. Sets `out` to the elements starting at `first` of a vector that has the
/// elements of `values`, in order, at the places where `mask` is set, and 0 at the others.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there are fewer values than set elements.
pub fn unpack(first: usize, mask: &Tile, ends: &Tile, values: &Tile, out: &mut Tile) {
    assert_eq!(values.dtype(), out.dtype(), "elements keep their type");
    let selected = Selected::new(mask, ends);
    with_element!(out.dtype(), T => {
        let (values, out) = (Vector::<T>::new(values), Vector::<T>::new(out));
        let mut rank = selected.rank(first);
        for i in 0..out.count {
            let is_set = selected.mask.get(first + i);
            out.set(i, if is_set { values.get(rank) } else { T::ZERO });
            rank += usize::from(is_set);
        }
    });
}

/// A vector in memory.
struct Vector<T> {
    at: *mut T,
    /// The step in elements.
    step: isize,
    count: usize,
}

impl<T: Element> Vector<T> {
    fn new(tile: &Tile) -> Vector<T> {
        assert_eq!(tile.dtype(), T::DTYPE, "an operand has another type");
        let &[count] = tile.dims() else {
            unreachable!("a vector, not {:?}", tile.dims());
        };
        Vector {
            at: tile.first().cast(),
            step: tile.layout().strides[0],
            count,
        }
    }

    fn place(&self, at: usize) -> *mut T {
        assert!(at < self.count, "element {at} of {}", self.count);
        self.at.wrapping_offset(self.step * at as isize)
    }

    #[inline(always)]
    fn get(&self, at: usize) -> T {
        // SAFETY: by the promises made for the tile, which holds the element.
        unsafe { self.place(at).read() }
    }

    #[inline(always)]
    fn set(&self, at: usize, value: T) {
        // SAFETY: by the promises made for the tile, which has room for the element.
        unsafe { self.place(at).write(value) }
    }

    /// Writes values to the elements from `at` on.
    fn copy(&self, at: usize, values: &[T]) {
        if self.step != 1 {
            for (n, &value) in values.iter().enumerate() {
                self.set(at + n, value);
            }
            return;
        }
        let end = at + values.len();
        assert!(end <= self.count, "elements to {end} of {}", self.count);
        // SAFETY: by the promises made for the tile, which has room for these elements without
        // gaps. Nothing else has the values' memory.
        unsafe {
            let to = self.at.wrapping_add(at);
            std::ptr::copy_nonoverlapping(values.as_ptr(), to, values.len());
        }
    }
}

impl Vector<bool> {
    /// Returns the marks from `at` to `end`, of which there is one at least, or [`PART`] of them:
    /// bytes that are 1 where an element is true. If elements have gaps, the buffer has the marks.
    #[inline(always)]
    fn marks<'a>(&self, at: usize, end: usize, buffer: &'a mut [u8; PART]) -> &'a [u8] {
        let count = PART.min(end - at);
        assert!(at + count <= self.count, "marks of the mask");
        if self.step == 1 {
            let from = self.at.wrapping_add(at).cast::<u8>();
            // SAFETY: by the promises made for the tile, which has these elements without gaps; a
            // `bool` is 0 or 1.
            return unsafe { slice::from_raw_parts(from, count) };
        }
        let marks = &mut buffer[..count];
        for (n, mark) in marks.iter_mut().enumerate() {
            *mark = u8::from(self.get(at + n));
        }
        marks
    }
}

/// A mask and the running counts of its blocks.
struct Selected {
    mask: Vector<bool>,
    ends: Vector<i64>,
}

impl Selected {
    fn new(mask: &Tile, ends: &Tile) -> Selected {
        assert_eq!(mask.dtype(), DType::Bool, "a mask is bool");
        let (mask, ends) = (Vector::new(mask), Vector::new(ends));
        assert_eq!(
            mask.count.div_ceil(BLOCK),
            ends.count,
            "one count per block"
        );
        Selected { mask, ends }
    }

    /// Returns the number of set elements up to the end of a block.
    fn end(&self, block: usize) -> usize {
        self.ends.get(block) as usize
    }

    /// Returns the number of set elements before a block.
    fn start(&self, block: usize) -> usize {
        block.checked_sub(1).map_or(0, |before| self.end(before))
    }

    /// Returns the number of set elements before element `at`.
    fn rank(&self, at: usize) -> usize {
        let block = at / BLOCK;
        let before = (block * BLOCK..at).filter(|&at| self.mask.get(at)).count();
        // A mask without elements has no blocks.
        if self.ends.count == 0 {
            return 0;
        }
        self.start(block) + before
    }

    /// Calls `body(i, places)` with the places of `count` set elements starting at number `first`,
    /// some at a time. `i` is the number of places in earlier calls.
    #[inline(always)]
    fn each(&self, first: usize, count: usize, mut body: impl FnMut(usize, &[i64])) {
        if count == 0 {
            return;
        }
        let (mut low, mut high) = (0, self.ends.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.end(middle) <= first {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut rank = self.start(low);
        let (mut buffer, mut places) = ([0; PART], [0; PART + whole::GROUP]);
        for block in low..self.ends.count {
            if self.end(block) == rank {
                continue;
            }
            let (mut at, end) = (block * BLOCK, self.mask.count.min((block + 1) * BLOCK));
            while at < end {
                let marks = self.mask.marks(at, end, &mut buffer);
                let picked = whole::pick(marks, at as i64, &mut places);
                // Those before the first, and those behind the last, belong to other tiles.
                let skipped = first.saturating_sub(rank).min(picked);
                let kept = picked.min((first + count).saturating_sub(rank));
                if skipped < kept {
                    body(rank + skipped - first, &places[skipped..kept]);
                }
                rank += picked;
                if rank >= first + count {
                    return;
                }
                at += marks.len();
            }
        }
        // Otherwise elements of the output would keep their old values.
        unreachable!("the mask is not the one that was counted");
    }
}
