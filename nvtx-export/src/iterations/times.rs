//! When the iterations of a loop ran, and which of them are warm-up.
//!
//! # The rule
//!
//! An iteration begins with the first task or copy of its operations, or of a later iteration's, whichever began first; on a GPU a task begins when it is
//! issued. It lasts until the next one begins, and the last one until the loop's last task or copy ends. So the times of
//! iterations add up to that of the loop.
//!
//! An iteration is usual if its time is within a factor of 1.5 of the median of the loop's second half. The loop is steady from the first iteration that is
//! usual together with the two behind it, at the latest from its second half on; what lies before is warm-up.

use super::Iterations;
use crate::joined::{Index, Joined};
use crate::output::table::{Cell, Unit, human};
use crate::output::text::place;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// So many iterations in a row are usual where a loop has become steady.
const IN_A_ROW: usize = 3;

/// When the iterations of a loop ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopTimes {
    starts: Vec<Timestamp>,
    end: Timestamp,
}

impl LoopTimes {
    /// Those of one of [`Iterations::loops`]; `None` where there is no such loop, or its operations have no tasks or copies.
    pub fn of(
        joined: &Joined,
        index: &Index,
        iterations: &Iterations,
        of: u32,
    ) -> Option<LoopTimes> {
        let found = iterations.loops.get(of as usize)?;
        let mut starts: Vec<Option<Timestamp>> = vec![None; found.of.count];
        let mut end: Option<Timestamp> = None;
        let mut add = |operation: Option<usize>, from: Timestamp, to: Timestamp| {
            let iteration = operation.and_then(|row| iterations.of.get(row).copied().flatten());
            let Some(iteration) = iteration.filter(|iteration| iteration.of == of) else {
                return;
            };
            if let Some(start) = starts.get_mut(iteration.number as usize) {
                *start = Some(start.map_or(from, |start| start.min(from)));
                end = Some(end.map_or(to, |end| end.max(to)));
            }
        };
        let row = |source, uid: Uid| index.operation(source, uid);
        for task in &joined.tasks {
            add(row(task.source, task.operation), task.start, task.end);
        }
        for copy in &joined.copies {
            add(row(copy.source, copy.operation), copy.start, copy.end);
        }
        LoopTimes::from_starts(&starts, end?)
    }

    /// Those of iterations of which each began its first work at this time, if it had any.
    fn from_starts(starts: &[Option<Timestamp>], end: Timestamp) -> Option<LoopTimes> {
        let mut next = end;
        let mut starts: Vec<Timestamp> = starts
            .iter()
            .rev()
            .map(|start| {
                next = start.map_or(next, |start| start.min(next));
                next
            })
            .collect();
        starts.reverse();
        (!starts.is_empty()).then_some(LoopTimes { starts, end })
    }

    /// Number of iterations.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// When an iteration begins, and when it ends; `None` where there is none of this number.
    pub fn span(&self, number: usize) -> Option<(Timestamp, Timestamp)> {
        let start = self.starts.get(number)?;
        Some((*start, *self.starts.get(number + 1).unwrap_or(&self.end)))
    }

    /// How long each took, in ns.
    pub fn lengths(&self) -> Vec<i64> {
        let spans = (0..self.count()).filter_map(|number| self.span(number));
        spans.map(|(from, to)| (to - from).0).collect()
    }

    /// The number of the first iteration that is not warm-up.
    pub fn steady(&self) -> usize {
        steady(&self.lengths())
    }
}

fn steady(lengths: &[i64]) -> usize {
    let half = lengths.len() / 2;
    let usual = median(lengths.get(half..).unwrap_or_default());
    let is_usual = |length: &i64| {
        let (length, usual) = (i128::from(*length), i128::from(usual));
        2 * length <= 3 * usual && 2 * usual <= 3 * length
    };
    let begins = |first: &usize| {
        let row = lengths.iter().skip(*first).take(IN_A_ROW);
        row.clone().count() == IN_A_ROW && row.clone().all(is_usual)
    };
    (0..half).find(begins).unwrap_or(half)
}

