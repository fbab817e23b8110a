//! The iterations of a program's loops, found from the flow of its calls.
//!
//! # The rule
//!
//! The operations that the program called on known lines are taken in program order, each as the
//! call that submitted it. The module `find` has the rule for finding loops in such a sequence. How
//! calls are distinguished depends on the recorded data:
//!
//! - Profiles of Python programs number calls by instruction and by the calls that led to them, and
//!   their executions. So two calls on a line, or of a function from two lines, are different, and
//!   recursion is not a loop. A function of the front end is one call, however many operations it
//!   submits.
//! - Profiles of Rust programs have lines and columns. Traces of Legate have lines. Consecutive
//!   equal calls are then one step, because an expression may submit them. A function that is
//!   called several times looks like a loop. A loop is accepted only if it has at least
//!   [`LEAST_BY_LINE`] iterations, nearly all of them alike. An incomplete last iteration does not
//!   count.
//!
//! In traces without operations, the loop is that of repeating NVTX ranges, if any (module
//! `ranges`).
//!
//! Of nested loops, the outer one is found if it calls operations of its own and the profile has
//! the text of the program. Otherwise the inner one is found, with all its runs together.

mod find;
mod ranges;
mod source;
mod times;

pub(crate) use ranges::RangeLoop;
pub(crate) use source::Outlines;
pub use times::{LoopTimes, Times};

use crate::stats::operation_times;
use rustc_hash::{FxHashMap, FxHashSet};
use source::Nest;
use std::cmp::Reverse;
use std::ops::Range;
use times::{described, described_lines};
use weft_model::{Index, Operation, ProvenanceIndex, RunIndex, StringIndex, Trace};
use weft_trace::id::CallNumber;

/// The least number of iterations of a loop with numbered calls.
pub const LEAST: usize = 3;
/// The least number of iterations of a loop that is found by lines.
pub const LEAST_BY_LINE: usize = 8;
/// The maximum number of loops in a run.
pub const MOST: usize = 64;

/// An iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Iteration {
    /// The index of the loop in [`Iterations::loops`].
    pub of: u32,
    /// The number of the iteration, from 0.
    pub number: u32,
}

/// A loop of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLoop {
    /// The run it belongs to.
    pub run: RunIndex,
    /// The number of iterations in all its runs.
    pub count: usize,
    /// The first iteration of each of its runs. A nested loop runs several times.
    pub runs: Vec<usize>,
    /// The median number of operations in an iteration.
    pub period: usize,
    /// The number of operations in all iterations.
    pub operations: usize,
    /// The row of its first operation.
    pub first: usize,
    /// The first and the last of its lines, in the function that called most of its operations.
    pub lines: [ProvenanceIndex; 2],
    /// The time of its operations, in ns.
    pub time: i64,
}

/// The loops of a trace, and the iteration of each operation.
#[derive(Clone, Debug, Default)]
pub struct Iterations {
    /// The loops. Those of one run are in program order.
    pub loops: Vec<ProgramLoop>,
    /// The iteration of each row of [`Program::operations`](weft_model::Program::operations);
    /// `None` outside of loops.
    pub of: Vec<Option<Iteration>>,
}

/// The way in which the calls of a run are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    /// By their numbers.
    Numbered,
    /// By line, column and name.
    Columns,
    /// By line.
    Lines,
}

/// Consecutive operations that are one step of the program.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The line.
    place: ProvenanceIndex,
    /// The number of operations.
    operations: usize,
    /// The call's number, or [`find::BREAK`].
    call: u32,
}

/// The line, call and name, which distinguish steps.
type StepKey = (ProvenanceIndex, u32, Option<StringIndex>);

