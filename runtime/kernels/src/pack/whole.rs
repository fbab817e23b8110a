//! Whole masks of any dtype and memory order, which one thread counts and packs without running
//! counts.
//!
//! A mask is read in parts of [`PART`] marks, bytes that are 1 where an element is not 0. The loops
//! write at every mark and advance by the mark, so that no branch depends on the mask's values.

use crate::Tile;
use crate::dtype::{DType, Element, with_unsigned_element};
use crate::elementwise::with_word;
use crate::shape::{Layout, MAX_DIMS};
use crate::simd::{Vectorised, vectorised};

/// Elements of a mask that are read together.
pub(crate) const PART: usize = 512;

/// Marks that are skipped together where none is set.
pub(crate) const GROUP: usize = 8;

/// The number of elements that are not 0, of any dtype.
pub fn count_set(mask: &Tile) -> usize {
    let (lines, mut buffer, mut count) = (Lines::new([mask]), [0; PART], 0);
    lines.each(&mut |_, [at]| {
        lines.each_part(at, &mut buffer, &mut |_, marks| count += sum(marks));
    });
    count
}

/// `out[axis][n]` (`i64`) = the index along `axis` of the `n`-th element of `mask` that is not 0,
/// in row-major order.
///
/// # Panics
/// Panics if `out` is not `i64`, or does not have one row for each axis and one column for each
/// such element.
pub fn indices(mask: &Tile, out: &mut Tile) {
    assert_eq!(out.dtype(), DType::I64, "indices are i64");
    let &[rows, columns] = out.dims() else {
        unreachable!("a row for each axis, not {:?}", out.dims());
    };
    assert_eq!(rows, mask.dims().len(), "a row for each axis");
    let (row, step) = (out.byte_stride(0), out.byte_stride(1));
    let (mut buffer, mut places, mut rank) = ([0; PART], [0; PART + GROUP], 0);
    // Every axis has indices of its own.
    let lines = Lines::apart([mask]);
    lines.each(&mut |outer, [at]| {
        lines.each_part(at, &mut buffer, &mut |start, marks| {
            let picked = pick(marks, start as i64, &mut places);
            assert!(rank + picked <= columns, "a column for each element");
            let to = out.first().wrapping_offset(step * rank as isize);
            for (axis, index) in outer.iter().enumerate() {
                let to = to.wrapping_offset(row * axis as isize);
                // SAFETY: `out` has the row of each axis and these columns, by the assertions.
                unsafe { write_each(to, step, picked, |_| *index as i64) };
            }
            let to = to.wrapping_offset(row * outer.len() as isize);
            // SAFETY: as above, for the row of the last axis.
            unsafe { write_each(to, step, picked, |n| places[n]) };
            rank += picked;
        });
    });
    assert_eq!(rank, columns, "the mask is not the one that was counted");
}

/// `out` = the elements of `values` where `mask`, which has their shape, is not 0, in row-major
/// order.
///
/// # Panics
/// Panics if the shapes or types do not fit, or `out` is not a vector without gaps that has a place
/// for each.
pub fn select(mask: &Tile, values: &Tile, out: &mut Tile) {
    assert_eq!(values.dtype(), out.dtype(), "elements keep their type");
    assert_eq!(values.dims(), mask.dims(), "a value for each element");
    let &[count] = out.dims() else {
        unreachable!("a vector, not {:?}", out.dims());
    };
    assert!(count < 2 || out.layout().strides[0] == 1, "without gaps");
    let lines = Lines::new([mask, values]);
    let (mut buffer, mut rank, step) = ([0; PART], 0, lines.steps[1]);
    with_word!(out.dtype(), W => {
        let room: &mut [W] = match count {
            0 => &mut [],
            // SAFETY: by the promises made for the tile, a vector of `count` elements without gaps.
            _ => unsafe { std::slice::from_raw_parts_mut(out.first().cast::<W>(), count) },
        };
        lines.each(&mut |_, [at, from]| {
            lines.each_part(at, &mut buffer, &mut |start, marks| {
                let room = &mut room[rank..];
                rank += match step == size_of::<W>() as isize {
                    // The code is faster if the distance is known. SAFETY: by the promises made for
                    // the tile, whose line has an element for each mark.
                    true => pack(marks, room, |n| unsafe { from.cast::<W>().wrapping_add(start + n).read() }),
                    // SAFETY: as above.
                    false => pack(marks, room, |n| unsafe {
                        from.wrapping_offset(step * (start + n) as isize).cast::<W>().read()
                    }),
                };
            });
        });
    });
    assert_eq!(rank, count, "the mask is not the one that was counted");
}

