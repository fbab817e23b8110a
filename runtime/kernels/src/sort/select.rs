//! Partial orders of lines: only the elements at some places are as in sorted order.
//!
//! The elements before such a place are no larger than the one there, those behind it no smaller.
//!
//! [`partition`] selects values by the standard library. [`argpartition`] only finds the values of
//! the places. Between two places numbers keep their order, so the result does not depend on how
//! these values are found, which differs between machines. Of equal elements the first counts as
//! smaller.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

mod find;

use self::find::find;
use super::line::convert;
use super::order::{Digits, Ordered};
use super::radix::sort_words;
use super::word::Word;
use super::{for_each_line, lines};
use crate::Tile;
use crate::dtype::{DType, with_comparable, with_complex};
use crate::pack::whole::{GROUP, PART, pick};
use crate::part::Part;
use crate::simd::{Vectorised, vectorised};

/// `out` = the lines of `input` along dimension `axis`, each with the elements at `places` as in
/// sorted order, those before them no larger and those behind them no smaller. `places` increase.
///
/// # Panics
/// If the shapes or types do not fit, there is no such axis, or a place lies outside it.
pub fn partition(axis: usize, places: &[usize], input: &Tile, out: &mut Tile) {
    assert_eq!(input.dtype(), out.dtype(), "elements keep their type");
    let Some(count) = lines(axis, input, out) else {
        return;
    };
    let steps = [input.byte_stride(axis), out.byte_stride(axis)];
    let tiles = [&input.without(axis), &out.without(axis)];
    with_comparable!(input.dtype(), T => {
        let mut spare = Vec::new();
        let mut words = vec![<T as Digits>::Word::narrow(0); count];
        for_each_line(tiles, &mut |[from, to]| {
            // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
            unsafe { read((from, steps[0]), 0, &mut words, |at: T| T::word(at.key())) };
            match size_of::<<T as Digits>::Word>() {
                // A count of each byte is quicker.
                1 => {
                    if sort_words(&mut words, &mut spare, 0) {
                        words.copy_from_slice(&spare);
                    }
                }
                _ => place(&mut words, places),
            }
            // SAFETY: as above.
            unsafe {
                let from = (words.as_ptr().cast(), size_of::<<T as Digits>::Word>() as isize);
                convert(from, (to, steps[1]), count, |word: <T as Digits>::Word| {
                    T::from_key(T::key_of(word))
                });
            }
        });
    }, else with_complex!(input.dtype(), T => {
        let mut keys: Vec<<T as Ordered>::Key> = Vec::with_capacity(count);
        for_each_line(tiles, &mut |[from, to]| {
            keys.clear();
            keys.extend((0..count as isize).map(|at| {
                let from = from.wrapping_offset(steps[0] * at).cast::<T>();
                // SAFETY: as above.
                unsafe { from.read() }.key()
            }));
            place(&mut keys, places);
            for (at, key) in keys.iter().enumerate() {
                let to = to.wrapping_offset(steps[1] * at as isize).cast::<T>();
                // SAFETY: as above.
                unsafe { to.write(T::from_key(*key)) };
            }
        });
    }, else unreachable!("what is not complex is compared")));
}

/// Puts the items of these places, which increase, where they stand in sorted order.
fn place<T: Ord>(items: &mut [T], places: &[usize]) {
    let middle = places.len() / 2;
    let Some(&at) = places.get(middle) else {
        return;
    };
    let (before, _, behind) = items.select_nth_unstable(at);
    place(before, &places[..middle]);
    let rest: Vec<usize> = places[middle + 1..]
        .iter()
        .map(|place| place - at - 1)
        .collect();
    place(behind, &rest);
}

/// The most elements of a line that are paired with their numbers.
const SHORT: usize = 48;

