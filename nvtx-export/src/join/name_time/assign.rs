//! Each range to its task, one to one.

use super::bodies::Case;
use crate::clock::Conversion;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_trace::id::ProcessorId;

/// Tasks that may be under way on one processor at a time: one runs, others wait.
const UNDER_WAY: usize = 64;

/// Ranges of a thread that are asked for its processor.
const ASKED: usize = 256;

/// Which range is the body of which task.
#[derive(Debug, Default)]
pub(super) struct Assignment {
    /// Rows of ranges and of tasks.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Ranges that lie inside several tasks alike.
    pub(super) ambiguous: usize,
}

/// Gives each range the task of its name that it lies inside of, give or take `slack` ns: on the processor of its
/// thread, of several (a task that waits lets others run) the one that begins nearest. Where two begin about as near,
/// none is taken if this is `strict`; and no task is taken twice: the nearest range has it.
pub(super) fn assign(
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
    let mut claims: Vec<(i64, u32, u32)> = Vec::new();
    for rows in threads.values() {
        let Some(processor) = processor(case, conversion, slack, rows) else {
            continue;
        };
        for &row in rows {
            match nearest(case, conversion, slack, row, processor) {
                Nearest::One(away, task) => claims.push((away, row, task)),
                Nearest::Several(away, task) if !strict => claims.push((away, row, task)),
                Nearest::Several(..) => assignment.ambiguous += 1,
                Nearest::None => {}
            }
        }
    }
    claims.sort_unstable();
    let mut taken = FxHashSet::default();
    for (_, row, task) in claims {
        if taken.insert(task) {
            assignment.pairs.push((row, task));
        }
    }
    assignment.pairs.sort_unstable();
    assignment
}

/// The processor whose tasks most ranges of a thread lie inside of; of several alike the one whose tasks begin
/// nearest.
fn processor(
    case: &Case<'_>,
    conversion: &Conversion,
    slack: i64,
    rows: &[u32],
) -> Option<ProcessorId> {
    let mut votes: FxHashMap<ProcessorId, (usize, i64)> = FxHashMap::default();
    for &row in rows.iter().step_by(rows.len().div_ceil(ASKED).max(1)) {
        for (processor, _) in case.pool(row) {
            let nearest = nearest(case, conversion, slack, row, *processor);
            if let Nearest::One(away, _) | Nearest::Several(away, _) = nearest {
                let vote = votes.entry(*processor).or_default();
                vote.0 += 1;
                vote.1 = vote.1.saturating_add(away);
            }
        }
    }
    let best = votes.into_iter().max_by_key(|(processor, (inside, away))| {
        (
            *inside,
            std::cmp::Reverse(*away),
            std::cmp::Reverse(*processor),
        )
    });
    best.map(|(processor, _)| processor)
}

enum Nearest {
    /// How far apart the two begin, in ns; the row of the task.
    One(i64, u32),
    /// The same of the nearest, and another begins about as near.
    Several(i64, u32),
    None,
}

fn nearest(
    case: &Case<'_>,
    conversion: &Conversion,
    slack: i64,
    row: u32,
    processor: ProcessorId,
) -> Nearest {
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
        if conversion.apply(to).nanos() < least {
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
        Some((away, task)) if second.saturating_sub(away) <= slack => Nearest::Several(away, task),
        Some((away, task)) => Nearest::One(away, task),
        None => Nearest::None,
    }
}