impl Iterations {
    /// Finds the loops. Operations that the runtime added to another one belong to its iteration.
    pub fn detect(trace: &Trace, index: &Index) -> Self {
        let parent = |operation: &Operation| {
            let row = index.operation(operation.source, operation.parent?)?;
            trace
                .program
                .operations
                .get(row)
                .map(|parent| (row, parent))
        };
        let mut runs: std::collections::BTreeMap<RunIndex, Vec<usize>> = Default::default();
        for (row, operation) in trace.program.operations.iter().enumerate() {
            let is_part = parent(operation).is_some_and(|(_, parent)| parent.provenance.0 != 0);
            if operation.provenance.0 != 0 && !is_part {
                runs.entry(operation.run).or_default().push(row);
            }
        }
        let mut found = Iterations {
            loops: Vec::new(),
            of: vec![None; trace.program.operations.len()],
        };
        for (run, mut rows) in runs {
            let uid = |row: &usize| trace.program.operations.get(*row).map(|row| row.uid);
            rows.sort_by_key(|row| uid(row).map(|uid| (uid.sequence(), uid.rank())));
            retain_tasks_of_lines(trace, &mut rows);
            for ranges in loops(trace, &rows) {
                found.add(trace, run, &rows, &ranges);
            }
        }
        for (row, operation) in trace.program.operations.iter().enumerate() {
            let whole = parent(operation).and_then(|(row, _)| found.of.get(row).copied().flatten());
            if let Some(iteration) = found.of.get_mut(row)
                && iteration.is_none()
            {
                *iteration = whole;
            }
        }
        if !found.loops.is_empty() {
            let (times, _) = operation_times(trace, index);
            for (times, iteration) in times.iter().zip(&found.of) {
                let of = iteration.map(|iteration| iteration.of as usize);
                if let Some(row) = of.and_then(|of| found.loops.get_mut(of)) {
                    row.time = row.time.saturating_add(times.cost_ns());
                }
            }
        }
        found
    }

    /// Adds a loop whose iterations have these rows.
    fn add(&mut self, trace: &Trace, run: RunIndex, rows: &[usize], ranges: &[Range<usize>]) {
        let of = self.loops.len() as u32;
        let mut runs = Vec::new();
        let mut end = None;
        for (number, range) in ranges.iter().enumerate() {
            if end != Some(range.start) {
                runs.push(number);
            }
            end = Some(range.end);
            for row in rows.get(range.clone()).unwrap_or_default() {
                if let Some(iteration) = self.of.get_mut(*row) {
                    let number = number as u32;
                    *iteration = Some(Iteration { of, number });
                }
            }
        }
        let mut sizes: Vec<usize> = ranges.iter().map(ExactSizeIterator::len).collect();
        sizes.sort_unstable();
        let first = ranges.first().and_then(|range| rows.get(range.start));
        let first = first.copied().unwrap_or_default();
        self.loops.push(ProgramLoop {
            run,
            count: ranges.len(),
            runs,
            period: sizes.get(sizes.len() / 2).copied().unwrap_or_default(),
            operations: sizes.iter().sum(),
            first,
            lines: lines(trace, rows, ranges),
            time: 0,
        });
    }

    /// Returns the loop whose operations took most time. At equal times, it is the one with most
    /// operations, and the first of these.
    pub fn longest(&self) -> Option<u32> {
        let loops = (0..).zip(&self.loops);
        let longest = loops.max_by_key(|(at, row)| (row.time, row.operations, u32::MAX - at));
        longest.map(|(at, _)| at)
    }
}

/// Drops operations without tasks if calls are distinguished by line: Legion adds such operations
/// at the lines of others, in its own order.
fn retain_tasks_of_lines(trace: &Trace, rows: &mut Vec<usize>) {
    let operation = |row: &usize| trace.program.operations.get(*row);
    let operations: Vec<&Operation> = rows.iter().filter_map(operation).collect();
    if calls(&operations) == Calls::Lines && operations.iter().any(|row| row.tasks > 0) {
        rows.retain(|row| operation(row).is_some_and(|row| row.tasks > 0));
    }
}

