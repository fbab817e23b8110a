//! A run of several ranks whose profiles are being written, every rank with its own clock.

use std::path::PathBuf;
use tempfile::TempDir;
use weft_trace::file::{Lane, ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::{
    LaunchUid, MemoryId, NameId, OperationUid, ProcessorId, ProvenanceId, Rank, TaskUid, Uid,
};
use weft_trace::record::{
    Encode, Launch, List, Memory, MemoryKind, Message, MessageSide, Name, Operation, Processor,
    ProcessorKind, Provenance, RankClock, Shares, Task,
};
use weft_trace::time::Timestamp;

/// The clock of a rank: its value at each instant of the run, in ns.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    pub(crate) offset: i64,
    /// The gain in ns per second.
    pub(crate) gains: i64,
    pub(crate) boot: &'static str,
}

impl Clock {
    pub(crate) const SAME: Clock = Clock {
        offset: 0,
        gains: 0,
        boot: "boot",
    };

    pub(crate) fn at(&self, instant: i64) -> Timestamp {
        let gained = i128::from(instant) * i128::from(self.gains) / 1_000_000_000;
        Timestamp::from_nanos_since_boot(instant + self.offset + gained as i64)
    }
}

/// The file of one rank.
pub(crate) struct File {
    pub(crate) rank: u16,
    pub(crate) clock: Clock,
    pub(crate) path: PathBuf,
    writer: ProfWriter,
    lane: Lane,
}

/// The threads of a rank: two CPU workers, the program, and the one that serves messages.
pub(crate) const PROGRAM: ProcessorId = ProcessorId(7);
pub(crate) const MESSAGES: ProcessorId = ProcessorId(8);

/// The line of operation N is N.
const OPERATIONS: u32 = 9;

impl File {
    pub(crate) fn uid(&self, sequence: u64) -> Uid {
        Uid::new(Rank::new(self.rank).unwrap(), sequence).unwrap()
    }

    pub(crate) fn write<R: Encode>(&mut self, record: R) {
        assert!(self.lane.write(&record));
    }

    fn describe(&mut self) {
        for (id, text) in (1..).zip(["main.rs", "add", "CPU 0", "CPU 1", "Program", "Messages"]) {
            let id = NameId(id);
            self.write(Name { id, text });
        }
        let processors = [
            (ProcessorId(0), ProcessorKind::Cpu, 3),
            (ProcessorId(1), ProcessorKind::Cpu, 4),
            (PROGRAM, ProcessorKind::Program, 5),
            (MESSAGES, ProcessorKind::Utility, 6),
        ];
        for (id, kind, name) in processors {
            let name = NameId(name);
            self.write(Processor {
                id,
                kind,
                thread: 0,
                name,
            });
        }
        self.write(Memory {
            id: MemoryId(0),
            kind: MemoryKind::System,
            capacity: 1 << 30,
        });
        for line in 1..=OPERATIONS {
            self.write(Provenance {
                id: ProvenanceId(line),
                file: NameId(1),
                function: NameId(0),
                line,
                column: 1,
            });
        }
    }

    /// Adds the operation that line N submits.
    pub(crate) fn operation(&mut self, line: u32, created: i64) {
        self.write(Operation {
            uid: operation(line),
            parent: None,
            name: NameId(2),
            provenance: ProvenanceId(line),
            created: self.clock.at(created),
            tasks: 1,
            scope: Default::default(),
            stack: Default::default(),
            shape: List::Items(&[8]),
        });
    }

    /// Adds a task of the operation that line N submits, with its launch.
    pub(crate) fn task(
        &mut self,
        sequence: u64,
        line: u32,
        on: ProcessorId,
        times: [i64; 4],
    ) -> TaskUid {
        let uid = TaskUid(self.uid(sequence));
        let [created, ready, start, end] = times.map(|time| self.clock.at(time));
        self.launch(uid, on, [start, end]);
        self.write(Task {
            uid,
            operation: operation(line),
            point: 0,
            processor: on,
            created,
            ready,
            start,
            end,
            arithmetic: None,
        });
        uid
    }

    fn launch(&mut self, uid: TaskUid, processor: ProcessorId, [start, end]: [Timestamp; 2]) {
        self.write(Launch {
            uid: LaunchUid(uid.0),
            processor,
            start,
            end,
            measured: false,
            shares: Shares::Items(&[]),
        });
    }

    /// Adds one side of a message of the operation that line N submits. Times: created, ready,
    /// start, passed, end.
    pub(crate) fn message(
        &mut self,
        sequence: u64,
        line: u32,
        side: MessageSide,
        (peer, number): (u16, u64),
        times: [i64; 5],
    ) -> TaskUid {
        let uid = TaskUid(self.uid(sequence));
        let [created, ready, start, passed, end] = times.map(|time| self.clock.at(time));
        self.launch(uid, MESSAGES, [start, end]);
        self.write(Message {
            uid,
            operation: operation(line),
            peer,
            side,
            number,
            memory: MemoryId(0),
            bytes: 4096,
            created,
            ready,
            start,
            passed,
            end,
        });
        uid
    }

    /// Adds a look at the clock of `peer`, with the times of request, answer and receipt.
    pub(crate) fn looks_at(&mut self, peer: u16, other: Clock, [asked, answered, heard]: [i64; 3]) {
        self.write(RankClock {
            peer,
            before: self.clock.at(asked),
            theirs: other.at(answered),
            after: self.clock.at(heard),
        });
    }

    pub(crate) fn finish(self) -> PathBuf {
        drop(self.lane);
        self.writer.finish().unwrap();
        self.path
    }
}

pub(crate) fn operation(line: u32) -> OperationUid {
    OperationUid(Uid::new(Rank::REPLICATED, u64::from(line)).unwrap())
}

/// Returns the files of a run's ranks, one for each clock.
pub(crate) fn files<const N: usize>(clocks: [Clock; N]) -> (TempDir, [File; N]) {
    let folder = tempfile::tempdir().unwrap();
    let mut rank = 0..;
    let files = clocks.map(|clock| {
        let rank = rank.next().unwrap();
        let path = folder.path().join(format!("weft_{rank}.prof"));
        let info = RunInfo {
            run_id: RunId([7; 16]),
            rank: Rank::new(rank).unwrap(),
            ranks: N as u16,
            host: clock.boot.to_owned(),
            boot_id: clock.boot.to_owned(),
            pid: 100 + u32::from(rank),
            program: "program".to_owned(),
        };
        let writer = ProfWriter::create(&path, &info, replacing()).unwrap();
        let lane = writer.lane();
        let mut file = File {
            rank,
            clock,
            path,
            writer,
            lane,
        };
        file.describe();
        file
    });
    (folder, files)
}

/// Returns options that let a test write a file again.
fn replacing() -> WriterOptions {
    WriterOptions {
        replace: true,
        ..WriterOptions::default()
    }
}
