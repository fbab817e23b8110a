//! A literal and slow implementation of the join's definition.

use super::world::{Call, INTERNAL, LAUNCHES, Range, UNIT, Work, World, uid};
use std::cmp::Reverse;
use weft_model::{Method, Outcome, Reason, Recorder, Trace};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// The result for a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkResult {
    /// File, UID and method.
    Launch(usize, Uid, Method),
    Not(Reason),
}

impl LinkResult {
    pub(crate) fn from_outcome(trace: &Trace, row: usize) -> Self {
        match trace.links.outcomes[row] {
            Outcome::Linked { launch, method } => {
                let launch = &trace.work.launches[launch.0 as usize];
                LinkResult::Launch(launch.source.0 as usize, launch.uid, method)
            }
            Outcome::Unmatched(reason) => LinkResult::Not(reason),
        }
    }
}

pub(crate) struct ExpectedKernel {
    pub(crate) start: Timestamp,
    pub(crate) found: LinkResult,
}

#[derive(Default)]
pub(crate) struct Expected {
    pub(crate) kept: Vec<ExpectedKernel>,
    pub(crate) duplicates: usize,
    pub(crate) counts: Vec<(&'static str, usize)>,
}

pub(crate) fn outcomes(world: &World) -> Expected {
    let mut expected = Expected::default();
    let mut counts = [
        ("external_id_agreed", 0),
        ("external_id_disagreed", 0),
        ("helper_thread_kernels", 0),
        ("helper_thread_linked", 0),
        ("helper_thread_ambiguous", 0),
        ("graph_nodes_unmapped", 0),
    ];
    let twin_of = |work: &Work, recorder: Recorder| {
        let same = |other: &&Work| other.recorder == recorder && other.start == work.start;
        world.kernels.iter().find(same).cloned()
    };
    for work in &world.kernels {
        let found = match work.recorder {
            Recorder::Host => match work.external {
                Some(sequence) => resolve(world, work.file, sequence, Method::Recorded),
                None => LinkResult::Not(Reason::NoApiCall),
            },
            // CUPTI's row is kept.
            Recorder::Nsys if twin_of(work, Recorder::Cupti).is_some() => {
                expected.duplicates += 1;
                continue;
            }
            Recorder::Nsys => device(world, work, None, &mut counts),
            Recorder::Cupti => device(world, work, twin_of(work, Recorder::Nsys), &mut counts),
        };
        expected.kept.push(ExpectedKernel {
            start: Timestamp::from_nanos_since_session_start(work.start * UNIT),
            found,
        });
    }
    expected.counts = counts.to_vec();
    expected
}

type Counts = [(&'static str, usize)];

fn count(counts: &mut Counts, key: &str) {
    counts.iter_mut().find(|count| count.0 == key).unwrap().1 += 1;
}

fn device(world: &World, work: &Work, twin: Option<Work>, counts: &mut Counts) -> LinkResult {
    let call = call_of(world, work).or_else(|| call_of(world, &twin?));
    let carried = call.and_then(|call| carrier(world, call, counts));
    if let (Some(external), Some(carried)) = (work.external, carried) {
        let agreed = external == carried;
        count(
            counts,
            if agreed {
                "external_id_agreed"
            } else {
                "external_id_disagreed"
            },
        );
    }
    let said = [
        (work.external, Method::ExternalId),
        (carried, Method::Range),
    ];
    let mut reason = None;
    for (sequence, method) in said {
        let Some(sequence) = sequence else { continue };
        // The replay's map decides for a node of a graph, if it names a launch.
        let of_node = |entry: &&(usize, u64, i64, u64)| {
            (entry.0, entry.1, Some(entry.2)) == (work.file, sequence, work.node)
        };
        // Of several entries for one node of a replay, the last counts.
        let node = world.nodes.iter().rev().find(of_node);
        if let Some(node) = node
            && let LinkResult::Launch(file, uid, _) = resolve(world, work.file, node.3, method)
        {
            return LinkResult::Launch(file, uid, Method::Recorded);
        }
        match resolve(world, work.file, sequence, method) {
            LinkResult::Not(Reason::RuntimeInternal) if reason.is_none() => {
                return LinkResult::Not(Reason::RuntimeInternal);
            }
            LinkResult::Not(why) => reason = reason.or(Some(why)),
            linked => {
                if work.node.is_some() {
                    count(counts, "graph_nodes_unmapped");
                }
                return linked;
            }
        }
    }
    LinkResult::Not(reason.unwrap_or_else(|| match call {
        None => Reason::NoApiCall,
        Some(call) => {
            // A range that ends on another thread and carries no UID does not represent the time of
            // a thread.
            let around = |range: &&Range| {
                on_thread(range, call)
                    && encloses(range, call)
                    && (!range.elsewhere || range.uid.is_some())
            };
            match world.ranges.iter().any(|range| around(&range)) {
                true => Reason::RangeWithoutUid,
                false => Reason::OutsideRanges,
            }
        }
    }))
}

fn resolve(world: &World, file: usize, sequence: u64, method: Method) -> LinkResult {
    if sequence <= LAUNCHES {
        LinkResult::Launch(file, uid(file, sequence), method)
    } else if sequence == INTERNAL {
        LinkResult::Not(Reason::RuntimeInternal)
    } else if world.lossy[file] {
        LinkResult::Not(Reason::LostRecords)
    } else {
        LinkResult::Not(Reason::UnknownUid)
    }
}

/// Returns the call with the kernel's correlation id in its process: the nearest before it, or else
/// the first. Of nested calls, it returns the outermost.
fn call_of<'w>(world: &'w World, work: &Work) -> Option<&'w Call> {
    let in_process = work.recorder == Recorder::Cupti;
    let same = |call: &&Call| {
        (call.file, call.in_process, call.correlation) == (work.file, in_process, work.correlation)
    };
    let calls: Vec<&Call> = world.calls.iter().filter(same).collect();
    let before = calls.iter().filter(|call| call.start <= work.start);
    let before = before.max_by_key(|call| (call.start, Reverse(call.end), call.thread));
    let first = calls
        .iter()
        .min_by_key(|call| (call.start, Reverse(call.end), call.thread));
    let mut found: &Call = before.or(first)?;
    loop {
        let around = calls.iter().filter(|call| {
            call.thread == found.thread
                && call.start <= found.start
                && call.end >= found.end
                && (call.start, call.end) != (found.start, found.end)
        });
        match around.max_by_key(|call| (call.start, Reverse(call.end))) {
            Some(outer) => found = outer,
            None => return Some(found),
        }
    }
}

fn on_thread(range: &Range, call: &Call) -> bool {
    (range.file, range.thread) == (call.file, call.thread)
}

fn encloses(range: &Range, call: &Call) -> bool {
    range.start <= call.start && range.end >= call.end
}

/// Returns the UID of the innermost UID-carrying range of the call's thread. For a thread without
/// such ranges, of the only start/end range that is open in its process.
fn carrier(world: &World, call: &Call, counts: &mut Counts) -> Option<u64> {
    let carriers = || {
        world
            .ranges
            .iter()
            .enumerate()
            .filter(|(_, range)| range.uid.is_some())
    };
    if carriers().any(|(_, range)| on_thread(range, call)) {
        let own = carriers().filter(|(_, range)| on_thread(range, call) && encloses(range, call));
        let innermost = own.max_by_key(|(row, range)| (range.start, Reverse(range.end), *row));
        return innermost.and_then(|(_, range)| range.uid);
    }
    count(counts, "helper_thread_kernels");
    let open = carriers()
        .filter(|(_, range)| range.file == call.file && range.start_end && encloses(range, call));
    let open: Vec<_> = open.collect();
    match open[..] {
        [] => None,
        [(_, range)] => {
            count(counts, "helper_thread_linked");
            range.uid
        }
        _ => {
            count(counts, "helper_thread_ambiguous");
            None
        }
    }
}
