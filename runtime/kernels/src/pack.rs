//! What a mask selects, one after the other.
//!
//! Where a selected element goes depends on how many are selected before it. So these are counted first, by blocks of
//! [`BLOCK`] elements, and the running counts are an operand: with them any part of the output is found by bisection, and
//! tiles of the output may be cut anywhere.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::Tile;
use crate::dtype::{DType, Element, with_element};

/// Elements of a mask that are counted together.
pub const BLOCK: usize = 4096;

/// `counts[b]` (`i64`) = how many elements of block `b` of `mask` are set. Both are vectors; the last block may be shorter.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn count_blocks(mask: &Tile, counts: &mut Tile) {
    let (mask, counts) = (Vector::<bool>::new(mask), Vector::<i64>::new(counts));
    assert_eq!(
        mask.count.div_ceil(BLOCK),
        counts.count,
        "one count a block"
    );
    for block in 0..counts.count {
        let elements = block * BLOCK..mask.count.min((block + 1) * BLOCK);
        let set = elements.filter(|&at| mask.get(at)).count();
        counts.set(block, set as i64);
    }
}

/// `out` = elements `first` and on of those elements of `values` at whose places `mask` is set, where `ends` are the
/// running sums of [`count_blocks`]. All are vectors; `mask`, `ends` and `values` are whole.
///
/// # Panics
/// If the shapes or types do not fit, or fewer elements are set than `out` has room for.
pub fn pack(first: usize, mask: &Tile, ends: &Tile, values: &Tile, out: &mut Tile) {
    assert_eq!(values.dtype(), out.dtype(), "elements keep their type");
    assert_eq!(
        values.dims(),
        mask.dims(),
        "one value for each element of the mask"
    );
    with_element!(out.dtype(), T => {
        let (values, out) = (Vector::<T>::new(values), Vector::<T>::new(out));
        Selected::new(mask, ends).each(first, out.count, |rank, at| out.set(rank, values.get(at)));
    });
}

/// `out` (`i64`) = elements `first` and on of the numbers of those elements of `mask` that are set. As [`pack`].
///
/// # Panics
/// As [`pack`].
pub fn positions(first: usize, mask: &Tile, ends: &Tile, out: &mut Tile) {
    let out = Vector::<i64>::new(out);
    Selected::new(mask, ends).each(first, out.count, |rank, at| out.set(rank, at as i64));
}

/// The reverse of [`pack`]: `out` = elements `first` and on of a vector with the elements of `values`, one after the
/// other, at the places where `mask` is set, and 0 at the others.
///
/// # Panics
/// If the shapes or types do not fit, or there are fewer values than set elements.
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
    /// In elements.
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
        assert_eq!(mask.count.div_ceil(BLOCK), ends.count, "one count a block");
        Selected { mask, ends }
    }

    /// How many are set in the blocks up to and with this one.
    fn end(&self, block: usize) -> usize {
        self.ends.get(block) as usize
    }

    /// How many are set in the blocks before this one.
    fn start(&self, block: usize) -> usize {
        block.checked_sub(1).map_or(0, |before| self.end(before))
    }

    /// How many are set before element `at`.
    fn rank(&self, at: usize) -> usize {
        let block = at / BLOCK;
        let before = (block * BLOCK..at).filter(|&at| self.mask.get(at)).count();
        // A mask without elements has no blocks.
        if self.ends.count == 0 {
            return 0;
        }
        self.start(block) + before
    }

    /// Calls `body(i, at)` for `count` set elements from number `first` on, where `i` counts from 0 and `at` is the
    /// place of the element.
    ///
    /// A body may be called more than once with one `i`; the last call counts.
    #[inline(always)]
    fn each(&self, first: usize, count: usize, mut body: impl FnMut(usize, usize)) {
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
        for block in low..self.ends.count {
            if self.end(block) == rank {
                continue;
            }
            let elements = block * BLOCK..self.mask.count.min((block + 1) * BLOCK);
            for at in elements {
                if rank == first + count {
                    return;
                }
                // Where the mask is not set, the next call overwrites this one: nothing hangs on the mask but a sum.
                if rank >= first {
                    body(rank - first, at);
                }
                rank += usize::from(self.mask.get(at));
            }
        }
        // Else elements of the output would stay as they were.
        assert_eq!(
            rank,
            first + count,
            "the mask is not the one that was counted"
        );
    }
}
