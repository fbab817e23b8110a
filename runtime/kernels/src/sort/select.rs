//! Partial orders of lines: only the elements at some places are as in sorted order.
//!
//! The elements before such a place are no larger than the one there, those behind it no smaller.
//! Words are compared alone, and with their numbers for `argpartition`, so that the elements at the
//! places are those of sorted order.

use super::order::{Digits, Ordered};
use super::radix::{Word, sort_words};
use super::{element, for_each_line, lines};
use crate::Tile;
use crate::dtype::{DType, with_comparable, with_complex};
use crate::part::Part;

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
    with_comparable!(input.dtype(), T => {
        let mut words: Vec<<T as Digits>::Word> = Vec::with_capacity(count);
        for_each_line([&input.without(axis), &out.without(axis)], &mut |[from, to]| {
            words.clear();
            // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
            unsafe { fill(&mut words, (from, steps[0]), count, |at: T| T::word(at.key())) };
            match size_of::<<T as Digits>::Word>() {
                // A count of each byte is quicker.
                1 => {
                    let mut spare = vec![Word::narrow(0); count];
                    if sort_words(&mut words, &mut spare, 0) {
                        words.copy_from_slice(&spare);
                    }
                }
                _ => place(&mut words, places),
            }
            // SAFETY: as above.
            unsafe { emit(&words, (to, steps[1]), |word| T::from_key(T::key_of(*word))) };
        });
    }, else with_complex!(input.dtype(), T => {
        let mut keys: Vec<<T as Ordered>::Key> = Vec::with_capacity(count);
        for_each_line([&input.without(axis), &out.without(axis)], &mut |[from, to]| {
            keys.clear();
            // SAFETY: by the promises made for the tiles; the line has `count` elements in both.
            unsafe { fill(&mut keys, (from, steps[0]), count, |at: T| at.key()) };
            place(&mut keys, places);
            // SAFETY: as above.
            unsafe { emit(&keys, (to, steps[1]), |key| T::from_key(*key)) };
        });
    }, else unreachable!("what is not complex is compared")));
}

/// `out` = for each line of `input` along dimension `axis`, the numbers of its elements (`i64`) in
/// the order of a [`partition`]. Of equal elements those with smaller numbers count as smaller.
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
    macro_rules! numbered {
        ($T:ty, $rank:expr) => {
            for_each_line(tiles, &mut |[from, to]| {
                let mut pairs = Vec::with_capacity(count);
                // SAFETY: by the promises made for the tiles; the line has `count` elements in
                // both.
                unsafe {
                    fill(&mut pairs, (from, steps[0]), count, |at: $T| {
                        ($rank(at), 0i64)
                    })
                };
                for (number, pair) in pairs.iter_mut().enumerate() {
                    pair.1 = number as i64;
                }
                place(&mut pairs, places);
                // SAFETY: as above.
                unsafe { emit(&pairs, (to, steps[1]), |pair| pair.1) };
            })
        };
    }
    with_comparable!(input.dtype(), T => numbered!(T, |at: T| T::word(at.rank())),
        else with_complex!(input.dtype(), T => numbered!(T, |at: T| at.rank()),
            else unreachable!("what is not complex is compared")));
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

/// Adds what `key` makes of the elements of a line.
///
/// # Safety
/// `count` elements of type `T` lie `step` bytes apart from `from` on.
unsafe fn fill<T: Copy, K>(
    keys: &mut Vec<K>,
    (from, step): (*mut u8, isize),
    count: usize,
    key: impl Fn(T) -> K,
) {
    match step == size_of::<T>() as isize {
        // A known distance makes vector code.
        // SAFETY: the caller's promise.
        true => keys
            .extend((0..count).map(|at| key(unsafe { from.cast::<T>().wrapping_add(at).read() }))),
        // SAFETY: as above.
        false => keys.extend((0..count).map(|at| key(unsafe { element::<T>(from, step, at) }))),
    }
}

/// Writes what `value` makes of the items to a line.
///
/// # Safety
/// There is room for as many elements of type `T`, `step` bytes apart from `to` on.
unsafe fn emit<K, T>(items: &[K], (to, step): (*mut u8, isize), value: impl Fn(&K) -> T) {
    for (at, item) in items.iter().enumerate() {
        let to = to.wrapping_offset(step * at as isize).cast::<T>();
        // SAFETY: the caller's promise.
        unsafe { to.write(value(item)) };
    }
}
