//! Many short lines, sorted together by a network: a vector has words of as many lines, so that no
//! branch depends on them.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::for_each_line;
use super::line::convert;
use super::order::Digits;
use super::word::Word;
use crate::Tile;
use crate::part::Part;
use crate::simd::{Vectorised, vectorised};

/// The most elements of a short line.
const MOST: usize = 64;

/// The number of lines that are sorted together.
const LINES: usize = 16;

/// Word `e` of each line in row `e`.
type Rows<W> = [[W; LINES]; MOST];

/// Whether the lines of a tile are short, and enough to fill vectors.
pub(super) fn is_short(count: usize, input: &Tile) -> bool {
    (2..=MOST).contains(&count) && input.layout().shape.len() / count >= LINES / 2
}

/// Sorts lines of `count` elements, which [are short](is_short), along dimension `axis`.
pub(super) fn sort<T: Digits>(axis: usize, count: usize, input: &Tile, out: &Tile) {
    let steps = [input.byte_stride(axis), out.byte_stride(axis)];
    let pairs = pairs(count);
    let mut rows: Rows<T::Word> = [[T::Word::narrow(0); LINES]; MOST];
    for_each_group(axis, input, out, &mut |[from, to]| {
        // SAFETY: by the promises made for the tiles, the lines have `count` elements.
        unsafe {
            read(from, steps[0], &mut rows[..count], |element: T| {
                T::word(element.key())
            });
        }
        vectorised(Sort {
            rows: &mut rows,
            pairs: &pairs,
        });
        // SAFETY: as above.
        unsafe {
            write(&rows[..count], to, steps[1], |word| {
                T::from_key(T::key_of(word))
            });
        }
    });
}

/// Sets `out` to the numbers of the elements of lines in sorted order. Otherwise as [`sort`].
pub(super) fn argsort<T: Digits>(axis: usize, count: usize, input: &Tile, out: &Tile) {
    let steps = [input.byte_stride(axis), out.byte_stride(axis)];
    let pairs = pairs(count);
    let mut rows: Rows<T::Word> = [[T::Word::narrow(0); LINES]; MOST];
    let mut numbers = rows;
    for_each_group(axis, input, out, &mut |[from, to]| {
        // SAFETY: by the promises made for the tiles, the lines have `count` elements.
        unsafe {
            read(from, steps[0], &mut rows[..count], |element: T| {
                T::word(element.rank())
            });
        }
        for (number, row) in numbers[..count].iter_mut().enumerate() {
            *row = [T::Word::narrow(number as u64); LINES];
        }
        vectorised(Order {
            rows: &mut rows,
            numbers: &mut numbers,
            pairs: &pairs,
        });
        // SAFETY: as above.
        unsafe { write(&numbers[..count], to, steps[1], |number| number.wide()) };
    });
}

/// Calls `body` with the first elements of up to [`LINES`] lines in input and output.
fn for_each_group(axis: usize, input: &Tile, out: &Tile, body: &mut dyn FnMut([&[*mut u8]; 2])) {
    let mut group = [[std::ptr::null_mut(); LINES]; 2];
    let mut lines = 0;
    for_each_line([&input.without(axis), &out.without(axis)], &mut |[
        from,
        to,
    ]| {
        (group[0][lines], group[1][lines]) = (from, to);
        lines += 1;
        if lines == LINES {
            body([&group[0], &group[1]]);
            lines = 0;
        }
    });
    if lines > 0 {
        body([&group[0][..lines], &group[1][..lines]]);
    }
}

/// Whether the addresses are `step` bytes apart.
fn are_apart(lines: &[*mut u8], step: usize) -> bool {
    let apart = |pair: &[*mut u8]| pair[1] == pair[0].wrapping_add(step);
    lines.windows(2).all(apart)
}

/// Sets row `e` to what `word` makes of element `e` of each line.
///
/// # Safety
/// Each line has as many elements of type `T` as there are rows, `step` bytes apart.
#[inline(always)]
unsafe fn read<T: Copy, W: Word>(
    lines: &[*mut u8],
    step: isize,
    rows: &mut [[W; LINES]],
    word: impl Fn(T) -> W + Copy,
) {
    let (size, width, count) = (size_of::<T>(), size_of::<W>() as isize, rows.len());
    if are_apart(lines, size) {
        for (at, row) in rows.iter_mut().enumerate() {
            let from = lines[0].wrapping_offset(step * at as isize).cast_const();
            let to = (row.as_mut_ptr().cast(), width);
            // SAFETY: the caller's promise: the lines' elements are next to each other.
            unsafe { convert((from, size as isize), to, lines.len(), word) };
        }
        return;
    }
    let mut words = [W::narrow(0); LINES * MOST];
    let is_whole = step == size as isize && are_apart(lines, size * count);
    let parts = if is_whole { &lines[..1] } else { lines };
    let of_part = if is_whole { lines.len() * count } else { count };
    for (line, words) in parts.iter().zip(words.chunks_exact_mut(of_part)) {
        let to = (words.as_mut_ptr().cast(), width);
        // SAFETY: the caller's promise: the elements of a line, or of all.
        unsafe { convert((line.cast_const(), step), to, of_part, word) };
    }
    for (at, row) in rows.iter_mut().enumerate() {
        for (line, place) in row.iter_mut().enumerate() {
            *place = words[line * count + at];
        }
    }
}

