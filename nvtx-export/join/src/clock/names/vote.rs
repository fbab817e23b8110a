//! How far two clocks are apart: by which offset do most ranges of one thread lie inside a task of
//! their name on one processor? On all processors together some task is under way almost anywhere.

use super::super::fit::{Fit, Pair};
use crate::identify::Case;
use std::collections::{BTreeMap, BTreeSet};
use weft_trace::id::ProcessorId;
use weft_trace::time::Timestamp;

/// How far an end may be misread, and the clocks drift within a block, in ns: for short tasks, and
/// for long ones.
const BLUR: (i64, i64) = (1_000, 500_000);

/// Windows around the offset of the wall clocks, in ns: for clocks read on one machine, and for
/// others.
const WINDOWS: [i64; 2] = [20_000_000, 2_000_000_000];

/// The number of ranges that determine an offset together.
const BLOCK: usize = 96;

/// The number of tasks that are tried for one range on one processor.
const TRIED: usize = 2048;

/// The share of ranges that must lie inside a task.
const SHARE: f64 = 0.4;

/// The share above which the search ends.
const CLEAR: f64 = 0.9;

/// The number of threads that are tried.
const THREADS: usize = 4;

/// An offset, and the share of the sampled ranges that it puts inside a task.
#[derive(Clone, Copy)]
struct Vote {
    offset: i64,
    share: f64,
}

/// The change in votes at an offset, and the change in those votes that count for the share.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    voices: i32,
    counted: i32,
}

/// The range of offsets to search.
#[derive(Clone, Copy)]
struct Window {
    centre: i64,
    reach: i64,
}

/// The ranges of one thread, and the processor whose tasks they are compared with.
#[derive(Clone, Copy)]
struct Side<'a> {
    case: &'a Case<'a>,
    rows: &'a [u32],
    processor: ProcessorId,
    blur: i64,
}

/// Returns a rough conversion from the clock of the tasks to the clock of the ranges, and its error
/// in ns.
pub(super) fn fit(case: &Case<'_>, wall: Option<i64>) -> Option<(Fit, i64)> {
    let threads = threads(case);
    let sides = |rows: &'_ Vec<u32>| {
        let blur = blur(case, rows);
        let processors: BTreeSet<ProcessorId> = rows
            .iter()
            .flat_map(|row| case.pool(*row))
            .map(|(processor, _)| *processor)
            .collect();
        (processors, blur)
    };
    // The thread with the most ranges decides, unless its share is too low.
    let mut best: Option<(Side<'_>, usize, Vote)> = None;
    for rows in threads.iter().take(THREADS) {
        let (processors, blur) = sides(rows);
        let sides: Vec<Side<'_>> = processors
            .into_iter()
            .map(|processor| Side {
                case,
                rows,
                processor,
                blur,
            })
            .collect();
        if let Some(found) = first(&sides, wall)
            && best.is_none_or(|best| found.2.share > best.2.share)
        {
            best = Some(found);
        }
        if best.is_some_and(|(_, _, vote)| vote.share >= CLEAR) {
            break;
        }
    }
    let (side, at, vote) = best.filter(|(_, _, vote)| vote.share >= SHARE)?;
    Some((Fit::from_pairs(&follow(side, at, vote)?)?, 2 * side.blur))
}

/// Returns the ranges of each thread, sorted by start. The thread with the most ranges comes first.
fn threads(case: &Case<'_>) -> Vec<Vec<u32>> {
    let mut threads: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for &row in case.rows() {
        if let Some(thread) = case.thread(row) {
            threads.entry(thread).or_default().push(row);
        }
    }
    let mut threads: Vec<Vec<u32>> = threads.into_values().collect();
    threads.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    threads
}