/// The middle one, or the greater of the two in the middle; 0 of none.
fn median(lengths: &[i64]) -> i64 {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

/// A sentence about the loop with most operations: where it is, and how long its iterations took in warm-up and after it. `None` where
/// nothing repeats.
pub fn note(joined: &Joined) -> Option<String> {
    let index = Index::of(joined);
    let iterations = Iterations::of(joined, &index);
    let longest = iterations.longest()?;
    let times = LoopTimes::of(joined, &index, &iterations, longest)?;
    let first = iterations.loops.get(longest as usize)?.first;
    let line = place(joined, joined.operations.get(first)?.provenance)?;
    Some(format!(
        "the loop at {line} has {}",
        described(&times.lengths())
    ))
}

fn described(lengths: &[i64]) -> String {
    let (warm_up, rest) = lengths.split_at(steady(lengths));
    let time = |lengths: &[i64]| human(&Cell::Integer(median(lengths)), Unit::Nanos);
    let (count, each) = (lengths.len(), time(rest));
    match warm_up {
        [] => format!("{count} iterations of {each} (median), and no warm-up"),
        [first] => {
            let first = time(&[*first]);
            format!(
                "{count} iterations: the first took {first} (warm-up), the others {each} (median); --between steady leaves it out"
            )
        }
        _ => format!(
            "{count} iterations: the first {} took {} (warm-up), the others {each} (medians); --between steady leaves them out",
            warm_up.len(),
            time(warm_up)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(nanos: i64) -> Timestamp {
        Timestamp::from_nanos_since_boot(nanos)
    }

    #[test]
    fn warm_up_ends_where_three_in_a_row_are_usual() {
        assert_eq!(steady(&[900, 300, 100, 110, 95, 100, 104, 99]), 2);
        assert_eq!(steady(&[100, 101, 99, 100, 900, 100, 100, 100]), 0);
        // One that is usual by chance does not end it.
        assert_eq!(steady(&[900, 100, 700, 100, 100, 100, 100, 100]), 3);
        // Too fast is not usual either.
        assert_eq!(steady(&[10, 20, 100, 100, 100, 100]), 2);
        assert_eq!(steady(&[800, 400, 200, 100]), 2);
        assert_eq!(steady(&[]), 0);
    }

    #[test]
    fn the_note_says_what_came_first() {
        let text = described(&[900_000, 300_000, 100_000, 110_000, 95_000, 100_000, 104_000]);
        assert!(text.starts_with("7 iterations: the first 2 took"), "{text}");
        let text = described(&[100, 101, 99, 100]);
        assert!(text.ends_with("no warm-up"), "{text}");
        let text = described(&[900, 100, 101, 99, 100, 100]);
        assert!(text.contains("the first took"), "{text}");
    }

    proptest! {
        #[test]
        fn iterations_add_up_to_their_loop(
            starts in prop::collection::vec(prop::option::of(0_i64..1000), 1..40),
            more in 0_i64..1000,
        ) {
            let known: Vec<_> = starts.iter().map(|start| start.map(at)).collect();
            let end = at(starts.iter().flatten().max().copied().unwrap_or(0) + more);
            let times = LoopTimes::from_starts(&known, end).unwrap();
            let lengths = times.lengths();
            prop_assert_eq!(lengths.len(), starts.len());
            prop_assert!(lengths.iter().all(|length| *length >= 0));
            let first = starts.iter().flatten().min().map_or(end, |start| at(*start));
            prop_assert_eq!(lengths.iter().sum::<i64>(), (end - first).0);
            // No iteration has begun before its first work.
            for (number, start) in starts.iter().enumerate() {
                let begins = times.span(number).unwrap().0;
                prop_assert!(start.is_none_or(|start| begins <= at(start)));
            }
        }

        #[test]
        fn the_second_half_is_always_steady(lengths in prop::collection::vec(0_i64..100, 0..60)) {
            let first = steady(&lengths);
            prop_assert!(first <= lengths.len() / 2);
            // The same with another unit of time.
            let scaled: Vec<i64> = lengths.iter().map(|length| length * 7).collect();
            prop_assert_eq!(steady(&scaled), first);
        }
    }
}
