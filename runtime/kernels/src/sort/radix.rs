//! Sorting of unsigned words by their digits, the lowest first (LSD radix sort).
//!
//! If words differ in many bits, only the leading ones are used: roughly as many as distinguish
//! that number of words. The few neighbours that are equal in these bits are compared afterwards.
//! Bits that all words share cost nothing.

#![allow(
    unsafe_code,
    reason = "counts and places are bounded by how they were made, which the compiler cannot see"
)]

use super::vectors;
use super::word::Word;
use crate::simd::{Vectorised, vectorised};

/// The number of words below which they are compared, since counting digits takes a while.
const FEW: usize = 400;

/// The most bits of a digit.
const DIGIT: u32 = 11;

/// The number of bits used beyond those that distinguish evenly spread words. Floats are not evenly
/// spread, because of their exponents.
const BEYOND: u32 = 12;

/// The most equal neighbours that are sorted by insertion.
const SHORT: usize = 24;

/// The width of the bits in which words differ: the number of the highest one plus 1. Also whether
/// the words are sorted.
pub(crate) struct Survey {
    pub(crate) width: u32,
    pub(crate) is_ordered: bool,
}

impl Survey {
    /// Surveys `count` words.
    #[inline(always)]
    pub(crate) fn new<W: Word>(count: usize, word: impl Fn(usize) -> W) -> Survey {
        let (mut all, mut any) = (u64::MAX, 0);
        let mut is_ordered = true;
        let mut last = 0;
        // In parts, so that the loop over a part has no exit.
        let mut from = 0;
        while from < count {
            let to = count.min(from + 256);
            for at in from..to {
                let word = word(at).wide();
                all &= word;
                any |= word;
            }
            if is_ordered {
                for at in from..to {
                    let word = word(at).wide();
                    is_ordered &= last <= word;
                    last = word;
                }
            }
            from = to;
        }
        Survey {
            width: u64::BITS - (if count == 0 { 0 } else { all ^ any }).leading_zeros(),
            is_ordered,
        }
    }
}

/// Sorts words, with `spare` as work space, which gets their length if it is used. Words that
/// differ only in bits below `known` must already be in order. Returns whether the result is in
/// `spare`.
pub(crate) fn sort_words<W: Word>(words: &mut [W], spare: &mut Vec<W>, known: u32) -> bool {
    match sort_in_place(words) {
        None => false,
        Some(survey) => {
            spare.resize(words.len(), W::narrow(0));
            sort_by_digits(words, spare, known, &survey)
        }
    }
}

/// Sorts words if that needs no work space. Otherwise returns a survey of them.
fn sort_in_place<W: Word>(words: &mut [W]) -> Option<Survey> {
    if words.len() <= FEW || u32::try_from(words.len()).is_err() {
        if !vectors::try_sort(words) {
            words.sort_unstable();
        }
        return None;
    }
    let survey = vectorised(Surveyed(words));
    if survey.is_ordered {
        return None;
    }
    if survey.width <= DIGIT {
        let plan = Plan {
            low: 0,
            digit: survey.width,
            top: survey.width,
        };
        plan.fill(words);
        return None;
    }
    (!vectors::try_sort(words)).then_some(survey)
}

/// Words to survey.
struct Surveyed<'a, W>(&'a [W]);

impl<W: Word> Vectorised for Surveyed<'_, W> {
    type Output = Survey;

    #[inline(always)]
    fn run(self) -> Survey {
        Survey::new(self.0.len(), |at| self.0[at])
    }
}