/// Returns a twentieth of the length of a typical range. A larger value would match ranges
/// anywhere.
fn blur(case: &Case<'_>, rows: &[u32]) -> i64 {
    let length = |row: u32| case.range(row).map(|(start, end)| (end - start).0);
    let mut lengths: Vec<i64> = sample(rows).filter_map(length).collect();
    let middle = lengths.len() / 2;
    match lengths.get(middle) {
        Some(_) => (*lengths.select_nth_unstable(middle).1 / 20).clamp(BLUR.0, BLUR.1),
        None => BLUR.0,
    }
}

/// Follows the drift of the clocks from one block of a thread's ranges to both ends.
fn follow(side: Side<'_>, at: usize, vote: Vote) -> Option<Vec<Pair>> {
    let Side { case, rows, .. } = side;
    let size = rows.len().div_ceil(64).max(16);
    let blocks: Vec<&[u32]> = rows.chunks(size).collect();
    let middle = (at / size).min(blocks.len());
    let mut pairs = Vec::new();
    let mut walk = |block: &[u32], latest: &mut (i64, i64)| {
        let Some(start) = block.get(block.len() / 2).and_then(|row| case.range(*row)) else {
            return;
        };
        let now = start.0.nanos();
        let away = now.abs_diff(latest.0);
        // The error of the last offset, and 300 ns for each millisecond since.
        let reach = i64::try_from(away / 3_333).unwrap_or(i64::MAX);
        let window = Window {
            centre: latest.1,
            reach: reach.saturating_add(100_000 + 2 * side.blur),
        };
        if let Some(found) = stab(side, sample(block), Some(window))
            && found.share >= SHARE
        {
            *latest = (now, found.offset);
            pairs.extend(block.iter().filter_map(|row| {
                let to = case.range(*row)?.0;
                let from = to.nanos().saturating_sub(found.offset);
                let from = Timestamp::from_nanos_since_boot(from);
                Some(Pair { from, to })
            }));
        }
    };
    let began = rows.get(at).and_then(|row| case.range(*row))?;
    let began = (began.0.nanos(), vote.offset);
    let (early, late) = blocks.split_at(middle);
    let (mut up, mut down) = (began, began);
    for block in late {
        walk(block, &mut up);
    }
    for block in early.iter().rev() {
        walk(block, &mut down);
    }
    Some(pairs)
}

/// Returns the side and block with the clearest vote: the index of the block's first range, and the
/// vote.
fn first<'a>(sides: &[Side<'a>], wall: Option<i64>) -> Option<(Side<'a>, usize, Vote)> {
    let near = wall.map(|centre| WINDOWS.map(|reach| Some(Window { centre, reach })));
    let windows = near.into_iter().flatten().chain([None]);
    let mut best: Option<(Side<'a>, usize, Vote)> = None;
    for window in windows {
        for third in 0..3 {
            for &side in sides {
                // Whole blocks are compared: equally long tasks in a row look alike if shifted by
                // one, and a few ranges cannot tell them apart.
                let last = side.rows.len().saturating_sub(BLOCK);
                let at = (side.rows.len() * third / 3).min(last);
                let block = side.rows.get(at..);
                let block = block.map(|rest| &rest[..rest.len().min(BLOCK)]);
                let Some(vote) = block.and_then(|block| stab(side, sample(block), window)) else {
                    continue;
                };
                if best.is_none_or(|(_, _, best)| vote.share > best.share) {
                    best = Some((side, at, vote));
                }
            }
            if best.is_some_and(|(_, _, best)| best.share >= CLEAR) {
                return best;
            }
        }
    }
    best
}

/// Returns all of a small block, or evenly spaced elements of a large one.
fn sample(block: &[u32]) -> impl Iterator<Item = u32> + '_ {
    block
        .iter()
        .copied()
        .step_by(block.len().div_ceil(BLOCK).max(1))
}