/// Returns the first and the last line of a loop, among those in the function that called most of
/// its operations.
fn lines(trace: &Trace, rows: &[usize], ranges: &[Range<usize>]) -> [ProvenanceIndex; 2] {
    let members = ranges.iter().filter_map(|range| rows.get(range.clone()));
    let places = members
        .flatten()
        .filter_map(|row| trace.program.operations.get(*row));
    let mut counts: FxHashMap<ProvenanceIndex, usize> = FxHashMap::default();
    for operation in places {
        *counts.entry(operation.provenance).or_default() += 1;
    }
    let function = |place: ProvenanceIndex| {
        let row = trace.program.provenances.get(place);
        (row.file, row.function)
    };
    let mut by_function: FxHashMap<_, usize> = FxHashMap::default();
    for (place, count) in &counts {
        *by_function.entry(function(*place)).or_default() += count;
    }
    let most = by_function
        .into_iter()
        .max_by_key(|(function, count)| (*count, Reverse(*function)));
    let own = |place: &&ProvenanceIndex| most.is_some_and(|most| function(**place) == most.0);
    let line = |place: &&ProvenanceIndex| trace.program.provenances.get(**place).line;
    let own: Vec<&ProvenanceIndex> = counts.keys().filter(own).collect();
    let [least, greatest] = [
        own.iter().min_by_key(|p| line(p)),
        own.iter().max_by_key(|p| line(p)),
    ];
    [least, greatest].map(|place| place.map_or_else(ProvenanceIndex::default, |place| **place))
}

/// Returns the loops in the operations of a run, which are in program order. A loop has the rows of
/// each iteration.
fn loops(trace: &Trace, rows: &[usize]) -> Vec<find::LoopRanges> {
    let operations: Vec<&Operation> = (rows.iter())
        .filter_map(|row| trace.program.operations.get(*row))
        .collect();
    let calls = calls(&operations);
    let steps = steps(&operations, calls);
    let mut found = within(trace, &steps, calls);
    let size = |found: &find::LoopRanges| found.iter().map(ExactSizeIterator::len).sum::<usize>();
    let mut order: Vec<usize> = found.iter().map(size).collect();
    order.sort_unstable_by(|a, b| b.cmp(a));
    if let Some(smallest) = order.get(MOST) {
        found.retain(|found| size(found) > *smallest);
    }
    found
}

/// Returns the loops in these steps. A loop has the operations of each iteration.
fn within(trace: &Trace, steps: &[Step], calls: Calls) -> Vec<find::LoopRanges> {
    let names: Vec<u32> = steps.iter().map(|step| step.call).collect();
    let least = match calls {
        Calls::Numbered => LEAST,
        Calls::Columns | Calls::Lines => LEAST_BY_LINE,
    };
    let known = Nests::new(trace, steps);
    let mut found = find::find(&names, least, &known);
    if calls != Calls::Numbered {
        found.retain_mut(|found| {
            drop_incomplete_last(&names, found);
            found.len() >= least && are_alike(&names, found)
        });
    }
    for found in &mut found {
        known.leave_out_outer(steps, found);
    }
    let mut ends = vec![0];
    for step in steps {
        ends.push(ends.last().copied().unwrap_or(0) + step.operations);
    }
    let position = |step: usize| ends.get(step).copied().unwrap_or_default();
    let positions = |range: &Range<usize>| position(range.start)..position(range.end);
    let found = found.iter();
    found
        .map(|found| found.iter().map(positions).collect())
        .collect()
}

/// Returns the way in which the calls of these operations are distinguished.
fn calls(operations: &[&Operation]) -> Calls {
    match operations {
        _ if operations
            .iter()
            .any(|row| CallNumber::from_number(row.call).is_some()) =>
        {
            Calls::Numbered
        }
        _ if operations.iter().any(|row| row.call != 0) => Calls::Columns,
        _ => Calls::Lines,
    }
}

