//! The words that belong to places of sorted order.

use std::slice;

use super::{GROUP, PART, Placed, Source, Word, count_within, mark_within, pick};
use crate::sort::radix::sort_words;
use crate::sort::sample::Places;
use crate::sort::vectors;

/// The most words of a line that are all copied. Of more, a sample tells which are near a place.
const FEW: usize = 1 << 16;

/// The most places that are each found in a pass over the line.
const MANY: usize = 3;

/// The words of a sample.
const SAMPLE: usize = 2048;

/// The words of a sorted sample on either side of a place: more than three standard deviations of
/// the number of sampled words before it.
const NEAR: usize = 80;

/// Returns the words for the places, which increase, in the order of words and their numbers.
pub(super) fn find<W: Word>(source: &Source<W>, places: &[usize]) -> Vec<Placed<W>> {
    if source.count > FEW && places.len() <= MANY {
        let found: Option<Vec<_>> = places
            .iter()
            .map(|place| find_near(source, *place))
            .collect();
        if let Some(found) = found {
            return found;
        }
    }
    let mut words = vec![W::narrow(0); source.count];
    (source.read)(0, &mut words);
    place_words(&mut words, places);
    let found = places.iter().map(|place| {
        let word = words[*place];
        // All words before the place are no larger.
        Placed {
            place: *place,
            word,
            equal: count_within(&words[..*place], word, word),
            is_passed: false,
        }
    });
    found.collect()
}

/// Returns the word for one place, if it is between two words of a sample that are near it.
fn find_near<W: Word>(source: &Source<W>, place: usize) -> Option<Placed<W>> {
    let mut sample = [W::narrow(0); SAMPLE];
    let mut places = Places::new(source.count);
    for word in &mut sample {
        (source.read)(places.draw(), slice::from_mut(word));
    }
    let mut spare = Vec::new();
    let is_moved = sort_words(&mut sample, &mut spare, 0);
    let sorted = if is_moved { &spare[..] } else { &sample };
    let at = (place as u128 * SAMPLE as u128 / source.count as u128) as usize;
    let least = at.checked_sub(NEAR).map_or(W::narrow(0), |at| sorted[at]);
    let most = sorted
        .get(at + NEAR)
        .copied()
        .unwrap_or(W::narrow(u64::MAX));
    let (mut before, mut near) = (0, Vec::new());
    let (mut marks, mut numbers) = ([0; PART], [0; PART + GROUP]);
    source.each_part(&mut |first, words| {
        if least.wide() > 0 {
            before += count_within(words, W::narrow(0), W::narrow(least.wide() - 1));
        }
        let marks = &mut marks[..words.len()];
        mark_within(words, least, most, marks);
        let picked = pick(marks, first as i64, &mut numbers);
        near.extend(
            numbers[..picked]
                .iter()
                .map(|at| words[*at as usize - first]),
        );
    });
    let within = place.checked_sub(before)?;
    (within < near.len()).then(|| {
        place_words(&mut near, &[within]);
        let word = near[within];
        Placed {
            place,
            word,
            equal: count_within(&near[..within], word, word),
            is_passed: false,
        }
    })
}

/// Puts the words of these places, which increase, where they stand in sorted order.
fn place_words<W: Word>(words: &mut [W], places: &[usize]) {
    let mut from = 0;
    for place in places {
        let rest = &mut words[from..];
        if !vectors::try_select(rest, place - from) {
            rest.select_nth_unstable(place - from);
        }
        from = place + 1;
    }
}
