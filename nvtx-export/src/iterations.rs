//! The iterations of a program's loops, found by the repetition of source lines.
//!
//! # The rule
//!
//! The operations that the program called on known lines are taken in program order, each as its line. A loop is a stretch of this sequence in
//! which every line stands one period after the same line, for at least [`LEAST`] periods; each whole period is an iteration. Of all stretches
//! the one with most operations is a loop, of the shortest period that covers as many; what lies before and after it is searched in
//! the same way, up to [`MOST`] loops. A loop within an iteration is part of that iteration.
//!
//! Where an iteration begins is a matter of phase: lines before a loop that equal the end of its body shift all of its iterations.
//! Periods are looked for among the distances of a line to its next two occurrences, the [`CANDIDATES`] most frequent ones.

mod times;

pub use times::{LoopTimes, note};

use crate::joined::{Index, Joined, Operation, RunIndex};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Fewest iterations of a loop.
pub const LEAST: usize = 3;
/// Most loops of a run.
pub const MOST: usize = 64;
/// Most periods that are tried in a stretch.
pub const CANDIDATES: usize = 32;

/// A loop in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where its first iteration begins.
    pub first: usize,
    /// Operations of an iteration.
    pub period: usize,
    /// Number of its iterations.
    pub count: usize,
}

impl Loop {
    /// The part of the sequence that its iterations take.
    pub const fn range(&self) -> Range<usize> {
        self.first..self.first + self.period * self.count
    }
}

/// An iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Iteration {
    /// Which of [`Iterations::loops`].
    pub of: u32,
    /// Which one, from 0.
    pub number: u32,
}

/// A loop of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramLoop {
    /// Whose.
    pub run: RunIndex,
    /// Its place in the sequence of the run's operations.
    pub of: Loop,
    /// The row of its first operation.
    pub first: usize,
}

/// The loops of a trace, and the iteration of each operation.
#[derive(Clone, Debug, Default)]
pub struct Iterations {
    /// The loops, those of a run in program order.
    pub loops: Vec<ProgramLoop>,
    /// For each row of [`Joined::operations`] its iteration; `None` outside of loops.
    pub of: Vec<Option<Iteration>>,
}

impl Iterations {
    /// Finds them. What the runtime added to an operation is of that operation's iteration.
    pub fn of(joined: &Joined, index: &Index) -> Self {
        let parent = |operation: &Operation| {
            let row = index.operation(operation.source, operation.parent?)?;
            joined.operations.get(row).map(|parent| (row, parent))
        };
        let mut runs: std::collections::BTreeMap<RunIndex, Vec<usize>> = Default::default();
        for (row, operation) in joined.operations.iter().enumerate() {
            let is_part = parent(operation).is_some_and(|(_, parent)| parent.provenance.0 != 0);
            if operation.provenance.0 != 0 && !is_part {
                runs.entry(operation.run).or_default().push(row);
            }
        }
        let mut found = Iterations {
            loops: Vec::new(),
            of: vec![None; joined.operations.len()],
        };
        for (run, mut rows) in runs {
            let operation = |row: &usize| joined.operations.get(*row);
            rows.sort_by_key(|row| operation(row).map(|o| (o.uid.sequence(), o.uid.rank())));
            let lines = rows.iter().filter_map(operation);
            let lines: Vec<u32> = lines.map(|operation| operation.provenance.0).collect();
            for found_loop in loops(&lines) {
                let of = found.loops.len() as u32;
                let members = rows.get(found_loop.range()).unwrap_or_default();
                found.loops.push(ProgramLoop {
                    run,
                    of: found_loop,
                    first: members.first().copied().unwrap_or_default(),
                });
                for (at, row) in members.iter().enumerate() {
                    let number = (at / found_loop.period.max(1)) as u32;
                    if let Some(iteration) = found.of.get_mut(*row) {
                        *iteration = Some(Iteration { of, number });
                    }
                }
            }
        }
        for (row, operation) in joined.operations.iter().enumerate() {
            let whole = parent(operation).and_then(|(row, _)| found.of.get(row).copied().flatten());
            if let Some(iteration) = found.of.get_mut(row)
                && iteration.is_none()
            {
                *iteration = whole;
            }
        }
        found
    }

    /// The loop with most operations.
    pub fn longest(&self) -> Option<u32> {
        let loops = (0..).zip(&self.loops);
        let longest = loops.max_by_key(|(at, found)| (found.of.range().len(), u32::MAX - at));
        longest.map(|(at, _)| at)
    }
}

/// The loops in a sequence of lines, by the [rule](self).
pub fn loops(lines: &[u32]) -> Vec<Loop> {
    let mut found = Vec::new();
    let mut open: Vec<Range<usize>> = Vec::new();
    open.push(0..lines.len());
    while let Some(range) = open.pop() {
        if found.len() == MOST {
            break;
        }
        let Some(best) = longest(lines, range.clone()) else {
            continue;
        };
        let taken = best.range();
        open.push(range.start..taken.start);
        open.push(taken.end..range.end);
        found.push(best);
    }
    found.sort_by_key(|found| found.first);
    found
}