/// Sorts words by digits, with `spare` of the same length as work space. Otherwise as
/// [`sort_words`].
fn sort_by_digits<W: Word>(words: &mut [W], spare: &mut [W], known: u32, survey: &Survey) -> bool {
    assert_eq!(
        words.len(),
        spare.len(),
        "the scratch space has the same number of words"
    );
    // Words that differ are not in order, so they differ above the known bits.
    let top = survey.width.max(known + 1);
    let width = top - known;
    let telling = usize::BITS - words.len().leading_zeros() + BEYOND;
    let wanted = width.min(telling);
    let passes = wanted.div_ceil(DIGIT) as usize;
    let plan = Plan {
        low: top - wanted,
        digit: wanted.div_ceil(passes as u32),
        top,
    };
    let is_moved = plan.scatter_all(passes, words, spare);
    if plan.low > known {
        let [sorted, other] = if is_moved {
            [spare, words]
        } else {
            [words, spare]
        };
        finish(sorted, other, plan.low);
    }
    is_moved
}

/// The bits to sort by.
#[derive(Clone, Copy)]
struct Plan {
    /// The lowest bit of the lowest digit.
    low: u32,
    /// The number of bits of each digit.
    digit: u32,
    /// One past the highest bit.
    top: u32,
}

type Counts = [u32; 1 << DIGIT];

impl Plan {
    /// The digit of a pass.
    #[inline(always)]
    fn digit_of<W: Word>(self, pass: u32, word: W) -> usize {
        let shift = self.low + pass * self.digit;
        let bits = self.digit.min(self.top - shift);
        (word.wide() >> shift) as usize & ((1 << bits) - 1)
    }

    /// Sorts words of one digit: counts them, and writes them again.
    fn fill<W: Word>(self, words: &mut [W]) {
        let mut counts: Counts = [0; 1 << DIGIT];
        for word in words.iter() {
            counts[self.digit_of(0, *word)] += 1;
        }
        let base = words[0].wide() & !((1u64 << self.top) - 1);
        let mut from = 0;
        for (digit, &count) in counts.iter().enumerate().take(1 << self.digit) {
            let to = from + count as usize;
            words[from..to].fill(W::narrow(base | digit as u64));
            from = to;
        }
    }

    /// Sorts by one digit after the other. Returns whether the result is in `spare`.
    fn scatter_all<W: Word>(self, passes: usize, words: &mut [W], spare: &mut [W]) -> bool {
        match passes {
            1 => self.scatter_by::<W, 1>(words, spare),
            2 => self.scatter_by::<W, 2>(words, spare),
            3 => self.scatter_by::<W, 3>(words, spare),
            // There are fewer than 2^32 words, so at most 32 + `BEYOND` bits are used.
            _ => self.scatter_by::<W, 4>(words, spare),
        }
    }

    fn scatter_by<W: Word, const PASSES: usize>(self, words: &mut [W], spare: &mut [W]) -> bool {
        let mut counts: [Counts; PASSES] = [[0; 1 << DIGIT]; PASSES];
        self.count(words, &mut counts);
        let mut is_moved = false;
        for (pass, counts) in counts.iter_mut().enumerate() {
            let (from, to) = if is_moved {
                (&mut *spare, &mut *words)
            } else {
                (&mut *words, &mut *spare)
            };
            // All words have the same digit, so they stay in place.
            let digit = self.digit_of(pass as u32, from[0]);
            if counts[digit] as usize == from.len() {
                continue;
            }
            self.scatter(pass as u32, from, to, counts);
            is_moved = !is_moved;
        }
        is_moved
    }

    /// Counts each digit of the words, for each pass.
    fn count<W: Word, const PASSES: usize>(self, words: &[W], counts: &mut [Counts; PASSES]) {
        for word in words {
            for pass in 0..PASSES {
                counts[pass][self.digit_of(pass as u32, *word) % (1 << DIGIT)] += 1;
            }
        }
    }

