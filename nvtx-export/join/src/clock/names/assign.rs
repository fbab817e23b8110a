//! Matching of ranges to tasks, one to one.

use super::super::conversion::Conversion;
use crate::identify::Case;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_trace::id::ProcessorId;
use weft_trace::time::Timestamp;

/// The maximum number of tasks in progress on one processor: one runs, the others wait.
const UNDER_WAY: usize = 64;

/// The number of a thread's ranges that are used to find its processor.
const ASKED: usize = 256;

/// The matched ranges and tasks.
#[derive(Debug, Default)]
pub(crate) struct Assignment {
    /// Pairs of the row of a range and the row of its task.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// The number of ranges that lie inside several tasks equally well.
    pub(crate) ambiguous: usize,
    /// The number of ranges that lie inside a task, but begin or end apart from it, unlike the
    /// other ranges.
    pub(crate) rejected: usize,
}

/// Matches each range to a task of its name that it lies inside of, allowing `slack` ns at both
/// ends.
///
/// Only tasks on the processor of the range's thread are candidates. Of several (a task that waits
/// lets others run), the one that begins nearest is chosen. Each task is matched once, to the
/// nearest range. If two begin about equally near and `strict` is set, neither is matched at first.
/// The remaining ranges are tried again after the others are matched, and then with more slack,
/// because readings of clocks are occasionally wrong.
///
/// A body that begins late still ends with its task. On a GPU, where the task ends later, the body
/// begins with it. A range that does neither, and fills less than nine tenths of the task, belongs
/// to another task, whose record is missing.
pub(crate) fn assign(
    case: &Case<'_>,
    conversion: &Conversion,
    slack: i64,
    strict: bool,
) -> Assignment {
    let mut threads: FxHashMap<i64, Vec<u32>> = FxHashMap::default();
    for row in case.rows() {
        if let Some(thread) = case.thread(*row) {
            threads.entry(thread).or_default().push(*row);
        }
    }
    let mut assignment = Assignment::default();
    let mut matching = Match {
        case,
        conversion,
        taken: FxHashSet::default(),
    };
    let mut left: Vec<(u32, ProcessorId)> = Vec::new();
    for rows in threads.values() {
        match matching.processor(slack, rows) {
            Some(processor) => left.extend(rows.iter().map(|row| (*row, processor))),
            None => assignment.ambiguous += rows.len(),
        }
    }
    left.sort_unstable();
    let passes: &[i64] = match strict {
        true => &[slack, slack, slack.saturating_mul(8)],
        false => &[slack],
    };
    let mut usual = None;
    for (pass, &slack) in passes.iter().enumerate() {
        let (mut claims, mut next) = (Vec::new(), Vec::new());
        let (mut several, mut odd) = (0, 0);
        for &(row, processor) in &left {
            match matching.nearest(slack, row, processor) {
                Nearest::Several(..) if strict => several += 1,
                Nearest::One(away, task) | Nearest::Several(away, task) => {
                    claims.push((away, row, task, processor));
                    continue;
                }
                Nearest::None => {}
            }
            next.push((row, processor));
        }
        let usual = usual.get_or_insert_with(|| matching.usual(slack, &claims));
        claims.sort_unstable();
        for (away, row, task, processor) in claims {
            let fits = matching.fits(usual, away, row, task);
            odd += usize::from(!fits);
            if fits && matching.taken.insert(task) {
                assignment.pairs.push((row, task));
            } else {
                next.push((row, processor));
            }
        }
        if pass + 1 == passes.len() {
            assignment.ambiguous += several;
            assignment.rejected = odd;
        }
        left = next;
    }
    assignment.pairs.sort_unstable();
    assignment
}

enum Nearest {
    /// The distance between the beginnings in ns, and the row of the task.
    One(i64, u32),
    /// The distance and row of the nearest task, if another one begins about as near.
    Several(i64, u32),
    None,
}

/// The typical largest distances in ns between the ends of ranges and of their tasks.
struct Usual {
    begins: i64,
    /// The distance between the ends; `None` if tasks end long after their ranges.
    ends: Option<i64>,
}

struct Match<'a> {
    case: &'a Case<'a>,
    conversion: &'a Conversion,
    taken: FxHashSet<u32>,
}

/// The distance between the beginnings of a range and a task in ns, their rows, and the processor.
type Claim = (i64, u32, u32, ProcessorId);

