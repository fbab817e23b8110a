//! Generated runs of Legate: tasks as in its profile, and their ranges as a session records them.

use rusqlite::{Connection, params};
use std::path::Path;
use weft_join::clock;
use weft_join::identify::Lookup;
use weft_join::join::join;
use weft_model::{
    ApiCall, Kernel, KernelKind, Launch, Operation, ProvenanceRow, RangeKind, RangeRow, RangeTask,
    Recorder, Recording, RunIndex, ShareOrigin, Source, SourceIndex, SourceKind, StringIndex, Task,
    Trace, Traffic, thread_of,
};
use weft_trace::id::{ProcessorId, Rank, Uid};
use weft_trace::time::Timestamp;

/// The parameters of a generated run. Times are in ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) seed: u64,
    pub(crate) tasks: usize,
    pub(crate) processors: usize,
    pub(crate) names: usize,
    /// The approximate length of a task.
    pub(crate) length: i64,
    /// The session's clock minus the tasks' clock, at the beginning.
    pub(crate) offset: i64,
    pub(crate) drift: f64,
    /// The error of the wall clocks, and whether both were read.
    pub(crate) wall_error: i64,
    pub(crate) wall_known: bool,
    /// Shares of bodies without a range, without a task, and with a range that begins late.
    pub(crate) lost_ranges: f64,
    pub(crate) lost_tasks: f64,
    pub(crate) late: f64,
    /// Whether some tasks wait, while others run on their processor and thread.
    pub(crate) waits: bool,
    /// Whether tasks end with their work on a device, long after their range.
    pub(crate) device: bool,
}

impl Default for Run {
    fn default() -> Self {
        Run {
            seed: 1,
            tasks: 400,
            processors: 2,
            names: 3,
            length: 150_000,
            offset: 1_000_000_000,
            drift: 25e-6,
            wall_error: 110_000,
            wall_known: true,
            lost_ranges: 0.0,
            lost_tasks: 0.0,
            late: 0.0,
            waits: false,
            device: false,
        }
    }
}

/// A body of a task, with the times of the task and of the range, on the clock of the tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) name: usize,
    pub(crate) processor: usize,
    pub(crate) task: (i64, i64),
    pub(crate) range: (i64, i64),
    pub(crate) has_range: bool,
    pub(crate) has_task: bool,
}

pub(crate) struct GeneratedRun {
    pub(crate) run: Run,
    pub(crate) bodies: Vec<Body>,
}

const PID: u32 = 17_900;
const WALL: i64 = 1_795_232_145_000_000_000;

struct Random(u64);

impl Random {
    fn below(&mut self, below: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 31) % below.max(1) as u64) as i64
    }

    fn chance(&mut self, share: f64) -> bool {
        (self.below(1_000_000) as f64) < share * 1e6
    }
}

impl GeneratedRun {
    pub(crate) fn new(run: Run) -> Self {
        let mut random = Random(run.seed.wrapping_add(99));
        let mut bodies = Vec::new();
        let mut free = vec![2_000_000_000_i64; run.processors];
        while bodies.len() < run.tasks {
            let processor = random.below(run.processors as i64) as usize;
            // Most tasks follow closely, some after a pause.
            let pause = if random.chance(0.1) {
                random.below(40 * run.length)
            } else {
                0
            };
            let start = free[processor] + 2_000 + random.below(8_000) + pause;
            let mut end = start + run.length + random.below(run.length / 10);
            let mut inner = Vec::new();
            if run.waits && random.chance(0.2) {
                let (from, to) = (start + run.length / 3, start + run.length * 4 / 3);
                inner.push((from, to));
                end = to + run.length / 2;
            }
            for (start, end) in std::iter::once((start, end)).chain(inner) {
                let late = if random.chance(run.late) {
                    run.length / 2
                } else {
                    0
                };
                let shut = if run.device {
                    end + random.below(4 * run.length)
                } else {
                    end
                };
                bodies.push(Body {
                    name: random.below(run.names as i64) as usize,
                    processor,
                    task: (start, shut),
                    range: (
                        start + 300 + random.below(900) + late,
                        end - 300 - random.below(600),
                    ),
                    has_range: !random.chance(run.lost_ranges),
                    has_task: !random.chance(run.lost_tasks),
                });
            }
            free[processor] = end;
        }
        GeneratedRun { run, bodies }
    }

    /// Converts a time of the tasks to the clock of the session, with an error of up to half a
    /// microsecond.
    fn seen(&self, at: i64, random: &mut Random) -> i64 {
        let drifted = ((at - 2_000_000_000) as f64 * self.run.drift) as i64;
        at + self.run.offset + drifted + random.below(1_000) - 500
    }