    /// Writes words in the order of their digits. `counts` is the number of words of `from` with
    /// each digit.
    fn scatter<W: Word>(self, pass: u32, from: &[W], to: &mut [W], counts: &mut Counts) {
        assert_eq!(from.len(), to.len(), "as many words");
        let mut place = 0;
        for count in counts[..1 << self.digit].iter_mut() {
            let here = place;
            place += *count;
            *count = here;
        }
        assert_eq!(place as usize, to.len(), "every word was counted");
        for word in from {
            let place = &mut counts[self.digit_of(pass, *word) % (1 << DIGIT)];
            // SAFETY: a place grows from the number of words with smaller digits to that of words
            // with at most the same digit, since the same words were counted. So it stays below the
            // number of all words.
            unsafe { *to.get_unchecked_mut(*place as usize) = *word };
            *place += 1;
        }
    }
}

/// Sorts neighbours that are equal except for the bits below `low`.
fn finish<W: Word>(words: &mut [W], spare: &mut [W], low: u32) {
    let mut from = 0;
    let mut at = 1;
    while at <= words.len() {
        let is_equal = at < words.len() && (words[at].wide() ^ words[at - 1].wide()) >> low == 0;
        if !is_equal {
            if at - from > SHORT {
                let run = &mut words[from..at];
                let spare = &mut spare[from..at];
                let survey = sort_in_place(run);
                if survey.is_some_and(|survey| sort_by_digits(run, spare, 0, &survey)) {
                    run.copy_from_slice(spare);
                }
            } else if at - from > 1 {
                insert(&mut words[from..at]);
            }
            from = at;
        }
        at += 1;
    }
}

/// Sorts a few words by insertion.
fn insert<W: Word>(words: &mut [W]) {
    for end in 1..words.len() {
        let word = words[end];
        let mut at = end;
        while at > 0 && words[at - 1] > word {
            words[at] = words[at - 1];
            at -= 1;
        }
        words[at] = word;
    }
}

/// Returns the numbers of `count` words in sorted order. Equal words keep their order.
pub(crate) fn order_words<W: Word>(count: usize, word: impl Fn(usize) -> W) -> Vec<u64> {
    let survey = Survey::new(count, &word);
    if survey.is_ordered {
        return (0..count as u64).collect();
    }
    // One word with the leading bits in which words differ, as many as fit, and the word's number.
    let numbers = usize::BITS - (count - 1).leading_zeros();
    let kept = survey.width.min(u64::BITS - numbers);
    let (low, mask) = (survey.width - kept, (1u64 << numbers) - 1);
    let above = u64::BITS - survey.width;
    let mut words: Vec<u64> = Vec::with_capacity(count);
    words.extend((0..count).map(|at| {
        let bits = (word(at).wide() << above >> above) >> low;
        bits << numbers | at as u64
    }));
    let mut spare = Vec::new();
    if sort_words(&mut words, &mut spare, numbers) {
        words = spare;
    }
    if low > 0 {
        order_ties(&mut words, numbers, |short| word((short & mask) as usize));
    }
    words.iter_mut().for_each(|word| *word &= mask);
    words
}

/// Sorts entries that are equal from bit `numbers` on by their full words.
fn order_ties<W: Word>(sorted: &mut [u64], numbers: u32, word: impl Fn(u64) -> W) {
    let mut from = 0;
    for at in 1..=sorted.len() {
        if at < sorted.len() && (sorted[at] ^ sorted[at - 1]) >> numbers == 0 {
            continue;
        }
        let run = &mut sorted[from..at];
        from = at;
        if run.len() == 1 || run.is_sorted_by_key(|short| word(*short)) {
            continue;
        }
        // The words differ in the bits that did not fit, which fit now.
        let words: Vec<u64> = run.iter().map(|short| word(*short).wide()).collect();
        let ordered: Vec<u64> = order_wide(&words)
            .iter()
            .map(|at| run[*at as usize])
            .collect();
        run.copy_from_slice(&ordered);
    }
}

/// Does [`order_words`] for the widest words. It is compiled once, since it calls itself.
fn order_wide(words: &[u64]) -> Vec<u64> {
    order_words(words.len(), |at| words[at])
}
