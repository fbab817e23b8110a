//! Quicksort and quickselect of words in vectors.
//!
//! A split reads eight words at a time. One permutation moves those less than the pivot to the
//! front. All eight are written twice: to the front of the room and to its end. Later writes
//! replace what does not belong there. The method is that of vqsort (Blacher, Giesen, Kühne: Fast
//! and Robust Vectorized In-Place Sorting of Primitive Types, SEA 2021).

#![allow(
    unsafe_code,
    reason = "reads and writes words of a slice in vectors; a split counts where it may write"
)]

use super::network::sort_rows;
use super::unit::{Body, EIGHT, Lanes, Unit};
use crate::sort::sample::Places;

/// The number of groups of eight words that are read together.
const GROUPS: usize = 4;

/// The number of words from which on more than nine are compared for a pivot.
const MANY: usize = 1024;

/// The number of words read together.
const BLOCK: usize = GROUPS * EIGHT;

/// Sorts words.
pub(super) fn sort<W: Lanes>(unit: Unit, words: &mut [W]) {
    let depth = 2 * (usize::BITS - words.len().leading_zeros());
    unit.run(Sort(words, depth));
}

struct Sort<'a, W>(&'a mut [W], u32);

impl<W: Lanes> Body for Sort<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self, unit: Unit) {
        let Sort(mut words, mut depth) = self;
        while words.len() > 16 * W::LANES {
            // After many poor pivots the standard library goes on, whose time is bounded.
            if depth == 0 {
                return words.sort_unstable();
            }
            depth -= 1;
            let pivot = pivot(unit, words, 1, 2);
            let count = split(unit, words, pivot);
            if count > 0 {
                unit.run(Sort(&mut words[..count], depth));
            }
            let mut rest = &mut words[count..];
            if count == 0 {
                rest = behind(unit, rest, pivot);
            }
            words = rest;
        }
        sort_few(unit, words);
    }
}

/// Puts the words equal to `least`, the smallest, first. Returns the others.
#[inline(always)]
fn behind<W: Lanes>(unit: Unit, words: &mut [W], least: W) -> &mut [W] {
    let count = match least == W::LAST {
        true => words.len(),
        false => split(unit, words, W::narrow(least.wide() + 1)),
    };
    &mut words[count..]
}

/// Moves words so that the one at `place` is that of sorted order, with no larger one before it and
/// no smaller one behind it.
pub(super) fn select<W: Lanes>(unit: Unit, words: &mut [W], place: usize) {
    unit.run(Select(words, place));
}

struct Select<'a, W>(&'a mut [W], usize);

impl<W: Lanes> Body for Select<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self, unit: Unit) {
        let Select(mut words, mut place) = self;
        let mut depth = 2 * (usize::BITS - words.len().leading_zeros());
        while words.len() > 16 * W::LANES {
            if depth == 0 {
                words.select_nth_unstable(place);
                return;
            }
            depth -= 1;
            let pivot = pivot(unit, words, place, words.len());
            let count = split(unit, words, pivot);
            if place < count {
                words = &mut words[..count];
                continue;
            }
            let mut skipped = count;
            let all = words.len();
            words = &mut words[count..];
            if count == 0 {
                words = behind(unit, words, pivot);
                skipped = all - words.len();
                if place < skipped {
                    return;
                }
            }
            place -= skipped;
        }
        sort_few(unit, words);
    }
}

/// Sorts words of at most 16 rows.
#[inline(always)]
fn sort_few<W: Lanes>(unit: Unit, words: &mut [W]) {
    let (at, count) = (words.as_mut_ptr(), words.len());
    // SAFETY: the words of the slice.
    unsafe {
        match count.div_ceil(W::LANES) {
            0..=2 => rows::<W, 2>(unit, at, count),
            3..=4 => rows::<W, 4>(unit, at, count),
            5..=8 => rows::<W, 8>(unit, at, count),
            _ => rows::<W, 16>(unit, at, count),
        }
    }
}

/// Does [`sort_rows`], in a function of its own.
///
/// # Safety
/// As for that.
#[inline(always)]
unsafe fn rows<W: Lanes, const ROWS: usize>(unit: Unit, at: *mut W, count: usize) {
    unit.run(Rows::<W, ROWS>(at, count));
}

struct Rows<W, const ROWS: usize>(*mut W, usize);

impl<W: Lanes, const ROWS: usize> Body for Rows<W, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run(self, unit: Unit) {
        // SAFETY: by the promise of `rows`.
        unsafe { sort_rows::<W, ROWS>(unit, self.0, self.1) }
    }
}

/// Returns a word near `part / whole` of the sorted ones.
#[inline(always)]
fn pivot<W: Lanes>(unit: Unit, words: &[W], part: usize, whole: usize) -> W {
    let mut places = Places::new(words.len());
    let mut draw = || words[places.draw()];
    if words.len() < MANY && part * 2 == whole {
        let mut three = || middle([draw(), draw(), draw()]);
        return middle([three(), three(), three()]);
    }
    let mut sample = [W::LAST; 128];
    let count = match words.len() {
        0..8192 => 32,
        8192..65536 => 64,
        _ => 128,
    };
    for taken in &mut sample[..count] {
        *taken = draw();
    }
    sort_few(unit, &mut sample[..count]);
    sample[(part as u128 * count as u128 / whole as u128) as usize]
}

