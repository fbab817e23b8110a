//! The critical path of a simulated run, computed from its definition. Every interval of time is a
//! piece with one cause, which is searched for among all others.

use super::simulated::{Ran, Sent, Unit, Waited, Work, World};
use weft_model::WaitKind;

/// A part of the path: kind, rank, start and end.
pub(crate) type Part = (&'static str, usize, i64, i64);

/// An item that can be on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PathNode {
    Ran(usize),
    Issued(usize),
    Planned(usize),
    Sent(usize),
    /// The program of a rank, up to the current time.
    Program(usize),
}

/// Returns the path, earliest part first. Consecutive parts of one kind and rank are merged.
pub(crate) fn path(world: &World) -> Vec<Part> {
    let mut at = i64::MIN;
    let mut thing = PathNode::Program(0);
    let mut first = i64::MAX;
    let mut see = |start: i64, end: i64, what: PathNode| {
        first = first.min(start);
        if end > at {
            (at, thing) = (end, what);
        }
    };
    for (row, ran) in world.ran.iter().enumerate() {
        let what = match ran.place {
            Unit::Program => PathNode::Program(ran.rank),
            _ => PathNode::Ran(row),
        };
        see(ran.start, ran.end, what);
    }
    for (row, sent) in world.sent.iter().enumerate() {
        see(
            sent.starts[0].max(sent.starts[1]),
            sent.ends[1],
            PathNode::Sent(row),
        );
    }
    for (row, planned) in world.planned.iter().enumerate() {
        see(planned.start, planned.end, PathNode::Planned(row));
    }
    for wait in &world.waited {
        see(wait.start, wait.end, PathNode::Program(wait.rank));
    }
    for asked in &world.asked {
        for (rank, asked) in asked.iter().enumerate() {
            see(*asked, *asked, PathNode::Program(rank));
        }
    }
    let mut path: Vec<Part> = Vec::new();
    while at > first {
        let (kind, rank, start) = match thing {
            PathNode::Ran(row) => ("task", world.ran[row].rank, world.ran[row].start),
            PathNode::Issued(row) => (
                "issue",
                world.ran[row].rank,
                world.ran[row].issue.unwrap().0,
            ),
            PathNode::Planned(row) => (
                "analysis",
                world.planned[row].rank,
                world.planned[row].start,
            ),
            PathNode::Sent(row) => {
                let sent = &world.sent[row];
                ("message", sent.ranks[1], sent.starts[0].max(sent.starts[1]))
            }
            PathNode::Program(rank) => {
                (thing, at) = program(world, rank, at, first, &mut path);
                continue;
            }
        };
        path.push((kind, rank, start, at));
        let causes = causes(world, thing);
        let (end, cause) = *causes.iter().max_by_key(|cause| cause.0).unwrap();
        let end = end.min(start);
        path.push(("queue", rank, end, start));
        (at, thing) = (end, cause);
    }
    path.reverse();
    merged(path)
}

/// Removes parts without length, and merges consecutive ones.
pub(crate) fn merged(path: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::new();
    for part in path.into_iter().filter(|part| part.2 < part.3) {
        match merged.last_mut() {
            Some(last) if (last.0, last.1, last.3) == (part.0, part.1, part.2) => last.3 = part.3,
            _ => merged.push(part),
        }
    }
    merged
}

/// Takes one step back along the program of a rank.
fn program(
    world: &World,
    rank: usize,
    at: i64,
    first: i64,
    path: &mut Vec<Part>,
) -> (PathNode, i64) {
    let ran = world.ran.iter();
    let ran = ran.filter(|ran| (ran.rank, ran.place) == (rank, Unit::Program) && ran.end <= at);
    let ran = ran.max_by_key(|ran| ran.end);
    let waited = world.waited.iter();
    let waited = waited.filter(|wait| wait.rank == rank && wait.end <= at);
    let waited = waited.max_by_key(|wait| wait.end);
    let own = PathNode::Program(rank);
    let ran_end = ran.map_or(i64::MIN, |ran| ran.end);
    let wait_end = waited.map_or(i64::MIN, |wait| wait.end);
    if ran_end == i64::MIN && wait_end == i64::MIN {
        path.push(("program", rank, first, at));
        return (own, first);
    }
    if ran_end > wait_end {
        let ran = ran.unwrap();
        path.push(("program", rank, ran.end, at));
        path.push(("task", rank, ran.start, ran.end));
        return (own, ran.start);
    }
    let wait = waited.unwrap();
    path.push(("program", rank, wait.end, at));
    match awaited(world, wait) {
        Some((ready, thing)) if ready > wait.start => {
            path.push(("wait", rank, ready, wait.end));
            (thing, ready)
        }
        _ => {
            path.push(("wait", rank, wait.start, wait.end));
            (own, wait.start)
        }
    }
}

