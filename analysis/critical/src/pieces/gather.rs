//! Creation of pieces.

use super::{Lane, Piece, PieceIndex, PieceRow, Pieces, SidesKey, sides_key};
use rustc_hash::FxHashMap;
use weft_model as trace;
use weft_model::{LaunchIndex, Message, Outcome, Recorder, Served, SourceIndex, SourceKind, Trace};
use weft_trace::id::Uid;
use weft_trace::record::{MessageSide, ProcessorKind};

impl Pieces<'_> {
    /// Creates a piece for every launch, and for tasks and copies without one.
    pub fn gather(&mut self) {
        let trace = self.trace;
        let devices = on_devices(trace);
        for row in &trace.machine.processors {
            let key = (row.source, row.id);
            if row.kind == ProcessorKind::Program {
                self.programs.insert(key);
            }
            if row.thread != 0 {
                self.threads.insert(key, row.thread);
            }
        }
        for (launch, row) in (0..).map(LaunchIndex).zip(&trace.work.launches) {
            if !self.is_of_weft(row.source) {
                continue;
            }
            let at = self.all.len() as PieceIndex;
            let mut made: Option<(i64, Option<(i64, i64)>)> = None;
            for (uid, _) in row.served() {
                let (created, device) = match self.index.served(row.source, uid) {
                    Some(Served::Task(task)) => {
                        let (Some(known), Some(place)) = (
                            trace.work.tasks.get(task as usize),
                            self.of_task.get_mut(task as usize),
                        ) else {
                            continue;
                        };
                        *place = at;
                        let device = known
                            .device
                            .map(|(start, end)| (start.nanos(), end.nanos()));
                        (known.created.nanos(), device)
                    }
                    Some(Served::Copy(copy)) => {
                        let (Some(known), Some(place)) = (
                            trace.work.copies.get(copy as usize),
                            self.of_copy.get_mut(copy as usize),
                        ) else {
                            continue;
                        };
                        // The two sides of a message are one piece.
                        if known.message.is_some() {
                            continue;
                        }
                        *place = at;
                        (known.created.nanos(), None)
                    }
                    None => continue,
                };
                let earlier = made.unwrap_or((created, device));
                made = Some((earlier.0.max(created), earlier.1.or(device)));
            }
            let Some((created, device)) = made else {
                continue;
            };
            if row.shares.len() > 1 {
                self.note_together(launch);
            }
            let (start, end) = (row.start.nanos(), row.end.nanos());
            let on_device = devices.get(&launch);
            let device = on_device.map(|on| (on.start, on.end)).or(device);
            let (ran, ended) = device.unwrap_or((start, end));
            let place = match (on_device, device) {
                (Some(on), _) => Some(on.stream),
                // The time is known, but not the stream.
                (None, Some(_)) => None,
                (None, None) => Some(Lane::Processor(row.processor)),
            };
            self.all.push(Piece {
                what: PieceRow::Launch(launch),
                source: row.source,
                processor: Some(row.processor),
                place,
                created,
                start: ran,
                end: ended.max(ran),
                issue: device.map(|_| (start, end.max(start))),
            });
        }
        for (row, task) in (0..).zip(&trace.work.tasks) {
            if !self.is_of_weft(task.source) {
                continue;
            }
            if self.of_task.get(row as usize) == Some(&PieceIndex::MAX) {
                self.of_task[row as usize] = self.all.len() as PieceIndex;
                self.all.push(Piece {
                    what: PieceRow::Task(row),
                    source: task.source,
                    processor: Some(task.processor),
                    place: Some(Lane::Processor(task.processor)),
                    created: task.created.nanos(),
                    start: task.start.nanos(),
                    end: task.end.nanos().max(task.start.nanos()),
                    issue: None,
                });
            }
        }
        for (row, copy) in (0..).zip(&trace.work.copies) {
            if !self.is_of_weft(copy.source) {
                continue;
            }
            if self.of_copy.get(row as usize) == Some(&PieceIndex::MAX) {
                self.of_copy[row as usize] = self.all.len() as PieceIndex;
                self.all.push(Piece {
                    what: PieceRow::Copy(row),
                    source: copy.source,
                    processor: None,
                    place: None,
                    created: copy.created.nanos(),
                    start: copy.start.nanos(),
                    end: copy.end.nanos().max(copy.start.nanos()),
                    issue: None,
                });
            }
        }
    }

    /// Records a launch that serves several operations for each of them.
    fn note_together(&mut self, launch: LaunchIndex) {
        let Some(row) = self.trace.work.launches.get(launch.0 as usize) else {
            return;
        };
        for (uid, _) in row.served() {
            if let Some(Served::Task(task)) = self.index.served(row.source, uid)
                && let Some(task) = self.trace.work.tasks.get(task as usize)
            {
                self.together.insert((row.source, task.operation), launch);
            }
        }
    }

    /// Returns whether a source is of a run of Weft. Runs of Legion have a separate graph.
    pub fn is_of_weft(&self, source: SourceIndex) -> bool {
        let row = self.trace.sources.get(source.0 as usize);
        row.is_none_or(|row| row.kind != SourceKind::LegionProf)
    }

    /// Finds sides of messages that were one collective call.
    pub fn put_together(&mut self) {
        let trace = self.trace;
        let mut first: FxHashMap<SidesKey, Uid> = FxHashMap::default();
        let sides = |copy: &trace::Copy| {
            let message = copy
                .message
                .and_then(|row| trace.work.messages.get(row.0 as usize));
            message.into_iter().flat_map(Message::sides)
        };
        for (row, copy) in (0..).zip(&trace.work.copies) {
            for (which, side) in sides(copy) {
                let known = first.entry(sides_key(side)).or_insert(side.uid);
                *known = side.uid.min(*known);
                let this = (which == MessageSide::Receive, copy.start, row);
                let last = self.last_of.entry(sides_key(side)).or_insert(this);
                *last = this.max(*last);
            }
        }
        for (_, side) in trace.work.copies.iter().flat_map(sides) {
            if let Some(first) = first
                .get(&sides_key(side))
                .filter(|first| **first != side.uid)
            {
                self.first_of.insert((side.source, side.uid), *first);
            }
        }
    }
}

/// The kernels of a launch on a device.
#[derive(Clone, Copy)]
struct OnDevice {
    start: i64,
    end: i64,
    /// The stream of the first kernel.
    stream: Lane,
}

/// Returns the times of the kernels of launches on devices, and their streams.
fn on_devices(trace: &Trace) -> FxHashMap<LaunchIndex, OnDevice> {
    let mut found: FxHashMap<LaunchIndex, OnDevice> = FxHashMap::default();
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let Outcome::Linked { launch, .. } = outcome else {
            continue;
        };
        if kernel.recorder == Recorder::Host {
            continue;
        }
        let (start, end) = (kernel.start.nanos(), kernel.end.nanos());
        let stream = Lane::Stream(kernel.device, kernel.context, kernel.stream);
        let this = OnDevice { start, end, stream };
        let known = found.entry(*launch).or_insert(this);
        if start < known.start {
            known.stream = stream;
        }
        known.start = known.start.min(start);
        known.end = known.end.max(end);
    }
    found
}
