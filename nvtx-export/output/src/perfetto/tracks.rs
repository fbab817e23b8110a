//! Processes and their tracks.

use super::packets::{Counter, Described, Packets};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{self, Write};
use weft_join::identify::Lookup;
use weft_model::rows::{
    LaneRow, PARTITIONING, Row, Shows, channel_name, overhead_name, stream_name,
};
use weft_model::{End, SourceIndex, Trace, process_of};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::ProcessorKind;

/// A row of the processes of a trace: a rank, or another process that Nsight Systems recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ProcessIndex(u32);

/// A track. The order of the variants is that of the tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Track {
    /// The share of busy processors of a kind.
    Busy(SourceIndex, ProcessorKind),
    /// The bytes in use of a memory.
    Bytes(SourceIndex, MemoryId),
    /// The largest block that a memory could allocate.
    LargestFree(SourceIndex, MemoryId),
    /// Slices.
    Lane(Shows),
}

/// A track of one process.
pub(super) type TrackKey = (ProcessIndex, Track);

struct Process {
    name: String,
    pid: i32,
    described: Option<u64>,
}

/// The processes with their descriptions, and the numbers of tracks.
pub(super) struct Tracks<'a> {
    trace: &'a Trace,
    processes: Vec<Process>,
    of_source: FxHashMap<SourceIndex, ProcessIndex>,
    of_process: FxHashMap<(SourceIndex, i64), ProcessIndex>,
    pids: FxHashSet<i32>,
    next: u64,
}

impl<'a> Tracks<'a> {
    pub(super) fn new(trace: &'a Trace, lookup: &Lookup) -> Self {
        let mut tracks = Tracks {
            trace,
            processes: Vec::new(),
            of_source: FxHashMap::default(),
            of_process: FxHashMap::default(),
            pids: FxHashSet::default(),
            next: 0,
        };
        let sources = || (0..).map(SourceIndex).zip(&trace.sources);
        for (index, source) in sources().filter(|(_, source)| !source.kind.is_nsys()) {
            let host = source.host.as_deref().map(|host| format!(" on {host}"));
            let name = match source.rank {
                Some(rank) => format!("rank {rank}{}", host.unwrap_or_default()),
                None => source.path.display().to_string(),
            };
            let process = tracks.add(name, source.pid.map(i64::from));
            tracks.of_source.insert(index, process);
            for watched in lookup.owners.processes(index) {
                tracks.of_process.insert(*watched, process);
            }
        }
        tracks
    }

    fn add(&mut self, name: String, pid: Option<i64>) -> ProcessIndex {
        // A viewer merges processes with equal pids, but ranks may be on several machines.
        let wanted = pid.and_then(|pid| i32::try_from(pid).ok());
        let mut pid = wanted.filter(|pid| *pid > 0).unwrap_or(1);
        while !self.pids.insert(pid) {
            pid = pid.checked_add(1).unwrap_or(1);
        }
        self.processes.push(Process {
            name,
            pid,
            described: None,
        });
        ProcessIndex(self.processes.len() as u32 - 1)
    }

    /// Returns the process of a source. For a session, this is also the process for work of unknown
    /// processes.
    pub(super) fn of_source(&mut self, source: SourceIndex) -> ProcessIndex {
        if let Some(process) = self.of_source.get(&source) {
            return *process;
        }
        let path = self.trace.sources.get(source.0 as usize);
        let path = path.map(|source| source.path.display().to_string());
        let process = self.add(path.unwrap_or_default(), None);
        self.of_source.insert(source, process);
        process
    }

    /// Returns the process with this number in a session of Nsight Systems.
    pub(super) fn of_process(&mut self, source: SourceIndex, number: Option<i64>) -> ProcessIndex {
        let Some(number) = number else {
            return self.of_source(source);
        };
        if let Some(process) = self.of_process.get(&(source, number)) {
            return *process;
        }
        let pid = (number >> 24) & 0xff_ffff;
        let process = self.add(format!("process {pid}"), Some(pid));
        self.of_process.insert((source, number), process);
        process
    }

    /// Returns the process of a thread of a session.
    pub(super) fn of_thread(&mut self, source: SourceIndex, thread: i64) -> ProcessIndex {
        self.of_process(source, Some(process_of(thread)))
    }