/// `out` = for each line of `input` along dimension `axis`, the numbers of its elements (`i64`) in
/// the order of a [`partition`].
///
/// # Panics
/// If the shapes or types do not fit, there is no such axis, or a place lies outside it.
pub fn argpartition(axis: usize, places: &[usize], input: &Tile, out: &mut Tile) {
    assert_eq!(out.dtype(), DType::I64, "numbers of elements are i64");
    let Some(count) = lines(axis, input, out) else {
        return;
    };
    let steps = [input.byte_stride(axis), out.byte_stride(axis)];
    let tiles = [&input.without(axis), &out.without(axis)];
    with_comparable!(input.dtype(), T => for_each_line(tiles, &mut |[from, to]| {
        if count <= SHORT {
            // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
            let pairs = unsafe { numbered((from, steps[0]), count, |at: T| T::word(at.rank())) };
            for (at, (_, number)) in place_pairs(pairs, places).iter().enumerate() {
                let to = to.wrapping_offset(steps[1] * at as isize).cast::<i64>();
                // SAFETY: as above.
                unsafe { to.write(*number) };
            }
            return;
        }
        let source = Source {
            count,
            read: &|at, words| {
                // SAFETY: by the promises made for the tiles; the words are those of a part.
                unsafe { read((from, steps[0]), at, words, |at: T| T::word(at.rank())) };
            },
        };
        select(&source, places, &mut |at, numbers| {
            let to = to.wrapping_offset(steps[1] * at as isize);
            let from = (numbers.as_ptr().cast(), size_of::<i64>() as isize);
            // SAFETY: by the promises made for the tiles; `at` and the places behind it are in the
            // line.
            unsafe { convert(from, (to, steps[1]), numbers.len(), |number: i64| number) };
        });
    }), else with_complex!(input.dtype(), T => for_each_line(tiles, &mut |[from, to]| {
        // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
        let pairs = unsafe { numbered((from, steps[0]), count, |at: T| at.rank()) };
        for (at, (_, number)) in place_pairs(pairs, places).iter().enumerate() {
            let to = to.wrapping_offset(steps[1] * at as isize).cast::<i64>();
            // SAFETY: as above.
            unsafe { to.write(*number) };
        }
    }), else unreachable!("what is not complex is compared")));
}

/// Sets words to what `word` makes of the elements of a line from `at` on.
///
/// # Safety
/// The line has as many elements, `step` bytes apart.
#[inline(always)]
unsafe fn read<T: Copy, W>(
    (from, step): (*mut u8, isize),
    at: usize,
    words: &mut [W],
    word: impl Fn(T) -> W,
) {
    let from = (from.wrapping_offset(step * at as isize).cast_const(), step);
    let to = (words.as_mut_ptr().cast(), size_of::<W>() as isize);
    // SAFETY: the caller's promise, and the words have room for as many.
    unsafe { convert(from, to, words.len(), word) };
}

/// The words of a line.
struct Source<'a, W> {
    count: usize,
    /// Reads the words from a number on.
    read: &'a dyn Fn(usize, &mut [W]),
}

impl<W: Word> Source<'_, W> {
    /// Calls `body` with the number of the first word of each part, and its words.
    fn each_part(&self, body: &mut dyn FnMut(usize, &[W])) {
        let mut words = [W::narrow(0); PART];
        for first in (0..self.count).step_by(PART) {
            let words = &mut words[..PART.min(self.count - first)];
            (self.read)(first, words);
            body(first, words);
        }
    }
}

/// A place, and the word that belongs there.
struct Placed<W> {
    place: usize,
    word: W,
    /// The number of equal words still to pass before the one for the place.
    equal: usize,
    /// Whether that was passed.
    is_passed: bool,
}

