//! The times of a loop's iterations, and which of them are warm-up.
//!
//! # The rule
//!
//! An iteration ends when the tasks and copies of its operations, and those of all iterations
//! before it, have ended. It begins when the iteration before it ends. The first iteration of the
//! loop begins when the program first called for it and the work of earlier calls had ended. The
//! first iteration of a later run of the loop begins with its first task or copy. The time of an
//! iteration therefore does not depend on work that ran ahead, such as filling an array that needs
//! nothing from the iteration before. Tasks of several iterations that ran as one launch end at
//! once. Such iterations have equal parts of the time, which is an estimate.
//!
//! An iteration is usual if its time is within a factor of 1.5 of the median of the loop's second
//! half. The loop is steady from the first iteration that is usual together with the next two. If
//! the median of the iterations before that is also usual, it is steady from its very first
//! iteration. If no three consecutive iterations are usual, the beginning of the steady part is
//! unknown, and the second half is used. The steady part begins at an iteration with which a launch
//! begins. Iterations before it are warm-up if they are slower.

use super::{Iterations, ProgramLoop};
use rustc_hash::FxHashMap;
use weft_model::table::{Cell, Unit, human};
use weft_model::text::place;
use weft_model::{Index, Outcome, ProvenanceIndex, Recorder, Trace};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// The number of consecutive usual iterations with which a loop becomes steady.
const IN_A_ROW: usize = 3;

/// The times that represent the work of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// The times at which kernels, copies and fills ran on the device.
    Device,
    /// The times at which they were issued, like those of tasks on other processors.
    Issue,
}

/// The times at which the iterations of a loop ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopTimes {
    spans: Vec<(Timestamp, Timestamp)>,
    /// Whether the beginning of each iteration was recorded, rather than estimated.
    is_recorded: Vec<bool>,
}

/// The beginning of the steady part of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Steady {
    /// It begins with this iteration.
    From(usize),
    /// It is unknown; this iteration is in the middle.
    Unknown(usize),
}

impl Steady {
    fn number(self) -> usize {
        match self {
            Steady::From(number) | Steady::Unknown(number) => number,
        }
    }
}

impl LoopTimes {
    /// Returns the times of one of [`Iterations::loops`]; `None` if there is no such loop, or its
    /// operations have no tasks or copies.
    pub fn measure(
        trace: &Trace,
        index: &Index,
        iterations: &Iterations,
        of: u32,
        times: Times,
    ) -> Option<LoopTimes> {
        let found = iterations.loops.get(of as usize)?;
        let mut work: Vec<Option<(Timestamp, Timestamp)>> = vec![None; found.count];
        let operations = &trace.program.operations;
        let first = operations.get(found.first);
        let is_earlier = |row: usize| {
            let both = operations.get(row).zip(first);
            both.is_some_and(|(other, first)| {
                other.run == found.run && other.uid.sequence() < first.uid.sequence()
            })
        };
        // The end of the work of the calls before the loop.
        let mut before: Option<Timestamp> = None;
        let mut add = |operation: Option<usize>, from: Timestamp, to: Timestamp| {
            if operation.is_some_and(is_earlier) {
                before = before.max(Some(to));
            }
            let iteration = operation.and_then(|row| iterations.of.get(row).copied().flatten());
            let iteration = iteration.filter(|iteration| iteration.of == of);
            if let Some(span) = iteration.and_then(|row| work.get_mut(row.number as usize)) {
                let (start, end) = span.unwrap_or((from, to));
                *span = Some((start.min(from), end.max(to)));
            }
        };
        let row = |source, uid: Uid| index.operation(source, uid);
        let device = match times {
            Times::Device => device(trace),
            Times::Issue => FxHashMap::default(),
        };
        let span = |source, uid: Uid, issue| {
            let run = trace.run_of(source);
            device.get(&(run, uid)).copied().unwrap_or(issue)
        };
        for task in &trace.work.tasks {
            let issue = match (times, task.device) {
                (Times::Device, Some(span)) => span,
                _ => (task.start, task.end),
            };
            let (from, to) = span(task.source, task.uid, issue);
            add(row(task.source, task.operation), from, to);
        }
        for copy in &trace.work.copies {
            let (from, to) = span(copy.source, copy.uid, (copy.start, copy.end));
            add(row(copy.source, copy.operation), from, to);
        }
        let called = first.map(|first| first.created);
        LoopTimes::from_work(&work, found, called.max(before))
    }

    /// Creates the times of iterations with recorded beginnings and ends, in order.
    pub(super) fn of_spans(spans: Vec<(Timestamp, Timestamp)>) -> LoopTimes {
        LoopTimes {
            is_recorded: vec![true; spans.len()],
            spans,
        }
    }

