//! Times in Legion Prof: unsigned ns since a zero that all files share.

use weft_model::{Family, Trace};
use weft_trace::time::Timestamp;

/// The zero of the files, and the conversion of times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    zero: i64,
    last: i64,
    wall: i64,
}

/// The families of rows that are written.
const WRITTEN: [Family; 8] = [
    Family::Tasks,
    Family::TasksOnDevices,
    Family::Kernels,
    Family::Copies,
    Family::Partitionings,
    Family::Instances,
    Family::RuntimeCalls,
    Family::Waits,
];

impl Clock {
    /// Creates the clock whose zero is the first instant that is written.
    pub(super) fn new(trace: &Trace) -> Self {
        let mut span: Option<(i64, i64)> = None;
        trace.times(|of, time| {
            if WRITTEN.contains(&of.family) {
                let at = time.nanos();
                span = Some(span.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
            }
        });
        let (zero, last) = span.unwrap_or_default();
        let base = trace.quality.meta.get("clock_base_source");
        let base = base.and_then(|id| id.parse::<usize>().ok()?.checked_sub(1));
        let base = base.and_then(|base| trace.sources.get(base));
        let wall = base.and_then(|base| base.wall_at_zero);
        Clock {
            zero,
            last,
            wall: wall.map_or(0, |wall| wall.saturating_add(zero)),
        }
    }

    /// Converts a time to ns since the zero.
    pub(super) fn time(self, time: Timestamp) -> u64 {
        let time = i128::from(time.nanos()) - i128::from(self.zero);
        u64::try_from(time).unwrap_or(0)
    }

    /// Returns the zero as a time of the trace.
    pub(super) fn zero(self) -> i64 {
        self.zero
    }

    /// Returns the last instant, in ns since the zero.
    pub(super) fn last(self) -> u64 {
        self.time(Timestamp::from_nanos_since_session_start(self.last))
    }

    /// Returns the wall clock at the zero, in ns since 1970; 0 if unknown.
    pub(super) fn wall(self) -> i64 {
        self.wall
    }
}

/// Times that must be in order. A time that is later than its successor is moved back to it. Start
/// and end are measured, so the start stays, and an end before it is moved to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) create: u64,
    pub(super) ready: u64,
    pub(super) start: u64,
    pub(super) stop: u64,
    /// Whether a time was moved.
    pub(super) moved: bool,
}

impl Steps {
    /// Converts the times of creation, readiness, start and end.
    pub(super) fn new(clock: Clock, times: [Timestamp; 4]) -> Self {
        let [create, ready, start, stop] = times.map(|time| clock.time(time));
        let ordered = create <= ready && ready <= start && start <= stop;
        let ready_by = ready.min(start);
        Steps {
            create: create.min(ready_by),
            ready: ready_by,
            start,
            stop: stop.max(start),
            moved: !ordered,
        }
    }
}