/// Calls `put` for all words of a partial order, with their first place and their numbers.
fn select<W: Word>(source: &Source<W>, places: &[usize], put: &mut dyn FnMut(usize, &[i64])) {
    let mut placed = find(source, places);
    // The next free place before each of these places, and behind the last.
    let mut free: Vec<usize> = [0]
        .into_iter()
        .chain(places.iter().map(|place| place + 1))
        .collect();
    let (mut marks, mut numbers) = ([0; PART], [0; PART + GROUP]);
    source.each_part(&mut |first, words| {
        let mut from = 0;
        while from < words.len() {
            // Words up to the next that is for a place.
            let (mut to, mut next) = (words.len(), None);
            for (at, one) in placed.iter().enumerate().filter(|(_, one)| !one.is_passed) {
                let equal = count_within(&words[from..to], one.word, one.word);
                if equal > one.equal {
                    let mut passed = (from..to).filter(|at| words[*at] == one.word);
                    to = passed.nth(one.equal).unwrap_or(to);
                    next = Some(at);
                }
            }
            let run = &words[from..to];
            for (gap, free) in free.iter_mut().enumerate() {
                let (before, behind) = (gap.checked_sub(1).map(|at| &placed[at]), placed.get(gap));
                let Some([least, most]) = bounds(before, behind) else {
                    continue;
                };
                let marks = &mut marks[..run.len()];
                mark_within(run, least, most, marks);
                let picked = pick(marks, (first + from) as i64, &mut numbers);
                put(*free, &numbers[..picked]);
                *free += picked;
            }
            for one in placed.iter_mut().filter(|one| !one.is_passed) {
                one.equal -= count_within(run, one.word, one.word);
            }
            from = to;
            if let Some(at) = next {
                placed[at].is_passed = true;
                put(placed[at].place, &[(first + to) as i64]);
                // The same word may be equal to those of later places.
                for one in placed[at + 1..].iter_mut() {
                    one.equal -= usize::from(one.word == words[to]);
                }
                from += 1;
            }
        }
    });
}

/// Returns the least and the largest word that lies between two places, for words behind those that
/// were passed and before the others; `None` if there is none.
fn bounds<W: Word>(before: Option<&Placed<W>>, behind: Option<&Placed<W>>) -> Option<[W; 2]> {
    let last = W::narrow(u64::MAX).wide();
    let least = match before {
        None => 0,
        Some(one) if one.is_passed => one.word.wide(),
        Some(one) if one.word.wide() == last => return None,
        Some(one) => one.word.wide() + 1,
    };
    let most = match behind {
        None => last,
        Some(one) if !one.is_passed => one.word.wide(),
        Some(one) => one.word.wide().checked_sub(1)?,
    };
    (least <= most).then_some([W::narrow(least), W::narrow(most)])
}

/// Returns the number of words from `least` to `most`.
fn count_within<W: Word>(words: &[W], least: W, most: W) -> usize {
    struct Count<'a, W>(&'a [W], [W; 2]);

    impl<W: Word> Vectorised for Count<'_, W> {
        type Output = usize;

        #[inline(always)]
        fn run(self) -> usize {
            let Count(words, [least, most]) = self;
            let mut count = 0;
            for word in words {
                count += usize::from(*word >= least) & usize::from(*word <= most);
            }
            count
        }
    }

    vectorised(Count(words, [least, most]))
}

/// Sets the mark of each word to whether it is from `least` to `most`.
fn mark_within<W: Word>(words: &[W], least: W, most: W, marks: &mut [u8]) {
    struct Mark<'a, W>(&'a [W], [W; 2], &'a mut [u8]);

    impl<W: Word> Vectorised for Mark<'_, W> {
        type Output = ();

        #[inline(always)]
        fn run(self) {
            let Mark(words, [least, most], marks) = self;
            for (mark, word) in marks.iter_mut().zip(words) {
                *mark = u8::from(*word >= least) & u8::from(*word <= most);
            }
        }
    }

    vectorised(Mark(words, [least, most], marks));
}

/// Returns what `key` makes of the elements of a line, with their numbers.
///
/// # Safety
/// `count` elements of type `T` lie `step` bytes apart from `from` on.
unsafe fn numbered<T: Copy, K>(
    (from, step): (*mut u8, isize),
    count: usize,
    key: impl Fn(T) -> K,
) -> Vec<(K, i64)> {
    (0..count)
        .map(|at| {
            let from = from.wrapping_offset(step * at as isize).cast::<T>();
            // SAFETY: the caller's promise.
            (key(unsafe { from.read() }), at as i64)
        })
        .collect()
}

/// Returns the pairs in the order of a partition.
fn place_pairs<K: Ord>(mut pairs: Vec<(K, i64)>, places: &[usize]) -> Vec<(K, i64)> {
    let mut from = 0;
    for place in places {
        pairs[from..].select_nth_unstable(place - from);
        pairs[from..*place].sort_unstable_by_key(|pair| pair.1);
        from = place + 1;
    }
    pairs[from..].sort_unstable_by_key(|pair| pair.1);
    pairs
}
