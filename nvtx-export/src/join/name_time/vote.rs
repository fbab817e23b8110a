//! How far two clocks are apart: by which offset do most ranges lie inside a task of their name?

use super::bodies::Case;
use crate::clock::{Fit, Pair};
use weft_trace::time::Timestamp;

/// How far an end may be misread, in ns.
const BLUR: i64 = 5_000;

/// Windows around the offset of the wall clocks to look in, in ns: where both were read on one machine, and elsewhere.
const WINDOWS: [i64; 2] = [20_000_000, 2_000_000_000];

/// Ranges that find the offset together.
const BLOCK: usize = 128;

/// Tasks that are tried for one range on one processor.
const TRIED: usize = 2048;

/// The share of ranges that must lie inside a task.
const SHARE: f64 = 0.5;

/// An offset and the ranges that it puts inside a task, as a share of those asked.
#[derive(Clone, Copy)]
struct Vote {
    offset: i64,
    share: f64,
}

/// Where to look for an offset.
#[derive(Clone, Copy)]
struct Window {
    centre: i64,
    reach: i64,
}

/// A rough conversion from the clock of the tasks to that of the ranges.
pub(super) fn fit(case: &Case<'_>, wall: Option<i64>) -> Option<Fit> {
    let rows = case.rows();
    let (at, vote) = first(case, wall)?;
    // Clocks drift: smaller blocks tell it, each looked for near its neighbour.
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
        // A millisecond, and 300 ns for each millisecond in between.
        let reach = i64::try_from(away / 3_333).unwrap_or(i64::MAX);
        let window = Window {
            centre: latest.1,
            reach: reach.saturating_add(1_000_000),
        };
        if let Some(found) = stab(case, sample(block), Some(window))
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
    Fit::of(&pairs)
}

/// The block with the clearest vote: its first range's place, and the vote.
fn first(case: &Case<'_>, wall: Option<i64>) -> Option<(usize, Vote)> {
    let rows = case.rows();
    let near = wall.map(|centre| WINDOWS.map(|reach| Some(Window { centre, reach })));
    let windows = near.into_iter().flatten().chain([None]);
    let mut best: Option<(usize, Vote)> = None;
    for window in windows {
        for third in 0..3 {
            let at = rows.len() * third / 3;
            let block = rows.get(at..).map(|rest| &rest[..rest.len().min(BLOCK)]);
            let Some(vote) = block.and_then(|block| stab(case, sample(block), window)) else {
                continue;
            };
            if best.is_none_or(|(_, best)| vote.share > best.share) {
                best = Some((at, vote));
            }
        }
        if best.is_some_and(|(_, best)| best.share >= 0.9) {
            break;
        }
    }
    best.filter(|(_, vote)| vote.share >= SHARE)
}

/// All of a small block, and evenly spread ones of a large.
fn sample(block: &[u32]) -> impl Iterator<Item = u32> + '_ {
    block
        .iter()
        .copied()
        .step_by(block.len().div_ceil(BLOCK).max(1))
}

/// The offset within the window that puts the most of these ranges inside a task. Of several alike the one nearest to
/// the centre.
fn stab(case: &Case<'_>, rows: impl Iterator<Item = u32>, window: Option<Window>) -> Option<Vote> {
    let mut steps: Vec<(i64, i32)> = Vec::new();
    let mut asked = 0_usize;
    for row in rows {
        asked += 1;
        let mut spans = spans(case, row, window);
        spans.sort_unstable();
        // One range has one voice, however many of its tasks an offset would put it in.
        let mut reached = i64::MIN;
        for (low, high) in spans {
            if high > reached {
                steps.push((low.max(reached), 1));
                steps.push((high, -1));
                reached = high;
            }
        }
    }
    steps.sort_unstable();
    let centre = window.map_or(0, |window| window.centre);
    let (mut inside, mut most) = (0, 0);
    let mut best: Option<(i64, i64)> = None;
    for pair in steps.windows(2) {
        let [(low, step), (high, _)] = pair else {
            continue;
        };
        inside += step;
        let nearer = |(low, high): (i64, i64)| low.midpoint(high).abs_diff(centre);
        let better = inside > most
            || inside == most && best.is_some_and(|best| nearer((*low, *high)) < nearer(best));
        if better && high > low {
            most = inside;
            best = Some((*low, *high));
        }
    }
    let (low, high) = best?;
    // A wide span comes from tasks that end long after their range; those begin with it.
    let offset = if high - low > 4 * BLUR {
        high - BLUR
    } else {
        low.midpoint(high)
    };
    Some(Vote {
        offset,
        share: f64::from(most) / asked.max(1) as f64,
    })
}

/// The offsets that put a range inside one of its tasks.
fn spans(case: &Case<'_>, row: u32, window: Option<Window>) -> Vec<(i64, i64)> {
    let Some((start, end)) = case.range(row) else {
        return Vec::new();
    };
    let (start, end) = (start.nanos(), end.nanos());
    let mut spans = Vec::new();
    for (_, tasks) in case.pool(row) {
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
        // Those nearest to the middle of what there is.
        let skipped = tasks.len().saturating_sub(TRIED) / 2;
        for task in tasks.iter().skip(skipped).take(TRIED) {
            let Some((from, to)) = case.task(*task) else {
                continue;
            };
            let low = end.saturating_sub(to.nanos()).saturating_sub(BLUR);
            let high = start.saturating_sub(from.nanos()).saturating_add(BLUR);
            if low <= high {
                spans.push((low, high));
            }
        }
    }
    spans
}