/// The loop with most members within a range.
fn longest(lines: &[u32], range: Range<usize>) -> Option<Loop> {
    let part = lines.get(range.clone())?;
    let mut best: Option<Loop> = None;
    for period in periods(part) {
        for (first, count) in repetitions(part, period) {
            let found = Loop {
                first: range.start + first,
                period,
                count,
            };
            let size = found.range().len();
            let is_better = best.is_none_or(|best| {
                let other = best.range().len();
                size > other || (size == other && period < best.period)
            });
            if count >= LEAST && is_better {
                best = Some(found);
            }
        }
    }
    best
}

/// The most frequent distances of a line to its next two occurrences.
fn periods(lines: &[u32]) -> Vec<usize> {
    let mut last: FxHashMap<u32, (Option<usize>, usize)> = FxHashMap::default();
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, line) in lines.iter().enumerate() {
        let before = last.get(line).copied();
        if let Some((earlier, before)) = before {
            *counts.entry(at - before).or_default() += 1;
            if let Some(earlier) = earlier {
                *counts.entry(at - earlier).or_default() += 1;
            }
        }
        last.insert(*line, (before.map(|before| before.1), at));
    }
    let mut counts: Vec<(usize, usize)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|(period, count)| (usize::MAX - count, *period));
    counts.truncate(CANDIDATES);
    counts.into_iter().map(|(period, _)| period).collect()
}

/// The stretches with this period: their beginning, and how many whole periods they have.
fn repetitions(lines: &[u32], period: usize) -> Vec<(usize, usize)> {
    let later = lines.get(period..).unwrap_or_default();
    let mut found = Vec::new();
    let mut first = 0;
    for (at, (line, other)) in lines.iter().zip(later).enumerate() {
        if line != other {
            found.push((first, (at - first) / period + 1));
            first = at + 1;
        }
    }
    let rest = later.len().saturating_sub(first);
    found.push((first, rest / period + 1));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_loop_between_other_lines_is_found_with_its_period() {
        let mut lines = vec![1, 2];
        for _ in 0..5 {
            lines.extend([3, 4, 4, 5]);
        }
        lines.push(6);
        let expected = Loop {
            first: 2,
            period: 4,
            count: 5,
        };
        assert_eq!(loops(&lines), [expected]);
        assert_eq!(loops(&[1, 2, 3, 1, 2, 3]), []);
        assert_eq!(loops(&[]), []);
    }

    #[test]
    fn two_loops_are_two() {
        let lines: Vec<u32> = [7_u32, 8]
            .repeat(4)
            .into_iter()
            .chain([1, 2, 3].repeat(3))
            .collect();
        let found: Vec<_> = loops(&lines)
            .iter()
            .map(|l| (l.first, l.period, l.count))
            .collect();
        assert_eq!(found, [(0, 2, 4), (8, 3, 3)]);
    }

    /// What a program with loops does: lines before it, then each loop's body so often, and lines after it. All lines differ, but those
    /// of a body that come twice in it.
    fn program(bodies: &[(Vec<u32>, usize)]) -> (Vec<u32>, Vec<Loop>) {
        let mut lines = Vec::new();
        let mut expected = Vec::new();
        for (at, (body, count)) in (1_u32..).zip(bodies) {
            lines.push(1000 * at);
            expected.push(Loop {
                first: lines.len(),
                period: body.len() + 1,
                count: *count,
            });
            for _ in 0..*count {
                lines.push(1000 * at + 1);
                lines.extend(body.iter().map(|line| 1000 * at + 2 + line));
            }
        }
        lines.push(1);
        (lines, expected)
    }

    proptest! {
        #[test]
        fn the_loops_of_random_programs_are_found(
            bodies in prop::collection::vec((prop::collection::vec(0_u32..6, 0..12), LEAST..30), 0..6),
        ) {
            // A body that repeats a part of itself as often as a loop does has a loop within.
            let is_plain = |body: &[u32]| loops(body).is_empty();
            prop_assume!(bodies.iter().all(|(body, _)| is_plain(body)));
            let (lines, expected) = program(&bodies);
            prop_assert_eq!(loops(&lines), expected);
        }

        #[test]
        fn iterations_of_a_loop_are_alike(lines in prop::collection::vec(0_u32..4, 0..200)) {
            let found = loops(&lines);
            let mut end = 0;
            for found in found {
                prop_assert!(found.first >= end && found.count >= LEAST);
                end = found.range().end;
                prop_assert!(end <= lines.len());
                let first = &lines[found.first..found.first + found.period];
                for iteration in lines[found.range()].chunks(found.period) {
                    prop_assert_eq!(iteration, first);
                }
            }
        }
    }
}
