//! Ranges, by thread.

use super::enclosing::{Enclosing, Enclosure};
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{
    Launch, LaunchIndex, RangeIndex, RangeKind, Recording, SourceIndex, process_of, thread_of,
};
use weft_trace::id::Uid;
use weft_trace::record::ProcessorKind;
use weft_trace::time::Timestamp;

/// A thread, or a process, of a session.
type ThreadKey = (SourceIndex, i64);
type Intervals<T> = FxHashMap<ThreadKey, Vec<(i64, i64, T)>>;
type Index<T> = FxHashMap<ThreadKey, Enclosing<T>>;

/// The thread and the times of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadCall {
    pub(super) session: SourceIndex,
    pub(super) thread: i64,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
}

/// The UID-carrying range that a call is attributed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    /// The innermost range around the call on its own thread. No range if only the launch's own
    /// time is known.
    Own(Option<RangeIndex>, Uid),
    /// The thread opened no such range, and exactly one is open in its process.
    Process(RangeIndex, Uid),
    /// The thread opened no such range, and several are open in its process.
    Several,
    /// The thread opened no such range, and none is open in its process.
    Helper,
    /// None, on a thread that opens some at other times, or in a process that opens none.
    None,
}

/// The ranges of each thread of each session: all ranges, those that carry a UID, and those matched
/// to tasks.
pub(super) struct Threads {
    all: Index<RangeIndex>,
    with_uid: Index<(Option<RangeIndex>, Uid)>,
    with_task: Index<LaunchIndex>,
    /// Processes with ranges that carry a UID.
    carrying: FxHashSet<ThreadKey>,
    /// Start/end ranges that carry a UID, by process.
    open: Index<(RangeIndex, Uid)>,
}

impl Threads {
    /// Collects the ranges of a trace. A range that was closed on another thread does not represent
    /// the time of a thread, and is left out. If it carries a UID, it stands for its launch until
    /// it was closed. `tasks` has the launches of ranges without a UID.
    pub(super) fn new(recording: &Recording, tasks: &[(RangeIndex, LaunchIndex)]) -> Self {
        let mut all: Intervals<RangeIndex> = FxHashMap::default();
        let mut with_uid: Intervals<(Option<RangeIndex>, Uid)> = FxHashMap::default();
        let mut open: Intervals<(RangeIndex, Uid)> = FxHashMap::default();
        let mut carrying = FxHashSet::default();
        let mut with_task: Intervals<LaunchIndex> = FxHashMap::default();
        for (row, range) in (0..).map(RangeIndex).zip(&recording.work.ranges) {
            if range.end_thread.is_some() && range.launch.is_none() {
                continue;
            }
            let place = (range.source, range.thread);
            let (start, end) = (range.start.nanos(), range.end.nanos());
            all.entry(place).or_default().push((start, end, row));
            let Some(uid) = range.launch else {
                continue;
            };
            let own = (start, end, (Some(row), uid));
            with_uid.entry(place).or_default().push(own);
            let process = (range.source, process_of(range.thread));
            carrying.insert(process);
            if range.kind == RangeKind::StartEnd {
                open.entry(process)
                    .or_default()
                    .push((start, end, (row, uid)));
            }
        }
        for (place, launch) in issues(recording) {
            let (start, end) = (launch.start.nanos(), launch.end.nanos());
            let own = (start, end, (None, launch.uid));
            with_uid.entry(place).or_default().push(own);
        }
        for (row, launch) in tasks {
            if let Some(range) = recording.work.ranges.get(row.0 as usize) {
                let interval = (range.start.nanos(), range.end.nanos(), *launch);
                let place = (range.source, range.thread);
                with_task.entry(place).or_default().push(interval);
            }
        }
        Threads {
            all: index(all),
            with_uid: index(with_uid),
            with_task: index(with_task),
            carrying,
            open: index(open),
        }
    }

    /// Returns the innermost range of the call's thread around it.
    pub(super) fn innermost(&self, call: &ThreadCall) -> Option<RangeIndex> {
        let ranges = self.all.get(&(call.session, call.thread))?;
        ranges.innermost(call.start.nanos(), call.end.nanos())
    }

    /// Returns the UID-carrying range of the call.
    pub(super) fn carrier(&self, call: &ThreadCall) -> Carrier {
        let (start, end) = (call.start.nanos(), call.end.nanos());
        if let Some(own) = self.with_uid.get(&(call.session, call.thread)) {
            // A thread that opens ranges for its launches identifies the launch itself.
            return match own.innermost(start, end) {
                Some((range, uid)) => Carrier::Own(range, uid),
                None => Carrier::None,
            };
        }
        let process = (call.session, process_of(call.thread));
        if !self.carrying.contains(&process) {
            return Carrier::None;
        }
        let open = self.open.get(&process);
        match open.map_or(Enclosure::None, |open| open.find_single(start, end)) {
            Enclosure::One((range, uid)) => Carrier::Process(range, uid),
            Enclosure::Several => Carrier::Several,
            Enclosure::None => Carrier::Helper,
        }
    }

    /// Returns the innermost UID-carrying range of a thread around an instant.
    pub(super) fn carrier_at(
        &self,
        session: SourceIndex,
        thread: i64,
        at: Timestamp,
    ) -> Option<(RangeIndex, Uid)> {
        let own = self.with_uid.get(&(session, thread))?;
        let (range, uid) = own.innermost(at.nanos(), at.nanos())?;
        Some((range?, uid))
    }

    /// Returns a range of a thread with this UID that overlaps the time from `start` to `end`.
    pub(super) fn carrier_of(
        &self,
        session: SourceIndex,
        thread: i64,
        (start, end): (i64, i64),
        uid: Uid,
    ) -> Option<(RangeIndex, Uid)> {
        let own = self.with_uid.get(&(session, thread))?;
        let mut near = own.overlapping(start, end);
        near.find_map(|(range, carried)| Some((range.filter(|_| carried == uid)?, uid)))
    }

    /// Returns the launch of the innermost range around the call that was matched to a task.
    pub(super) fn task(&self, call: &ThreadCall) -> Option<LaunchIndex> {
        let ranges = self.with_task.get(&(call.session, call.thread))?;
        ranges.innermost(call.start.nanos(), call.end.nanos())
    }
}

/// Returns launches on GPUs, with the threads that issued them. If no tool recorded ranges, the
/// times of launches are as good as those of the ranges around the same calls.
fn issues(recording: &Recording) -> impl Iterator<Item = (ThreadKey, &Launch)> {
    let ranged: FxHashSet<SourceIndex> = recording
        .work
        .ranges
        .iter()
        .map(|range| range.source)
        .collect();
    let issuers: FxHashMap<_, i64> = recording
        .machine
        .processors
        .iter()
        .filter(|processor| processor.kind == ProcessorKind::Gpu && processor.thread != 0)
        .filter(|processor| !ranged.contains(&processor.source))
        .filter_map(|processor| {
            let pid = recording.sources.get(processor.source.0 as usize)?.pid?;
            let thread = thread_of(pid, processor.thread);
            Some(((processor.source, processor.id), thread))
        })
        .collect();
    recording.work.launches.iter().filter_map(move |launch| {
        let thread = issuers.get(&(launch.source, launch.processor))?;
        Some(((launch.source, *thread), launch))
    })
}

fn index<T: Copy + Send>(threads: Intervals<T>) -> Index<T> {
    let threads = threads.into_iter();
    threads
        .map(|(place, intervals)| (place, Enclosing::new(intervals)))
        .collect()
}