/// Returns the end of a program's wait and its cause.
fn awaited(world: &World, wait: &Waited) -> Option<(i64, PathNode)> {
    let mut candidates: Vec<(i64, PathNode)> = Vec::new();
    if wait.kind == WaitKind::Agreement {
        let others = world.waited.iter();
        let others = others.filter(|o| (o.kind, o.operation) == (wait.kind, wait.operation));
        let last = others.max_by_key(|other| other.start).unwrap();
        return (last.rank != wait.rank).then_some((last.start, PathNode::Program(last.rank)));
    }
    for (row, ran) in world.ran.iter().enumerate() {
        let counts = ran.rank == wait.rank
            && match wait.kind {
                WaitKind::Value => Some(ran.operation) == wait.operation,
                _ => ran.place != Unit::Program && ran.end <= wait.end,
            };
        if counts {
            let thing = match ran.place {
                Unit::Program => PathNode::Program(ran.rank),
                _ => PathNode::Ran(row),
            };
            candidates.push((ran.end, thing));
        }
    }
    if wait.kind == WaitKind::All {
        for (row, sent) in world.sent.iter().enumerate() {
            if sent.ranks[1] == wait.rank && sent.ends[1] <= wait.end {
                candidates.push((sent.ends[1], PathNode::Sent(row)));
            }
        }
    }
    candidates.into_iter().max_by_key(|cause| cause.0)
}

fn end_of(world: &World, work: Work, rank: usize) -> (i64, PathNode) {
    match work {
        Work::Task(row) => {
            let ran = &world.ran[row];
            let thing = match ran.place {
                Unit::Program => PathNode::Program(ran.rank),
                _ => PathNode::Ran(row),
            };
            (ran.end, thing)
        }
        Work::Message(row) => {
            let sent = &world.sent[row];
            let side = usize::from(sent.ranks[1] == rank);
            (sent.ends[side], PathNode::Sent(row))
        }
    }
}

/// Returns the tasks that one launch served.
fn together<'a>(world: &'a World, ran: &'a Ran) -> impl Iterator<Item = (usize, &'a Ran)> {
    let all = world.ran.iter().enumerate();
    all.filter(move |(_, other)| (other.rank, other.launch) == (ran.rank, ran.launch))
}

fn planned(world: &World, rank: usize, operation: usize) -> Option<(i64, PathNode)> {
    let is_it = |row: &usize| {
        (world.planned[*row].rank, world.planned[*row].operation) == (rank, operation)
    };
    let row = (0..world.planned.len()).find(is_it)?;
    Some((world.planned[row].end, PathNode::Planned(row)))
}

fn causes(world: &World, thing: PathNode) -> Vec<(i64, PathNode)> {
    let mut causes = Vec::new();
    match thing {
        PathNode::Ran(row) => {
            let ran = &world.ran[row];
            for (_, member) in together(world, ran) {
                let after = member.after.iter();
                causes.extend(after.map(|work| end_of(world, *work, ran.rank)));
                if ran.issue.is_none() {
                    causes.extend(planned(world, ran.rank, member.operation));
                }
            }
            causes.extend(ran.issue.map(|(_, end)| (end, PathNode::Issued(row))));
            for (other, before) in world.ran.iter().enumerate() {
                let same = (before.rank, before.place) == (ran.rank, ran.place);
                if same && before.launch != ran.launch && before.end <= ran.start {
                    causes.push((before.end, PathNode::Ran(other)));
                }
            }
        }
        PathNode::Issued(row) => {
            let ran = &world.ran[row];
            let start = ran.issue.unwrap().0;
            for (_, member) in together(world, ran) {
                causes.extend(planned(world, ran.rank, member.operation));
                for work in &member.after {
                    let on_host = match work {
                        Work::Task(row) => world.ran[*row].issue.is_none(),
                        Work::Message(_) => true,
                    };
                    if on_host {
                        causes.push(end_of(world, *work, ran.rank));
                    }
                }
            }
            for (other, before) in world.ran.iter().enumerate() {
                if let Some((_, end)) = before.issue
                    && before.rank == ran.rank
                    && end <= start
                {
                    causes.push((end, PathNode::Issued(other)));
                }
            }
        }
        PathNode::Planned(row) => {
            let this = world.planned[row];
            let members = (0..world.asked.len())
                .filter(|other| world.group[*other] == world.group[this.operation]);
            let asked = members.map(|other| world.asked[other][this.rank]);
            causes.extend(asked.map(|asked| (asked, PathNode::Program(this.rank))));
            for (other, before) in world.planned.iter().enumerate() {
                if before.rank == this.rank && before.end <= this.start {
                    causes.push((before.end, PathNode::Planned(other)));
                }
            }
        }
        PathNode::Sent(row) => {
            let Sent {
                operation,
                ranks,
                after,
                ..
            } = &world.sent[row];
            for (rank, after) in ranks.iter().zip(after) {
                causes.extend(after.iter().map(|work| end_of(world, *work, *rank)));
                causes.extend(planned(world, *rank, *operation));
            }
        }
        PathNode::Program(_) => {}
    }
    causes
}