/// Writes the elements of the vector `values`, one after the other and again from the first, to
/// `out` where `mask`, which has its shape, is not 0, in row-major order.
///
/// # Panics
/// Panics if the shapes or types do not fit, or there are no values.
pub fn place(mask: &Tile, values: &Tile, out: &mut Tile) {
    assert_eq!(values.dtype(), out.dtype(), "elements keep their type");
    assert_eq!(out.dims(), mask.dims(), "a place for each element");
    let &[count] = values.dims() else {
        unreachable!("a vector, not {:?}", values.dims());
    };
    assert!(count > 0, "there are values");
    let lines = Lines::new([mask, &*out]);
    let (mut buffer, mut places, mut next) = ([0; PART], [0; PART + GROUP], 0);
    let (step, given) = (lines.steps[1], values.byte_stride(0));
    with_word!(out.dtype(), W => {
        lines.each(&mut |_, [at, to]| {
            lines.each_part(at, &mut buffer, &mut |start, marks| {
                let picked = pick(marks, start as i64, &mut places);
                for place in &places[..picked] {
                    let value = values.first().wrapping_offset(given * next as isize).cast::<W>();
                    let to = to.wrapping_offset(step * *place as isize).cast::<W>();
                    // SAFETY: by the promises made for the tiles: `next` is below `count`, and the
                    // place is one of the line's.
                    unsafe { to.write(value.read()) };
                    next = if next + 1 == count { 0 } else { next + 1 };
                }
            });
        });
    });
}

/// Lines of a mask and of tiles of its shape, in row-major order.
pub(super) struct Lines<'a, const N: usize> {
    tiles: [&'a Tile<'a>; N],
    /// The axes but the last one: each of their indices names a line.
    outer: &'a [usize],
    /// Elements of a line.
    count: usize,
    /// Their distance in each tile, in bytes.
    steps: [isize; N],
}

impl<'a, const N: usize> Lines<'a, N> {
    /// The lines along the last axis, or one of all elements where these lie one after the other.
    fn new(tiles: [&'a Tile<'a>; N]) -> Lines<'a, N> {
        let shape = tiles[0].layout().shape;
        let joined = Layout::contiguous(shape);
        let mut lines = Lines::apart(tiles);
        if tiles
            .iter()
            .all(|tile| tile.layout().strides == joined.strides)
        {
            lines.outer = &[];
            lines.count = shape.len();
            lines.steps = tiles.map(|tile| tile.dtype().size() as isize);
        }
        lines
    }

    /// The lines along the last axis.
    pub(super) fn apart(tiles: [&'a Tile<'a>; N]) -> Lines<'a, N> {
        let (count, outer) = match tiles[0].dims().split_last() {
            Some((count, outer)) => (*count, outer),
            None => (1, tiles[0].dims()),
        };
        let step = |tile: &Tile| match outer.len() < tile.dims().len() {
            true => tile.byte_stride(outer.len()),
            false => 0,
        };
        Lines {
            tiles,
            outer,
            count,
            steps: tiles.map(step),
        }
    }

    /// Calls `body` with the indices of each line and the address of its first element in each
    /// tile.
    pub(super) fn each(&self, body: &mut dyn FnMut(&[usize], [*mut u8; N])) {
        if self.count == 0 || self.outer.contains(&0) {
            return;
        }
        let mut index = [0; MAX_DIMS];
        loop {
            let index = &mut index[..self.outer.len()];
            let at = self.tiles.map(|tile| {
                let steps = index.iter().enumerate();
                let moved = steps.map(|(axis, at)| tile.byte_stride(axis) * *at as isize);
                tile.first().wrapping_offset(moved.sum())
            });
            body(index, at);
            let Some(axis) = (0..index.len()).rfind(|axis| index[*axis] + 1 < self.outer[*axis])
            else {
                return;
            };
            index[axis] += 1;
            index[axis + 1..].fill(0);
        }
    }

    /// Calls `body` with the marks of the mask's line that begins at `at`, part by part, each with
    /// the number of its first.
    #[inline(always)]
    pub(super) fn each_part(
        &self,
        at: *mut u8,
        buffer: &mut [u8; PART],
        body: &mut impl FnMut(usize, &[u8]),
    ) {
        let (dtype, step) = (self.tiles[0].dtype(), self.steps[0]);
        for start in (0..self.count).step_by(PART) {
            let count = PART.min(self.count - start);
            let from = at.wrapping_offset(step * start as isize);
            if dtype.is_bool() && step == 1 {
                // SAFETY: by the promises made for the tile, whose line has these elements; a
                // `bool` is 0 or 1.
                body(start, unsafe { std::slice::from_raw_parts(from, count) });
                continue;
            }
            let marks = &mut buffer[..count];
            with_unsigned_element!(dtype, T => match step == size_of::<T>() as isize {
                // SAFETY: by the promises made for the tile, whose line has these elements.
                true => mark(marks, |n| unsafe { from.cast::<T>().wrapping_add(n).read() }),
                // SAFETY: as above.
                false => mark(marks, |n| unsafe { from.wrapping_offset(step * n as isize).cast::<T>().read() }),
            });
            body(start, marks);
        }
    }
}

#[inline(always)]
fn mark<T: Element>(marks: &mut [u8], element: impl Fn(usize) -> T) {
    for (n, mark) in marks.iter_mut().enumerate() {
        *mark = u8::from(element(n) != T::ZERO);
    }
}