    /// Returns the rows as readers provide them, with tasks and ranges on their own clocks. Source
    /// 1 is the profile, 2 the session.
    pub(crate) fn recording(&self) -> Recording {
        let mut recording = Recording::default();
        let wall = |known: bool, at: i64| known.then_some(at);
        recording.sources = vec![
            source(SourceKind::LegionProf, 0, wall(self.run.wall_known, WALL)),
            source(
                SourceKind::NsysSqlite,
                1,
                wall(
                    self.run.wall_known,
                    WALL - self.run.offset + self.run.wall_error,
                ),
            ),
        ];
        let file = recording.strings.intern("/home/user/stencil.py");
        let mut random = Random(self.run.seed);
        let mut messages: Vec<StringIndex> = Vec::new();
        for name in 0..self.run.names {
            let line = 50 + name as u32;
            let text = format!("library::Task{name}");
            let text = recording.strings.intern(&text);
            let provenance = recording.program.provenances.intern(ProvenanceRow {
                file,
                line,
                function: StringIndex::default(),
            });
            recording.program.operations.push(Operation {
                source: SourceIndex(0),
                run: RunIndex(0),
                uid: uid(1_000_000 + name),
                parent: None,
                name: text,
                provenance,
                created: at(0),
                tasks: 1,
                scope: Default::default(),
                stack: Default::default(),
                call: 0,
                shape: Box::default(),
            });
            let message = format!("library::Task{name} : /home/user/stencil.py:{line}");
            messages.push(recording.strings.intern(&message));
        }
        for (row, body) in self.bodies.iter().enumerate() {
            if body.has_task {
                let (start, end) = body.task;
                recording.work.tasks.push(Task {
                    source: SourceIndex(0),
                    uid: uid(row + 1),
                    operation: uid(1_000_000 + body.name),
                    point: 0,
                    processor: ProcessorId(body.processor as u16),
                    created: at(start - 10),
                    ready: at(start - 5),
                    start: at(start),
                    end: at(end),
                    device: None,
                    arithmetic: None,
                });
                recording.work.launches.push(Launch {
                    source: SourceIndex(0),
                    run: RunIndex(0),
                    uid: uid(row + 1),
                    processor: ProcessorId(body.processor as u16),
                    start: at(start),
                    end: at(end),
                    shares: Box::default(),
                    split: ShareOrigin::Measured,
                });
            }
            if body.has_range {
                recording.work.ranges.push(RangeRow {
                    source: SourceIndex(1),
                    row: row as i64 + 1,
                    start: at(self.seen(body.range.0, &mut random)),
                    end: at(self.seen(body.range.1, &mut random)),
                    kind: RangeKind::PushPop,
                    open: false,
                    thread: thread_of(PID, 17_913 + body.processor as u32),
                    end_thread: None,
                    text: messages[body.name],
                    domain: StringIndex::default(),
                    color: None,
                    weft: false,
                    launch: None,
                });
            }
        }
        recording
    }

    /// Returns whether the range and the task belong to the same body.
    pub(crate) fn truth(&self, trace: &Trace, link: &RangeTask) -> bool {
        let row = trace.work.ranges[link.range.0 as usize].row;
        link.task == uid(row as usize)
    }

    /// Adds a kernel for each range, called in its middle.
    pub(crate) fn launch_kernels(&self, recording: &mut Recording) {
        let name = recording.strings.intern("cudaLaunchKernel");
        for (correlation, range) in (1..).zip(&recording.work.ranges) {
            let middle = at(range.start.nanos() + (range.end - range.start).0 / 2);
            recording.devices.calls.push(ApiCall {
                source: SourceIndex(1),
                name,
                thread: range.thread,
                correlation,
                start: middle,
                end: middle,
            });
            recording.devices.kernels.push(Kernel {
                source: SourceIndex(1),
                recorder: Recorder::Nsys,
                kind: KernelKind::Kernel,
                name,
                rank: None,
                processor: None,
                device: Some(0),
                stream: Some(7),
                context: None,
                graph: None,
                graph_node: None,
                correlation: Some(correlation),
                start: range.end,
                end: range.end,
                traffic: Traffic::default(),
                recorded: None,
                external: None,
                process: Some(thread_of(PID, 0)),
                detail: None,
                route: None,
            });
        }
    }

    /// Writes the tables of the session that an output copies.
    pub(crate) fn database(&self, path: &Path) {
        let database = Connection::open(path).unwrap();
        database
            .execute_batch(
                "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
                 CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
                   text TEXT, globalTid INTEGER, domainId INTEGER);",
            )
            .unwrap();
        let recording = self.recording();
        for range in &recording.work.ranges {
            let sql = "INSERT INTO NVTX_EVENTS (rowid, start, end, eventType, text, globalTid, domainId) \
                       VALUES (?, ?, ?, 59, ?, ?, 0)";
            let (start, end) = (range.start.nanos(), range.end.nanos());
            let text = recording.strings.get(range.text);
            database
                .execute(sql, params![range.row, start, end, text, range.thread])
                .unwrap();
        }
    }
}

/// Runs the stages after the readers.
pub(crate) fn align_and_join(mut recording: Recording) -> Trace {
    let lookup = Lookup::new(&recording);
    clock::align(&mut recording, &lookup);
    join(recording, &lookup)
}

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_session_start(nanos)
}

fn uid(sequence: usize) -> Uid {
    Uid::new(Rank::default(), sequence as u64).unwrap()
}

fn source(kind: SourceKind, run: u32, wall_at_zero: Option<i64>) -> Source {
    Source {
        path: format!("{kind}").into(),
        kind,
        run: RunIndex(run),
        run_id: None,
        rank: None,
        ranks: None,
        host: None,
        boot_id: None,
        pid: (kind == SourceKind::LegionProf).then_some(PID),
        program: None,
        database: None,
        wall_at_zero,
        lossy: false,
    }
}