    /// Computes the times of iterations from the first beginning and the last end of the work of
    /// each, if it did any. The first iteration began at `begin`, if given and not later than its
    /// work.
    fn from_work(
        work: &[Option<(Timestamp, Timestamp)>],
        found: &ProgramLoop,
        begin: Option<Timestamp>,
    ) -> Option<LoopTimes> {
        let first = work.iter().flatten().next()?.0;
        let mut begin = begin.map_or(first, |begin| begin.min(first));
        let mut last = begin;
        let ends = work.iter().map(|span| {
            last = span.map_or(last, |span| span.1.max(last));
            last
        });
        let ends: Vec<Timestamp> = ends.collect();
        let mut spans = Vec::with_capacity(ends.len());
        let mut is_recorded = Vec::with_capacity(ends.len());
        // Whether a run of the loop has begun, without known work so far.
        let mut is_new_run = false;
        while let Some(end) = ends.get(spans.len()).copied() {
            let number = spans.len();
            let rest = ends.get(number..).unwrap_or_default();
            let begins_run = |number: usize| found.runs.binary_search(&number).is_ok();
            let same = rest.iter().take_while(|other| **other == end).count();
            let same = (1..same)
                // One launch can serve the end of a run and the beginning of the next.
                .find(|part| {
                    let at = number + part;
                    begins_run(at) && work.get(at) != work.get(at - 1)
                })
                .unwrap_or(same);
            // The first run begins with the loop.
            is_new_run |= number > 0 && begins_run(number);
            let own = work.get(number..number + same).unwrap_or_default();
            if let Some(own) = own.iter().flatten().find(|own| is_new_run && own.1 > begin) {
                begin = begin.max(own.0.min(end));
                is_new_run = false;
            }
            let length = i128::from((end - begin).0);
            let after = |parts: usize| {
                let into = length * parts as i128 / same as i128;
                later(begin, i64::try_from(into).unwrap_or(i64::MAX))
            };
            for part in 0..same {
                spans.push((after(part), after(part + 1)));
                is_recorded.push(part == 0);
            }
            begin = end;
        }
        Some(LoopTimes { spans, is_recorded })
    }

    /// Returns the number of iterations.
    pub fn count(&self) -> usize {
        self.spans.len()
    }

    /// Returns the beginning and end of an iteration, if there is one with this number.
    pub fn span(&self, number: usize) -> Option<(Timestamp, Timestamp)> {
        self.spans.get(number).copied()
    }

    /// Returns the duration of each iteration, in ns.
    pub fn lengths(&self) -> Vec<i64> {
        self.spans
            .iter()
            .map(|(from, to)| (*to - *from).0)
            .collect()
    }

    /// Returns the first iteration of the steady part at which a launch began. If the beginning of
    /// the steady part is unknown, it starts from the second half.
    pub fn steady(&self) -> usize {
        self.steady_part().number()
    }

    pub(super) fn steady_part(&self) -> Steady {
        let part = steady(&self.lengths());
        let is_recorded = |number: &usize| self.is_recorded.get(*number) == Some(&true);
        let after = (part.number()..self.count()).find(is_recorded);
        let number =
            after.unwrap_or_else(|| (0..part.number()).rev().find(is_recorded).unwrap_or(0));
        match part {
            Steady::From(_) => Steady::From(number),
            Steady::Unknown(_) => Steady::Unknown(number),
        }
    }

    /// Returns whether the times of most iterations are estimates.
    pub(super) fn is_estimated(&self) -> bool {
        let estimated = self.is_recorded.iter().filter(|is_recorded| !**is_recorded);
        2 * estimated.count() > self.count()
    }
}

/// Returns the time some ns later, on the same clock.
fn later(time: Timestamp, ns: i64) -> Timestamp {
    Timestamp::from_nanos_since_boot(time.nanos().saturating_add(ns))
}

/// Returns the beginning and end of the work on devices of each task and copy.
fn device(trace: &Trace) -> FxHashMap<(weft_model::RunIndex, Uid), (Timestamp, Timestamp)> {
    let mut spans = FxHashMap::default();
    let rows = trace.devices.kernels.iter().zip(&trace.links.outcomes);
    for (kernel, outcome) in rows.filter(|(kernel, _)| kernel.recorder != Recorder::Host) {
        let Outcome::Linked { launch, .. } = outcome else {
            continue;
        };
        let Some(launch) = trace.work.launches.get(launch.0 as usize) else {
            continue;
        };
        let run = trace.run_of(launch.source);
        for (uid, _) in launch.served() {
            let span = spans
                .entry((run, uid))
                .or_insert((kernel.start, kernel.end));
            *span = (span.0.min(kernel.start), span.1.max(kernel.end));
        }
    }
    spans
}