/// The number of marks that are 1.
pub(crate) fn sum(marks: &[u8]) -> usize {
    let (groups, rest) = marks.as_chunks::<GROUP>();
    // Each byte of a word has room for the marks of 255 words.
    let words = groups.chunks(255).map(|groups| {
        let bytes = groups
            .iter()
            .map(|group| u64::from_ne_bytes(*group))
            .sum::<u64>();
        let pairs = (bytes & 0x00FF_00FF_00FF_00FF) + (bytes >> 8 & 0x00FF_00FF_00FF_00FF);
        (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
    });
    let rest = rest.iter().map(|mark| usize::from(*mark)).sum::<usize>();
    words.sum::<usize>() + rest
}

/// Writes `first` plus the number of each mark that is set, one after the other, and returns their
/// number.
///
/// # Panics
/// Panics if there are more than [`PART`] marks.
pub(crate) fn pick(marks: &[u8], first: i64, places: &mut [i64; PART + GROUP]) -> usize {
    assert!(marks.len() <= PART, "a part at most");
    vectorised(Picking {
        marks,
        first,
        places,
    })
}

/// Implements [`pick`]: a table has the numbers of a group's set marks.
struct Picking<'a> {
    marks: &'a [u8],
    first: i64,
    places: &'a mut [i64; PART + GROUP],
}

/// The numbers of the bits that are set in each byte, starting at the lowest, padded with 0.
static SET_BITS: [[u8; GROUP]; 256] = {
    let (mut all, mut byte) = ([[0; GROUP]; 256], 0);
    while byte < all.len() {
        let (mut bit, mut rank) = (0, 0);
        while bit < GROUP {
            if byte >> bit & 1 == 1 {
                all[byte][rank] = bit as u8;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    all
};

impl Vectorised for Picking<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let (groups, rest) = self.marks.as_chunks::<GROUP>();
        let (mut rank, mut first) = (0, self.first);
        for group in groups {
            let word = u64::from_le_bytes(*group);
            // Each product of a mark and a bit of the factor has a place of its own, so nothing is
            // carried. The highest byte has mark `n` at bit `n`.
            let byte = word.wrapping_mul(0x0102_0408_1020_4080) >> 56;
            let numbers = SET_BITS[byte as usize];
            // The rank is at most `PART`, so there is room for a group.
            if let Some(room) = self.places[rank..].first_chunk_mut::<GROUP>() {
                let mut n = 0;
                while n < GROUP {
                    room[n] = first + i64::from(numbers[n]);
                    n += 1;
                }
            }
            rank += (word.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize;
            first += GROUP as i64;
        }
        for (n, mark) in rest.iter().enumerate() {
            self.places[rank] = first + n as i64;
            rank += usize::from(*mark);
        }
        rank
    }
}

/// Writes `value(n)` for each mark `n` that is set, one after the other, and returns their number.
///
/// # Panics
/// Panics if there are more of them than `room`.
#[inline(always)]
pub(crate) fn pack<W: Copy>(marks: &[u8], room: &mut [W], value: impl Fn(usize) -> W) -> usize {
    let (groups, rest) = marks.as_chunks::<GROUP>();
    let mut rank = 0;
    for (number, group) in groups.iter().enumerate() {
        let bits = u64::from_ne_bytes(*group);
        let first = number * GROUP;
        if bits == 0 {
            continue;
        }
        if let Some(room) = room[rank..].first_chunk_mut::<GROUP>() {
            if bits == 0x0101_0101_0101_0101 {
                for (n, place) in room.iter_mut().enumerate() {
                    *place = value(first + n);
                }
                rank += GROUP;
                continue;
            }
            let mut within = 0;
            for (n, mark) in group.iter().enumerate() {
                room[within % GROUP] = value(first + n);
                within += usize::from(*mark);
            }
            rank += within;
            continue;
        }
        for (n, mark) in group.iter().enumerate() {
            if *mark != 0 {
                room[rank] = value(first + n);
                rank += 1;
            }
        }
    }
    for (n, mark) in rest.iter().enumerate() {
        if *mark != 0 {
            room[rank] = value(groups.len() * GROUP + n);
            rank += 1;
        }
    }
    rank
}

/// Writes `value(n)` to `count` places, `step` bytes apart starting at `to`.
///
/// # Safety
/// The places exist, hold elements of type `i64`, and nothing else uses them.
#[inline(always)]
unsafe fn write_each(to: *mut u8, step: isize, count: usize, value: impl Fn(usize) -> i64) {
    if step == size_of::<i64>() as isize {
        for n in 0..count {
            // SAFETY: the caller's promise.
            unsafe { to.cast::<i64>().wrapping_add(n).write(value(n)) };
        }
        return;
    }
    for n in 0..count {
        let to = to.wrapping_offset(step * n as isize).cast::<i64>();
        // SAFETY: the caller's promise.
        unsafe { to.write(value(n)) };
    }
}