/// Returns the steps of the program that submitted these operations.
fn steps(operations: &[&Operation], calls: Calls) -> Vec<Step> {
    let mut numbers: FxHashMap<StepKey, u32> = FxHashMap::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut before: Option<(u32, Option<CallNumber>)> = None;
    for operation in operations {
        let number = CallNumber::from_number(operation.call);
        let key = match (calls, number) {
            (Calls::Lines, _) => (operation.provenance, 0, None),
            (_, Some(number)) => {
                let name = (!number.is_indirect()).then_some(operation.name);
                (operation.provenance, number.place(), name)
            }
            (_, None) => (operation.provenance, operation.call, Some(operation.name)),
        };
        let next = numbers.len() as u32;
        let is_deep = number.is_some_and(|number| number.place() == CallNumber::TOO_DEEP.place());
        let call = match is_deep {
            true => find::BREAK,
            false => *numbers.entry(key).or_insert(next),
        };
        // Functions of the front end, and expressions whose calls are not distinguished, submit
        // several operations in a row.
        let is_same_step = before
            .is_some_and(|(last, other)| last == call && (number.is_none() || number == other));
        before = Some((call, number));
        match steps.last_mut() {
            Some(step) if is_same_step => step.operations += 1,
            _ => steps.push(Step {
                place: operation.provenance,
                operations: 1,
                call,
            }),
        }
    }
    steps
}

/// The loops around each step, according to the text of the program.
struct Nests {
    nests: FxHashMap<u32, (Function, Nest)>,
}

/// A function, identified by file and name.
type Function = (StringIndex, StringIndex);

impl Nests {
    fn new(trace: &Trace, steps: &[Step]) -> Nests {
        let outlines = Outlines::new(trace);
        let mut nests = FxHashMap::default();
        for step in steps {
            let row = trace.program.provenances.get(step.place);
            let Some(outline) = outlines.get(row.file) else {
                continue;
            };
            nests.entry(step.call).or_insert_with(|| {
                let function = trace.strings.get(row.function);
                let nest = match function.ends_with("comp>") || function.ends_with("<genexpr>") {
                    // Such a function is a loop.
                    true => Nest {
                        loops: vec![row.line],
                        is_direct: false,
                    },
                    false => outline.nest(row.line),
                };
                ((row.file, row.function), nest)
            });
        }
        Nests { nests }
    }
}

impl Nests {
    /// Ends iterations of a loop before calls that are outside of it according to the text of the
    /// program. Otherwise the last iteration of a run of an inner loop would extend to the next
    /// run. Iterations that begin in the middle of the body are unchanged.
    fn leave_out_outer(&self, steps: &[Step], found: &mut find::LoopRanges) {
        let calls = |range: &Range<usize>| {
            let steps = steps.get(range.clone()).unwrap_or_default();
            steps.iter().map(|step| step.call)
        };
        let mut taken: FxHashMap<u32, usize> = FxHashMap::default();
        for range in found.iter() {
            let distinct: FxHashSet<u32> = calls(range).collect();
            for call in distinct {
                *taken.entry(call).or_default() += 1;
            }
        }
        // Calls in most iterations are in the loop.
        taken.retain(|_, count| 2 * *count > found.len());
        let usual = || taken.keys().filter_map(|call| self.nests.get(call));
        let mut functions: FxHashMap<Function, usize> = FxHashMap::default();
        for (function, _) in usual() {
            *functions.entry(*function).or_default() += 1;
        }
        let most = functions
            .iter()
            .max_by_key(|(function, count)| (**count, Reverse(**function)));
        let Some((function, _)) = most else {
            return;
        };
        let own = usual().filter(|(other, _)| other == function);
        let Some((_, own)) = own.min_by_key(|(_, nest)| (nest.loops.len(), nest.loops.clone()))
        else {
            return;
        };
        let is_within = |call: u32| {
            let known = self.nests.get(&call);
            let known = known.filter(|(other, _)| other == function);
            known.map(|(_, nest)| nest.loops.ends_with(&own.loops))
        };
        for range in found.iter_mut() {
            let last = calls(range).rposition(|call| is_within(call) == Some(true));
            let Some(last) = last else { continue };
            let after = calls(range).skip(last + 1);
            let outside = after
                .take_while(|call| is_within(*call) != Some(false))
                .count();
            range.end = range.end.min(range.start + last + 1 + outside);
        }
    }
}