/// Returns the offset within the window that puts most of these ranges inside a task, at its
/// beginning and close to it. If several are equally good, it returns the one nearest to the
/// centre.
///
/// With tasks of about equal length in a row, an offset that is wrong by that length also puts
/// ranges at the beginning of the next task, but less closely than at their own. Bodies may begin
/// late for other reasons, so closeness does not count for the share.
fn stab(side: Side<'_>, rows: impl Iterator<Item = u32>, window: Option<Window>) -> Option<Vote> {
    let mut steps: Vec<(i64, Step)> = Vec::new();
    let close = (side.blur / 4).max(BLUR.0);
    let mut asked = 0_usize;
    for row in rows {
        asked += 1;
        let inside = spans(side, row, window);
        let begins = |(low, high): &(i64, i64)| ((high - 3 * side.blur).max(*low), *high);
        let closely = |(low, high): &(i64, i64)| {
            let begin = high - side.blur;
            ((begin - close).max(*low), (begin + close).min(*high))
        };
        let begin = inside.iter().map(begins).collect();
        let near = inside.iter().map(closely).filter(|(low, high)| low <= high);
        let near = near.collect();
        for (counted, mut spans) in [(1, begin), (0, near), (1, inside)] {
            spans.sort_unstable();
            // A range has one vote per offset, even if the offset would put it in several of its
            // tasks.
            let mut reached = i64::MIN;
            for (low, high) in spans {
                if high > reached {
                    let voice = |voices| Step {
                        voices,
                        counted: voices * counted,
                    };
                    steps.push((low.max(reached), voice(1)));
                    steps.push((high, voice(-1)));
                    reached = high;
                }
            }
        }
    }
    steps.sort_unstable();
    let centre = window.map_or(0, |window| window.centre);
    let mut inside = Step::default();
    let mut most = Step::default();
    let mut best: Option<(i64, i64)> = None;
    for pair in steps.windows(2) {
        let [(low, step), (high, _)] = pair else {
            continue;
        };
        inside.voices += step.voices;
        inside.counted += step.counted;
        let nearer = |(low, high): (i64, i64)| low.midpoint(high).abs_diff(centre);
        let better = inside.voices > most.voices
            || inside.voices == most.voices
                && best.is_some_and(|best| nearer((*low, *high)) < nearer(best));
        if better && high > low {
            most = inside;
            best = Some((*low, *high));
        }
    }
    let (low, high) = best?;
    let offset = low.midpoint(high);
    Some(Vote {
        offset,
        share: f64::from(most.counted) / (2 * asked).max(1) as f64,
    })
}

/// Returns the offsets that put a range inside one of its tasks.
fn spans(side: Side<'_>, row: u32, window: Option<Window>) -> Vec<(i64, i64)> {
    let Side { case, blur, .. } = side;
    let Some((start, end)) = case.range(row) else {
        return Vec::new();
    };
    let (start, end) = (start.nanos(), end.nanos());
    let mut spans = Vec::new();
    let pool = case.pool(row).iter();
    for (_, tasks) in pool.filter(|(processor, _)| *processor == side.processor) {
        let begins = |task: &u32| case.task(*task).map_or(0, |task| task.0.nanos());
        let tasks = match window {
            Some(Window { centre, reach }) => {
                let middle = start.saturating_sub(centre);
                let first =
                    tasks.partition_point(|task| begins(task) < middle.saturating_sub(reach));
                let last =
                    tasks.partition_point(|task| begins(task) <= middle.saturating_add(reach));
                tasks.get(first..last).unwrap_or(&[])
            }
            None => tasks,
        };
        // Only the tasks nearest to the middle are tried.
        let skipped = tasks.len().saturating_sub(TRIED) / 2;
        for task in tasks.iter().skip(skipped).take(TRIED) {
            let Some((from, to)) = case.task(*task) else {
                continue;
            };
            let low = end.saturating_sub(to.nanos()).saturating_sub(blur);
            let high = start.saturating_sub(from.nanos()).saturating_add(blur);
            if low <= high {
                spans.push((low, high));
            }
        }
    }
    spans
}