    /// Returns the track of a row.
    pub(super) fn track(&mut self, placed: &LaneRow) -> TrackKey {
        let process = match (placed.shows, placed.row) {
            (Shows::Ranges(source, thread) | Shows::ApiCalls(source, thread), _) => {
                self.of_thread(source, thread)
            }
            (Shows::Overheads(source, Some(thread)), _) => self.of_thread(source, thread),
            (Shows::Stream(_), Row::Kernel(row)) => {
                let kernel = self.trace.devices.kernels.get(row as usize);
                self.of_process(placed.source, kernel.and_then(|kernel| kernel.process))
            }
            _ => self.of_source(placed.source),
        };
        (process, Track::Lane(placed.shows))
    }

    /// Writes the descriptor of another lane of a track, and of its process if that is new. Returns
    /// the number of the lane.
    pub(super) fn describe<W: Write>(
        &mut self,
        packets: &mut Packets<'_, W>,
        track: TrackKey,
        key: u64,
    ) -> io::Result<u64> {
        let process = self.process(packets, track.0)?;
        let name = self.name(track.1);
        self.next += 1;
        packets.track(&Described {
            uuid: self.next,
            parent: process,
            name: &name,
            key,
            rank: i32::try_from(key).unwrap_or(i32::MAX),
            counter: match track.1 {
                Track::Busy(..) => Some(Counter::Percent),
                Track::Bytes(..) | Track::LargestFree(..) => Some(Counter::Bytes),
                _ => None,
            },
        })?;
        Ok(self.next)
    }

    /// Returns a track outside of all processes.
    pub(super) fn root<W: Write>(
        &mut self,
        packets: &mut Packets<'_, W>,
        name: &str,
    ) -> io::Result<u64> {
        self.next += 1;
        packets.track(&Described {
            uuid: self.next,
            parent: None,
            name,
            key: 0,
            rank: 0,
            counter: None,
        })?;
        Ok(self.next)
    }

    fn process<W: Write>(
        &mut self,
        packets: &mut Packets<'_, W>,
        index: ProcessIndex,
    ) -> io::Result<Option<u64>> {
        let Some(process) = self.processes.get_mut(index.0 as usize) else {
            return Ok(None);
        };
        if process.described.is_none() {
            self.next += 1;
            packets.process(self.next, process.pid, &process.name, index.0 as i32)?;
            process.described = Some(self.next);
        }
        Ok(process.described)
    }

    fn name(&self, track: Track) -> String {
        match track {
            Track::Busy(_, kind) => format!("{kind} busy"),
            Track::Bytes(source, id) => format!("{} bytes", self.memory(source, id)),
            Track::LargestFree(source, id) => {
                format!("{} largest free block", self.memory(source, id))
            }
            Track::Lane(shows) => self.lane_name(shows),
        }
    }

    fn lane_name(&self, shows: Shows) -> String {
        match shows {
            Shows::Processor(source, id) => self.processor(source, id),
            Shows::Device(source, id) => format!("{} device", self.processor(source, id)),
            Shows::RuntimeCalls(source, id) => format!("{} runtime", self.processor(source, id)),
            Shows::Stream(numbers) => stream_name(numbers),
            Shows::Channel(from, to) => {
                let name = |end: End| end.name(|source, memory| self.memory(source, memory));
                channel_name(from.map(name).as_deref(), &name(to))
            }
            Shows::Partitioning(_) => PARTITIONING.to_owned(),
            Shows::Memory(source, id) => format!("{} instances", self.memory(source, id)),
            Shows::Ranges(_, thread) => format!("thread {} NVTX", thread & 0xff_ffff),
            Shows::ApiCalls(_, thread) => format!("thread {} CUDA API", thread & 0xff_ffff),
            Shows::Overheads(_, thread) => overhead_name(thread),
        }
    }

    fn processor(&self, source: SourceIndex, id: ProcessorId) -> String {
        let mut processors = self.trace.machine.processors.iter();
        let processor = processors.find(|row| (row.source, row.id) == (source, id));
        let name = processor.map(|row| self.trace.strings.get(row.name));
        match name.filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("processor {id}"),
        }
    }

    fn memory(&self, source: SourceIndex, id: MemoryId) -> String {
        let mut memories = self.trace.machine.memories.iter();
        let memory = memories.find(|row| (row.source, row.id) == (source, id));
        memory.map_or_else(
            || format!("memory {id}"),
            |memory| format!("{} {id}", memory.kind),
        )
    }
}