impl find::Steps for Nests {
    fn outer(&self, counts: &FxHashMap<u32, usize>) -> Option<u32> {
        let nests = || {
            counts
                .keys()
                .filter_map(|step| Some((*step, self.nests.get(step)?)))
        };
        // Of the steps that each iteration of their loop takes, the least frequent ones belong to
        // the outermost loop.
        let is_often = |step: &u32| counts.get(step).is_some_and(|count| *count >= LEAST);
        let direct = nests().filter(|(step, (_, nest))| nest.is_direct && is_often(step));
        let (outer, (function, own)) = direct.min_by_key(|(step, (function, nest))| {
            (
                counts.get(step).copied(),
                nest.loops.len(),
                *function,
                *step,
            )
        })?;
        // Another loop is nested in that one if it begins in it, or in another function that is
        // called.
        let mut others = nests().filter(|(step, _)| counts.get(step) > counts.get(&outer));
        let is_inner = others.any(|(_, (other, nest))| match other == function {
            true => nest.loops.len() > own.loops.len() && nest.loops.ends_with(&own.loops),
            false => !nest.loops.is_empty(),
        });
        is_inner.then_some(outer)
    }
}

/// Drops an incomplete last iteration: a test before the end, or an end in mid-iteration.
fn drop_incomplete_last(steps: &[u32], found: &mut find::LoopRanges) {
    let (Some(last), Some(before)) = (found.last(), found.len().checked_sub(2)) else {
        return;
    };
    let body = |range: &Range<usize>| steps.get(range.clone()).unwrap_or_default();
    let is_incomplete = found.get(before).is_some_and(|before| {
        body(before).len() > body(last).len() && body(before).starts_with(body(last))
    });
    if is_incomplete {
        found.pop();
    }
}

/// Returns whether at most a fifth of all iterations, except the first and the last, differ from
/// the usual one.
fn are_alike(steps: &[u32], found: &find::LoopRanges) -> bool {
    let middle = found
        .get(1..found.len().saturating_sub(1))
        .unwrap_or_default();
    let mut counts: FxHashMap<&[u32], usize> = FxHashMap::default();
    for range in middle {
        *counts
            .entry(steps.get(range.clone()).unwrap_or_default())
            .or_default() += 1;
    }
    let usual = counts.values().copied().max().unwrap_or(0);
    5 * (middle.len() - usual) <= middle.len()
}

/// Returns a sentence about the loop whose operations took most time: its place, and the times of
/// its iterations in warm-up and after it. On GPUs, these are device times. Without operations, the
/// loop is one of repeating ranges. `None` if nothing repeats, or the times of most iterations are
/// unknown.
pub fn note(trace: &Trace) -> Option<String> {
    if let Some(found) = RangeLoop::detect(trace) {
        return found.note();
    }
    let index = Index::new(trace);
    let iterations = Iterations::detect(trace, &index);
    let longest = iterations.longest()?;
    let times = LoopTimes::measure(trace, &index, &iterations, longest, Times::Device)?;
    let found = iterations.loops.get(longest as usize)?;
    let lines = described_lines(trace, found.lines)?;
    let text = described(&times.lengths(), times.steady_part(), times.is_estimated())?;
    // The number of runs of an inner loop is left out: runs are merged if the outer loop called
    // nothing between them.
    Some(format!("the loop at {lines} has {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_an_incomplete_last_iteration() {
        let steps = [1, 2, 3, 1, 2, 3, 1, 2];
        let mut found = vec![0..3, 3..6, 6..8];
        drop_incomplete_last(&steps, &mut found);
        assert_eq!(found, [0..3, 3..6]);
        drop_incomplete_last(&steps, &mut found);
        assert_eq!(found, [0..3, 3..6]);
    }

    #[test]
    fn frequently_differing_iterations_are_not_alike() {
        let alike = |bodies: &[&[u32]]| {
            let mut found = Vec::new();
            let mut start = 0;
            for body in bodies {
                found.push(start..start + body.len());
                start += body.len();
            }
            are_alike(&bodies.concat(), &found)
        };
        let (usual, other): (&[u32], &[u32]) = (&[1, 2], &[1, 2, 3]);
        assert!(alike(&[other, usual, usual, usual, usual]));
        assert!(alike(&[
            usual, usual, usual, usual, usual, other, usual, usual
        ]));
        assert!(!alike(&[usual, other, usual, other, usual, other]));
    }
}
