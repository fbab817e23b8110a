//! The builder: takes rows in the order in which a feed reads them.

use super::counter::Feeding;
use super::format::{Line, Origin, TimelineError};
use super::holder::Holder;
use super::lane::{LaneIndex, LaneKey, LaneKind};
use super::names::Names;
use super::record::Record;
use super::slice::{Slice, SliceKind};
use super::spool::{IN_MEMORY, Spool, Spooled};
use super::write;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;
use weft_model::{Flaw, check_times, is_possible};
use weft_trace::time::Timestamp;

/// A process as a feed describes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Process {
    pub(super) label: String,
    pub(super) rank: Option<u16>,
}

/// Successive slices of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) what: SliceKind,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A timeline under construction. The first failure to store a row is returned by
/// [`Builder::finish`].
#[derive(Debug)]
pub struct Builder {
    pub(super) spool: Spool<Record>,
    pub(super) lanes: FxHashMap<LaneKey, LaneIndex>,
    pub(super) labels: Vec<String>,
    pub(super) processes: Vec<Process>,
    pub(super) groups: BTreeMap<(u32, LaneKind, u32), String>,
    pub(super) names: Names,
    pub(super) lines: Vec<Line>,
    pub(super) counters: Feeding,
    pub(super) runs: Vec<Run>,
    pub(super) first: Option<i64>,
    pub(super) last: i64,
    pub(super) count: u32,
    pub(super) dropped: u64,
    /// The maximum number of slices in memory at the same time.
    pub(super) limit: usize,
    failed: Option<TimelineError>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// Creates an empty timeline.
    pub fn new() -> Self {
        Builder::within(write::UNDER_WAY)
    }

    /// Creates a builder that holds about `limit` slices in memory, and the others in temporary
    /// files. The file is the same.
    pub fn within(limit: usize) -> Self {
        let limit = limit.max(1);
        Builder {
            spool: Spool::new(IN_MEMORY.min(limit.saturating_mul(Record::SIZE))),
            lanes: FxHashMap::default(),
            labels: Vec::new(),
            processes: Vec::new(),
            groups: BTreeMap::new(),
            names: Names::default(),
            lines: vec![Line::default()],
            counters: Feeding::within(limit),
            runs: Vec::new(),
            first: None,
            last: 0,
            count: 0,
            dropped: 0,
            limit,
            failed: None,
        }
    }

    /// Adds a process.
    pub fn process(&mut self, label: String, rank: Option<u16>) -> u32 {
        self.processes.push(Process { label, rank });
        self.processes.len() as u32 - 1
    }

    /// Returns the lane of a key. `label` is called for a new lane only.
    pub fn lane(&mut self, key: LaneKey, label: impl FnOnce() -> String) -> LaneIndex {
        let next = LaneIndex(self.labels.len() as u32);
        match self.lanes.entry(key) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(place) => {
                self.labels.push(label());
                *place.insert(next)
            }
        }
    }

    /// Names a group of lanes.
    pub fn group(&mut self, process: u32, kind: LaneKind, group: u32, label: &str) {
        let groups = self.groups.entry((process, kind, group));
        groups.or_insert_with(|| label.to_owned());
    }

    /// Returns the number of a text.
    pub fn name(&mut self, text: &str) -> u32 {
        self.names.number(text)
    }

    /// Adds a source position and returns its number.
    pub fn line(&mut self, line: Line) -> u32 {
        self.lines.push(line);
        self.lines.len() as u32 - 1
    }

    /// Adds a slice. Slices of one table are added by ascending rows.
    pub fn slice(&mut self, slice: &Slice) {
        if self.count == u32::MAX - 2 {
            self.dropped += 1;
            return;
        }
        let number = self.count;
        match self.runs.last_mut().filter(|run| run.what == slice.what) {
            Some(run) => run.count += 1,
            None => self.runs.push(Run {
                what: slice.what,
                first: number,
                count: 1,
            }),
        }
        let record = Record::from_slice(number, slice);
        let begins = slice
            .states
            .map_or(slice.start, |states| states.0.min(slice.start));
        self.moment(begins);
        self.last = self.last.max(record.end);
        self.count += 1;
        let kept = self.spool.push(slice.lane.0 as usize, &record);
        self.keep(kept);
    }

    /// Adds the slice of a row, if its number is valid for a slice. A row with impossible times is
    /// counted and dropped.
    pub(super) fn row(&mut self, number: i64, slice: impl FnOnce(u32) -> Slice) -> bool {
        let Ok(number) = u32::try_from(number) else {
            return false;
        };
        let mut slice = slice(number);
        let time = Timestamp::from_nanos_since_session_start;
        if check_times(time(slice.start), Some(time(slice.end))).is_err() {
            self.dropped += 1;
            return true;
        }
        slice.states = slice.states.filter(|(created, ready)| {
            let checked = check_times(time(*created), Some(time(slice.end)));
            !matches!(checked, Err(Flaw::OutOfRange | Flaw::TooLong)) && is_possible(time(*ready))
        });
        self.slice(&slice);
        true
    }

    /// Changes the bytes that `holder` has of the lane's counter by `by` at a moment. The counter
    /// is their sum unless levels are added.
    pub fn change(
        &mut self,
        lane: LaneIndex,
        counter: (&str, &str),
        holder: Holder,
        at: i64,
        by: i64,
    ) {
        let kept = self.counters.change(lane, counter, holder, at, by);
        self.keep(kept);
    }

    /// Sets the level of the lane's counter from a moment on. Samples after all slices do not make
    /// the trace longer.
    pub fn level(&mut self, lane: LaneIndex, counter: (&str, &str), at: i64, level: u64) {
        let kept = self.counters.level(lane, counter, at, level);
        self.keep(kept);
    }

    /// Keeps the first failure to store a row.
    fn keep(&mut self, kept: Result<(), TimelineError>) {
        if let Err(error) = kept {
            self.failed.get_or_insert(error);
        }
    }

    fn moment(&mut self, at: i64) {
        self.last = if self.first.is_none() { at } else { self.last };
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
    }

    /// Writes the timeline to `out`, replacing an existing file.
    ///
    /// # Errors
    /// Returns an error if rows could not be stored, or the file cannot be written.
    pub fn finish(mut self, out: &Path, origin: Origin) -> Result<(), TimelineError> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => write::write(self, out, origin),
        }
    }
}