fn steady(lengths: &[i64]) -> Steady {
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
    let Some(first) = (0..=half).find(begins) else {
        return Steady::Unknown(half);
    };
    match lengths.get(..first) {
        // Single iterations among them differ by chance.
        Some(before) if is_usual(&median(before)) => Steady::From(0),
        _ => Steady::From(first),
    }
}

/// Returns the median, or the upper of two medians; 0 if empty.
pub(super) fn median(lengths: &[i64]) -> i64 {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

/// Returns `file:line`, or `file:first-last`.
pub(super) fn described_lines(
    trace: &Trace,
    [first, last]: [ProvenanceIndex; 2],
) -> Option<String> {
    let text = place(trace, first)?;
    let last = trace.program.provenances.get(last).line;
    Some(match trace.program.provenances.get(first).line < last {
        true => format!("{text}-{last}"),
        false => text,
    })
}

pub(super) fn described(lengths: &[i64], steady: Steady, is_estimated: bool) -> Option<String> {
    let (before, rest) = lengths.split_at(steady.number().min(lengths.len()));
    let usual = median(rest);
    if usual <= 0 {
        return None;
    }
    let mark = if is_estimated { "~ " } else { "" };
    let time = |ns: i64| format!("{mark}{}", human(&Cell::Integer(ns), Unit::Nanos));
    let count = lengths.len();
    if let Steady::Unknown(_) = steady {
        let shortest = lengths.iter().min().copied().unwrap_or(0);
        let longest = lengths.iter().max().copied().unwrap_or(0);
        return Some(format!(
            "{count} iterations of {} (median), from {} to {}, and no steady part; --between steady takes the second half",
            time(median(lengths)),
            time(shortest),
            time(longest)
        ));
    }
    let each = time(usual);
    let earlier = median(before);
    let warm_up = if earlier > usual { " (warm-up)" } else { "" };
    Some(match before.len() {
        0 => format!("{count} iterations of {each} (median), and no warm-up"),
        1 => format!(
            "{count} iterations: the first took {}{warm_up}, the others {each} (median); --between steady leaves it out",
            time(earlier)
        ),
        several => format!(
            "{count} iterations: the first {several} took {}{warm_up}, the others {each} (medians); --between steady leaves them out",
            time(earlier)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(nanos: i64) -> Timestamp {
        Timestamp::from_nanos_since_boot(nanos)
    }

    #[test]
    fn warm_up_ends_at_three_usual_iterations() {
        assert_eq!(
            steady(&[900, 300, 100, 110, 95, 100, 104, 99]),
            Steady::From(2)
        );
        assert_eq!(
            steady(&[100, 101, 99, 100, 900, 100, 100, 100]),
            Steady::From(0)
        );
        // A single usual iteration does not end the warm-up.
        assert_eq!(
            steady(&[900, 100, 700, 100, 100, 100, 100, 100]),
            Steady::From(3)
        );
        // Iterations that are too fast are not usual either.
        assert_eq!(steady(&[10, 20, 100, 100, 100, 100]), Steady::From(2));
        assert_eq!(steady(&[800, 400, 200, 100]), Steady::Unknown(2));
        // Differences by chance are not a warm-up.
        assert_eq!(
            steady(&[100, 160, 95, 40, 100, 100, 100, 104, 99, 101]),
            Steady::From(0)
        );
        assert_eq!(steady(&[]), Steady::Unknown(0));
    }

    #[test]
    fn note_describes_the_warm_up() {
        let described = |lengths: &[i64]| described(lengths, steady(lengths), false).unwrap();
        let text = described(&[900_000, 300_000, 100_000, 110_000, 95_000, 100_000, 104_000]);
        assert!(text.starts_with("7 iterations: the first 2 took"), "{text}");
        let text = described(&[100, 101, 99, 100]);
        assert!(text.ends_with("no warm-up"), "{text}");
        let text = described(&[900, 100, 101, 99, 100, 100]);
        assert!(text.contains("the first took"), "{text}");
        let text = described(&[100, 900, 901, 899, 900, 900]);
        assert!(text.contains("the first took 100 ns, the others"), "{text}");
        let text = described(&[800, 400, 200, 100]);
        assert!(
            text.contains("from 100 ns to 800 ns, and no steady part"),
            "{text}"
        );
        assert_eq!(
            super::described(&[0, 0, 0, 5], Steady::From(0), false),
            None
        );
    }

    fn one_run(count: usize) -> ProgramLoop {
        ProgramLoop {
            run: weft_model::RunIndex(0),
            count,
            runs: vec![0],
            period: 1,
            operations: count,
            first: 0,
            lines: Default::default(),
            time: 0,
        }
    }

    #[test]
    fn splits_shared_launches_equally_among_iterations() {
        let work = [0, 0, 0, 0, 80, 80, 100].map(|start| Some((at(start), at(start + 20))));
        let times = LoopTimes::from_work(&work, &one_run(7), None).unwrap();
        assert_eq!(times.lengths(), [5, 5, 5, 5, 40, 40, 20]);
        assert!(times.is_estimated());
        // The steady part begins where a launch begins.
        assert_eq!(times.steady(), 4);
    }

    #[test]
    fn last_iteration_ends_with_its_work() {
        let work = [0, 10, 20, 100, 110, 120].map(|start| Some((at(start), at(start + 10))));
        let found = ProgramLoop {
            runs: vec![0, 3],
            ..one_run(6)
        };
        let times = LoopTimes::from_work(&work, &found, None).unwrap();
        assert_eq!(times.lengths(), [10; 6]);
    }

    #[test]
    fn splits_launches_of_several_runs_among_their_iterations() {
        let work = [(0, 40), (0, 40), (0, 40), (0, 40), (40, 60)];
        let work = work.map(|(from, to)| Some((at(from), at(to))));
        let found = ProgramLoop {
            runs: vec![0, 2],
            ..one_run(5)
        };
        let times = LoopTimes::from_work(&work, &found, None).unwrap();
        assert_eq!(times.lengths(), [10, 10, 10, 10, 20]);
    }

    #[test]
    fn excludes_time_between_runs() {
        let span = |from: i64, to: i64| Some((at(from), at(to)));
        let found = ProgramLoop {
            runs: vec![0, 2],
            ..one_run(4)
        };
        // The first iteration of the second run has no work, or work that had ended before.
        for third in [None, span(5, 8)] {
            let work = [span(0, 10), span(10, 20), third, span(100, 110)];
            let times = LoopTimes::from_work(&work, &found, None).unwrap();
            assert_eq!(times.lengths(), [10, 10, 0, 10]);
        }
    }

    #[test]
    fn work_ahead_of_its_iteration_does_not_count() {
        // Each iteration has one task that depends on the one before, and one that was done at the
        // beginning.
        let work = (0..10).map(|number| Some((at(number), at(100 * (number + 1)))));
        let times = LoopTimes::from_work(&work.collect::<Vec<_>>(), &one_run(10), None).unwrap();
        assert_eq!(times.lengths(), [100; 10]);
        assert!(!times.is_estimated());
        // All work of an iteration was done before that of the one before it.
        let work = [(0, 10), (10, 40), (0, 5), (40, 60)].map(|(from, to)| Some((at(from), at(to))));
        let times = LoopTimes::from_work(&work, &one_run(4), None).unwrap();
        assert_eq!(times.lengths(), [10, 15, 15, 20]);
    }

    proptest! {
        #[test]
        fn iteration_times_sum_to_their_loop(
            starts in prop::collection::vec(prop::option::of(0_i64..1000), 1..40),
            more in 0_i64..1000,
        ) {
            prop_assume!(starts.iter().any(Option::is_some));
            let span = |start: i64| (at(start), at(start + more % (start + 7)));
            let work: Vec<_> = starts.iter().map(|start| start.map(span)).collect();
            let times = LoopTimes::from_work(&work, &one_run(work.len()), None).unwrap();
            let lengths = times.lengths();
            prop_assert_eq!(lengths.len(), starts.len());
            prop_assert!(lengths.iter().all(|length| *length >= 0));
            let first = work.iter().flatten().next().unwrap().0;
            let end = work.iter().flatten().map(|span| span.1).max().unwrap().max(first);
            prop_assert_eq!(lengths.iter().sum::<i64>(), (end - first).0);
            let mut until = first;
            for (number, span) in work.iter().enumerate() {
                let (begins, ends) = times.span(number).unwrap();
                // Each begins where the one before it ends.
                prop_assert_eq!(begins, until);
                until = ends;
                // An iteration ends with its work, unless only the end of several is recorded.
                let is_recorded = times.is_recorded.get(number + 1).copied().unwrap_or(true);
                prop_assert!(span.is_none_or(|span| !is_recorded || span.1 <= ends));
            }
        }

        #[test]
        fn steady_part_starts_within_the_first_half(lengths in prop::collection::vec(0_i64..100, 0..60)) {
            let first = steady(&lengths);
            prop_assert!(first.number() <= lengths.len() / 2);
            // Scaling all times does not change the result.
            let scaled: Vec<i64> = lengths.iter().map(|length| length * 7).collect();
            prop_assert_eq!(steady(&scaled), first);
        }
    }
}