/// Returns the middle one of three words.
#[inline(always)]
fn middle<W: Ord + Copy>([a, b, c]: [W; 3]) -> W {
    a.min(b).max(a.max(b).min(c))
}

/// The room of a split, between the words that were moved to both ends.
struct Room<W> {
    /// The first place that is free.
    start: *mut W,
    /// One past the last place that is free.
    end: *mut W,
}

impl<W: Lanes> Room<W> {
    /// Writes eight words to both ends.
    ///
    /// # Safety
    /// At least eight places are free at each end.
    #[inline(always)]
    unsafe fn put(&mut self, unit: Unit, eight: W::Eight, pivot: W::Eight) {
        let less = W::less(unit, eight, pivot);
        let moved = W::front(unit, eight, less);
        let count = less.count_ones() as usize;
        // SAFETY: the caller's promise.
        unsafe {
            W::store_eight(unit, self.start, moved);
            W::store_eight(unit, self.end.sub(EIGHT), moved);
            self.start = self.start.add(count);
            self.end = self.end.sub(EIGHT - count);
        }
    }

    /// Writes the first `of` of eight words to the ends where they belong.
    ///
    /// # Safety
    /// As many places are free.
    #[inline(always)]
    unsafe fn put_last(&mut self, unit: Unit, eight: W::Eight, pivot: W::Eight, of: usize) {
        let taken = ((1_u32 << of) - 1) as u8;
        let less = W::less(unit, eight, pivot) & taken;
        let moved = W::front(unit, eight, less);
        let count = less.count_ones() as usize;
        let first = ((1_u32 << count) - 1) as u8;
        // SAFETY: the caller's promise: `count` places from the start on, and `of - count` before
        // the end. Words not taken come after those.
        unsafe {
            W::store_some(unit, self.start, first, moved);
            W::store_some(unit, self.end.wrapping_sub(of), taken & !first, moved);
            self.start = self.start.add(count);
            self.end = self.end.sub(of - count);
        }
    }
}

/// Moves the words less than the pivot to the front. Returns their number. There are at least three
/// blocks.
#[inline(always)]
fn split<W: Lanes>(unit: Unit, words: &mut [W], pivot: W) -> usize {
    assert!(
        words.len() >= 3 * BLOCK,
        "blocks at both ends and one ahead"
    );
    let pivot = W::eight_of(unit, pivot);
    let first = words.as_mut_ptr();
    let block = |at: *mut W| -> [W::Eight; GROUPS] {
        // SAFETY: below, a block is read where all its words are those of the slice.
        std::array::from_fn(|group| unsafe { W::load_eight(unit, at.add(group * EIGHT)) })
    };
    // SAFETY: words not yet read lie from `left` to `right`. Places are free from the room's start
    // to `left`, and from `right` to its end: as many as words that were read and not written. Two
    // blocks are kept to the end, and one is read ahead, so three blocks are free before the next
    // is read. That is read from the side with less room, which then has at least one block; the
    // other side has at least one and a half. So the block ahead has room at both ends.
    unsafe {
        let mut room = Room {
            start: first,
            end: first.add(words.len()),
        };
        let (mut left, mut right) = (first.add(2 * BLOCK), room.end.sub(BLOCK));
        let kept = [block(first), block(right)];
        let mut ahead = block(first.add(BLOCK));
        while right.offset_from_unsigned(left) >= BLOCK {
            let is_left =
                left.offset_from_unsigned(room.start) <= room.end.offset_from_unsigned(right);
            let before = right.sub(BLOCK);
            let from = if is_left { left } else { before };
            left = if is_left { left.add(BLOCK) } else { left };
            right = if is_left { right } else { before };
            let next = block(from);
            for eight in ahead {
                room.put(unit, eight, pivot);
            }
            ahead = next;
        }
        // Fewer words than a block are left. They are read before anything is written.
        let left_over = right.offset_from_unsigned(left);
        let mut rest = [W::eight_of(unit, W::LAST); GROUPS];
        for (group, eight) in rest.iter_mut().enumerate() {
            let of = left_over.saturating_sub(group * EIGHT).min(EIGHT);
            let lanes = ((1_u32 << of) - 1) as u8;
            *eight = W::load_some(unit, left.wrapping_add(group * EIGHT), lanes);
        }
        // All of the room is free: at least 16 places while these are written, so that what is put
        // at one end does not reach words at the other.
        for eight in ahead.into_iter().chain(kept[0]) {
            room.put(unit, eight, pivot);
        }
        for eight in kept[1] {
            room.put_last(unit, eight, pivot, EIGHT);
        }
        for (group, eight) in rest.into_iter().enumerate() {
            let of = left_over.saturating_sub(group * EIGHT).min(EIGHT);
            room.put_last(unit, eight, pivot, of);
        }
        room.start.offset_from_unsigned(first)
    }
}