impl Match<'_> {
    fn ends(&self, row: u32, task: u32) -> Option<i64> {
        let (range, task) = (self.case.range(row)?, self.case.task(task)?);
        let end = self.conversion.apply(task.1);
        Some((range.1 - end).0.saturating_abs())
    }

    fn usual(&self, slack: i64, claims: &[Claim]) -> Usual {
        let middle = |mut all: Vec<i64>| {
            let middle = all.len() / 2;
            match all.is_empty() {
                true => 0,
                false => *all.select_nth_unstable(middle).1,
            }
        };
        let limit = |middle: i64| middle.saturating_mul(10).saturating_add(slack);
        let begins = middle(claims.iter().map(|claim| claim.0).collect());
        let ends = claims
            .iter()
            .filter_map(|claim| self.ends(claim.1, claim.2));
        let ends = middle(ends.collect());
        let telling = ends <= begins.saturating_mul(4).saturating_add(slack);
        Usual {
            begins: limit(begins),
            ends: telling.then(|| limit(ends)),
        }
    }

    fn fits(&self, usual: &Usual, away: i64, row: u32, task: u32) -> bool {
        let ends = usual.ends.zip(self.ends(row, task));
        let length = |(start, end): (Timestamp, Timestamp)| (end - start).0;
        let lengths = self.case.range(row).zip(self.case.task(task));
        away <= usual.begins
            || ends.is_some_and(|(limit, away)| away <= limit)
            || lengths.is_some_and(|(range, task)| length(range) >= length(task) / 10 * 9)
    }

    /// Returns the processor with tasks nearest to most ranges of a thread. Ranges that are about
    /// equally near to tasks of several processors do not count, because index launches begin on
    /// all of them at once.
    fn processor(&self, slack: i64, rows: &[u32]) -> Option<ProcessorId> {
        let mut votes: FxHashMap<ProcessorId, usize> = FxHashMap::default();
        for &row in rows.iter().step_by(rows.len().div_ceil(ASKED).max(1)) {
            let near = self.case.pool(row).iter().filter_map(|(processor, _)| {
                match self.nearest(slack, row, *processor) {
                    Nearest::One(away, _) | Nearest::Several(away, _) => Some((away, *processor)),
                    Nearest::None => None,
                }
            });
            let mut near: Vec<(i64, ProcessorId)> = near.collect();
            near.sort_unstable();
            let (first, second) = match near[..] {
                [first, second, ..] => (first, second.0),
                [first] => (first, i64::MAX),
                [] => continue,
            };
            if second.saturating_sub(first.0) > slack / 4 {
                *votes.entry(first.1).or_default() += 1;
            }
        }
        let mut votes: Vec<(usize, ProcessorId)> = votes
            .into_iter()
            .map(|(processor, votes)| (votes, processor))
            .collect();
        votes.sort_unstable_by(|a, b| b.cmp(a));
        match votes[..] {
            [first, second, ..] if first.0 == second.0 => None,
            [first, ..] => Some(first.1),
            [] => None,
        }
    }

    fn nearest(&self, slack: i64, row: u32, processor: ProcessorId) -> Nearest {
        let Match {
            case, conversion, ..
        } = self;
        let pool = case.pool(row).iter().find(|(id, _)| *id == processor);
        let (Some((_, tasks)), Some((start, end))) = (pool, case.range(row)) else {
            return Nearest::None;
        };
        let latest = start.nanos().saturating_add(slack);
        let least = end.nanos().saturating_sub(slack);
        let begun = tasks.partition_point(|task| {
            case.task(*task)
                .is_some_and(|(from, _)| conversion.apply(from).nanos() <= latest)
        });
        let mut best: Option<(i64, u32)> = None;
        let mut second = i64::MAX;
        let under_way = tasks.get(..begun).unwrap_or(&[]);
        for task in under_way.iter().rev().take(UNDER_WAY) {
            let Some((from, to)) = case.task(*task) else {
                continue;
            };
            if conversion.apply(to).nanos() < least || self.taken.contains(task) {
                continue;
            }
            let away = (start - conversion.apply(from)).0.saturating_abs();
            match best {
                Some((nearer, _)) if away >= nearer => second = second.min(away),
                _ => {
                    second = best.map_or(second, |(further, _)| further);
                    best = Some((away, *task));
                }
            }
        }
        match best {
            Some((away, task)) if second.saturating_sub(away) <= slack => {
                Nearest::Several(away, task)
            }
            Some((away, task)) => Nearest::One(away, task),
            None => Nearest::None,
        }
    }
}