/// Sets element `e` of each line to what `make` makes of row `e`.
///
/// # Safety
/// Each line has room for as many elements of type `T` as there are rows, `step` bytes apart.
#[inline(always)]
unsafe fn write<T: Copy, W: Word>(
    rows: &[[W; LINES]],
    lines: &[*mut u8],
    step: isize,
    make: impl Fn(W) -> T + Copy,
) {
    let (size, width, count) = (size_of::<T>(), size_of::<W>() as isize, rows.len());
    if are_apart(lines, size) {
        for (at, row) in rows.iter().enumerate() {
            let to = lines[0].wrapping_offset(step * at as isize);
            let from = (row.as_ptr().cast(), width);
            // SAFETY: the caller's promise: the lines' elements are next to each other.
            unsafe { convert(from, (to, size as isize), lines.len(), make) };
        }
        return;
    }
    let mut words = [W::narrow(0); LINES * MOST];
    for (at, row) in rows.iter().enumerate() {
        for (line, word) in row.iter().enumerate() {
            words[line * count + at] = *word;
        }
    }
    let is_whole = step == size as isize && are_apart(lines, size * count);
    let parts = if is_whole { &lines[..1] } else { lines };
    let of_part = if is_whole { lines.len() * count } else { count };
    for (line, words) in parts.iter().zip(words.chunks_exact(of_part)) {
        let from = (words.as_ptr().cast(), width);
        // SAFETY: the caller's promise: room for the elements of a line, or of all.
        unsafe { convert(from, (*line, step), of_part, make) };
    }
}

/// Returns the pairs that a network for `count` words orders (Batcher's merge exchange; Knuth: The
/// Art of Computer Programming, volume 3, 5.2.2, algorithm M).
fn pairs(count: usize) -> Vec<[u8; 2]> {
    let mut pairs = Vec::new();
    let top = count.next_power_of_two() / 2;
    let mut width = top;
    while width > 0 {
        let (mut from, mut apart, mut within) = (top, width, 0);
        loop {
            for at in (0..count - apart).filter(|at| at & width == within) {
                pairs.push([at as u8, (at + apart) as u8]);
            }
            if from == width {
                break;
            }
            (apart, within) = (from - width, width);
            from /= 2;
        }
        width /= 2;
    }
    pairs
}

/// Sorts lines.
struct Sort<'a, W> {
    rows: &'a mut Rows<W>,
    pairs: &'a [[u8; 2]],
}

impl<W: Word> Vectorised for Sort<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for pair in self.pairs {
            let [a, b] = pair.map(|row| usize::from(row) % MOST);
            let (x, y) = (self.rows[a], self.rows[b]);
            let (mut low, mut high) = (x, y);
            let mut line = 0;
            while line < LINES {
                low[line] = x[line].min(y[line]);
                high[line] = x[line].max(y[line]);
                line += 1;
            }
            (self.rows[a], self.rows[b]) = (low, high);
        }
    }
}

/// Sorts lines with the numbers of their words. Equal words are in the order of their numbers.
struct Order<'a, W> {
    rows: &'a mut Rows<W>,
    numbers: &'a mut Rows<W>,
    pairs: &'a [[u8; 2]],
}

impl<W: Word> Vectorised for Order<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for pair in self.pairs {
            let [a, b] = pair.map(|row| usize::from(row) % MOST);
            let (x, y) = (self.rows[a], self.rows[b]);
            let (m, n) = (self.numbers[a], self.numbers[b]);
            let mut line = 0;
            while line < LINES {
                let is_less = x[line] < y[line];
                let is_first = is_less | ((x[line] == y[line]) & (m[line] < n[line]));
                self.rows[a][line] = if is_first { x[line] } else { y[line] };
                self.rows[b][line] = if is_first { y[line] } else { x[line] };
                self.numbers[a][line] = if is_first { m[line] } else { n[line] };
                self.numbers[b][line] = if is_first { n[line] } else { m[line] };
                line += 1;
            }
        }
    }
}
