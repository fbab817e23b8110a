//! Random runs on a simulated machine. The programs of ranks submit operations, run small ones
//! themselves, wait, and send messages to each other. Analysis has its own thread; there are
//! CPU workers, and a GPU with two streams.

use crate::made::Random;
use weft_model::{
    Copy, Dependency, Kernel, KernelKind, Launch, LaunchIndex, Message, MessageIndex, Method,
    Operation, OperationCall, Outcome, Processor, Recorder, RunIndex, RuntimeCall, ShareOrigin,
    Side, Source, SourceIndex, SourceKind, Task, Trace, Traffic, Wait, WaitKind,
};
use weft_trace::id::{MemoryId, ProcessorId, Rank, Uid};
use weft_trace::record::{DependencyKind, ProcessorKind};
use weft_trace::time::Timestamp;

/// The place where a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Program,
    Worker(usize),
    Stream(usize),
}

/// A task. Tasks of one launch have equal times.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) rank: usize,
    pub(crate) operation: usize,
    pub(crate) launch: usize,
    pub(crate) place: Unit,
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// The start and end of its issue on a GPU.
    pub(crate) issue: Option<(i64, i64)>,
    /// The tasks and messages that it depends on.
    pub(crate) after: Vec<Work>,
}

/// A predecessor: a row of the tasks, or of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Task(usize),
    Message(usize),
}

/// A message from one rank to another, for an operation that both have.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) operation: usize,
    /// The sending and the receiving rank.
    pub(crate) ranks: [usize; 2],
    /// The start of each side.
    pub(crate) starts: [i64; 2],
    /// The end of each side.
    pub(crate) ends: [i64; 2],
    /// The predecessors of each side.
    pub(crate) after: [Vec<Work>; 2],
}

/// Analysis of an operation on the utility thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) rank: usize,
    pub(crate) operation: usize,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

/// A wait of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    pub(crate) rank: usize,
    pub(crate) kind: WaitKind,
    pub(crate) operation: Option<usize>,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

/// A simulated run.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(crate) ranks: usize,
    /// The times at which each rank called each operation.
    pub(crate) asked: Vec<Vec<i64>>,
    /// The first operation of each operation's group, for operations that run together.
    pub(crate) group: Vec<usize>,
    pub(crate) planned: Vec<Planned>,
    pub(crate) ran: Vec<Ran>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) waited: Vec<Waited>,
}

const WORKERS: usize = 2;
const STREAMS: usize = 2;
/// More than the number of events in any run, so that times of different causes are never equal by
/// chance.
const LONG: u64 = 1 << 30;

/// The state of a rank during the simulation.
#[derive(Clone, Default)]
struct State {
    program: i64,
    utility: i64,
    issuer: i64,
    workers: [i64; WORKERS],
    streams: [i64; STREAMS],
    /// Work of the rank that later work can depend on.
    done: Vec<Work>,
}

impl World {
    /// Generates a random run. With `gpu`, half of the work is on a GPU.
    pub(crate) fn random(seed: u64, ranks: usize, steps: usize, gpu: bool) -> World {
        let mut random = Random::new(seed);
        let mut world = World {
            ranks,
            ..World::default()
        };
        let mut states = vec![State::default(); ranks];
        for _ in 0..steps {
            match random.below(10) {
                0..=2 => world.small(&mut random, &mut states),
                3..=6 => world.large(&mut random, &mut states, gpu),
                7 if ranks > 1 => world.message(&mut random, &mut states),
                _ => world.wait(&mut random, &mut states),
            }
        }
        world
    }

    fn end(&self, work: Work, rank: usize) -> i64 {
        match work {
            Work::Task(row) => self.ran[row].end,
            Work::Message(row) => {
                let sent = &self.sent[row];
                sent.ends[usize::from(sent.ranks[1] == rank)]
            }
        }
    }

    fn calls(&mut self, random: &mut Random, states: &mut [State]) -> usize {
        let operation = self.asked.len();
        let asked = states.iter_mut().map(|state| {
            state.program += some(random, 100);
            state.program
        });
        self.asked.push(asked.collect());
        self.group.push(operation);
        operation
    }

    /// Returns some of a rank's earlier work.
    fn earlier(random: &mut Random, state: &State) -> Vec<Work> {
        let count = random.below(3).min(state.done.len() as u64);
        let pick = |_| state.done[random.below(state.done.len() as u64) as usize];
        let mut some: Vec<Work> = (0..count).map(pick).collect();
        some.dedup();
        some
    }

    /// Adds an operation that runs at once on the program's thread. Its predecessors have ended.
    fn small(&mut self, random: &mut Random, states: &mut [State]) {
        let operation = self.calls(random, states);
        for (rank, state) in states.iter_mut().enumerate() {
            let start = state.program;
            let mut after = Self::earlier(random, state);
            after.retain(|work| self.end(*work, rank) <= start);
            let end = start + some(random, 50);
            state.program = end;
            self.run(
                state,
                rank,
                operation,
                operation,
                (Unit::Program, start, end),
                None,
                after,
            );
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a task")]
    fn run(
        &mut self,
        state: &mut State,
        rank: usize,
        operation: usize,
        launch: usize,
        (place, start, end): (Unit, i64, i64),
        issue: Option<(i64, i64)>,
        after: Vec<Work>,
    ) {
        state.done.push(Work::Task(self.ran.len()));
        self.ran.push(Ran {
            rank,
            operation,
            launch,
            place,
            start,
            end,
            issue,
            after,
        });
    }

    /// Adds one to three operations that are analysed and run together.
    fn large(&mut self, random: &mut Random, states: &mut [State], gpu: bool) {
        let members = 1 + random.below(3) as usize;
        let operations: Vec<usize> = (0..members).map(|_| self.calls(random, states)).collect();
        for operation in &operations {
            self.group[*operation] = operations[0];
        }
        let on_gpu = gpu && random.below(2) == 0;
        for (rank, state) in states.iter_mut().enumerate() {
            let asked = self.asked[operations[members - 1]][rank];
            let mut at = state.utility.max(asked) + some(random, 20);
            for &operation in &operations {
                let end = at + some(random, 20);
                self.planned.push(Planned {
                    rank,
                    operation,
                    start: at,
                    end,
                });
                at = end;
            }
            state.utility = at;
            let after = Self::earlier(random, state);
            let ready = after.iter().map(|work| self.end(*work, rank)).max();
            let ready = ready.unwrap_or(at);
            let (place, start, issue) = if on_gpu {
                let stream = random.below(STREAMS as u64) as usize;
                let on_host = |work: &&Work| match work {
                    Work::Task(row) => self.ran[*row].issue.is_none(),
                    Work::Message(_) => true,
                };
                let host = after.iter().filter(on_host);
                let host = host.map(|work| self.end(*work, rank)).max().unwrap_or(at);
                let issued = host.max(at).max(state.issuer) + some(random, 5);
                let end = issued + some(random, 10);
                state.issuer = end;
                let start = end.max(ready).max(state.streams[stream]) + some(random, 10);
                (Unit::Stream(stream), start, Some((issued, end)))
            } else {
                let worker = (0..WORKERS).min_by_key(|at| state.workers[*at]).unwrap();
                let start = ready.max(at).max(state.workers[worker]) + some(random, 10);
                (Unit::Worker(worker), start, None)
            };
            let end = start + some(random, 300);
            match place {
                Unit::Stream(stream) => state.streams[stream] = end,
                Unit::Worker(worker) => state.workers[worker] = end,
                Unit::Program => {}
            }
            let launch = operations[0];
            for &operation in &operations {
                let after = match operation == launch {
                    true => after.clone(),
                    false => Vec::new(),
                };
                self.run(
                    state,
                    rank,
                    operation,
                    launch,
                    (place, start, end),
                    issue,
                    after,
                );
            }
        }
    }

    /// Sends a message from one rank to another.
    fn message(&mut self, random: &mut Random, states: &mut [State]) {
        let operation = self.calls(random, states);
        let from = random.below(states.len() as u64) as usize;
        let to = (from + 1) % states.len();
        let mut starts = [0; 2];
        let mut after = [Vec::new(), Vec::new()];
        for (rank, state) in states.iter_mut().enumerate() {
            let start = state.utility.max(self.asked[operation][rank]) + some(random, 20);
            let end = start + some(random, 20);
            state.utility = end;
            self.planned.push(Planned {
                rank,
                operation,
                start,
                end,
            });
            for (side, of) in [from, to].into_iter().enumerate() {
                if of == rank {
                    after[side] = Self::earlier(random, state);
                    let ready = after[side].iter().map(|work| self.end(*work, rank)).max();
                    starts[side] = ready.unwrap_or(end).max(end) + some(random, 10);
                }
            }
        }
        let sent = starts[0].max(starts[1]) + some(random, 100);
        let received = sent + some(random, 10);
        let row = self.sent.len();
        self.sent.push(Sent {
            operation,
            ranks: [from, to],
            starts,
            ends: [sent, received],
            after,
        });
        states[from].done.push(Work::Message(row));
        states[to].done.push(Work::Message(row));
    }

    /// Makes every program wait: for an operation, for all operations, or for the other ranks.
    fn wait(&mut self, random: &mut Random, states: &mut [State]) {
        if self.ran.is_empty() {
            return;
        }
        let kind = match random.below(if self.ranks > 1 { 4 } else { 3 }) {
            0 | 1 => WaitKind::Value,
            2 => WaitKind::All,
            _ => WaitKind::Agreement,
        };
        let operation = (kind != WaitKind::All)
            .then(|| self.ran[random.below(self.ran.len() as u64) as usize].operation);
        let starts: Vec<i64> = states
            .iter_mut()
            .map(|state| {
                state.program += some(random, 30);
                state.program
            })
            .collect();
        if kind == WaitKind::Agreement
            && self
                .waited
                .iter()
                .any(|wait| wait.kind == WaitKind::Agreement && wait.operation == operation)
        {
            return;
        }
        for (rank, state) in states.iter_mut().enumerate() {
            let start = starts[rank];
            let ends = self.ran.iter().filter(|ran| ran.rank == rank);
            let ends = ends.filter(|ran| match kind {
                WaitKind::Value => Some(ran.operation) == operation,
                _ => ran.place != Unit::Program,
            });
            let messages = (0..self.sent.len())
                .filter(|row| kind == WaitKind::All && self.sent[*row].ranks[1] == rank);
            let messages = messages.map(|row| self.sent[row].ends[1]);
            let ready = match kind {
                WaitKind::Agreement => starts.iter().copied().max(),
                _ => ends.map(|ran| ran.end).chain(messages).max(),
            };
            let end = ready.unwrap_or(start).max(start) + some(random, 10);
            state.program = end;
            self.waited.push(Waited {
                rank,
                kind,
                operation,
                start,
                end,
            });
        }
    }
}

fn some(random: &mut Random, scale: u64) -> i64 {
    1 + random.below(scale * LONG) as i64
}

const PROGRAM: ProcessorId = ProcessorId(0);
const UTILITY: ProcessorId = ProcessorId(1);
const FIRST_WORKER: u16 = 2;
const GPU: ProcessorId = ProcessorId(9);

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_boot(nanos)
}

pub(crate) fn operation_uid(operation: usize) -> Uid {
    Uid::new(Rank::REPLICATED, operation as u64 + 1).unwrap()
}

fn rank(rank: usize) -> Rank {
    Rank::new(rank as u16).unwrap()
}

pub(crate) fn task_uid(row: usize, of: usize) -> Uid {
    Uid::new(rank(of), 4 * row as u64 + 1).unwrap()
}

fn launch_uid(launch: usize, of: usize) -> Uid {
    Uid::new(rank(of), 4 * launch as u64 + 2).unwrap()
}

fn side_uid(row: usize, side: usize, of: usize) -> Uid {
    Uid::new(rank(of), 4 * (2 * row + side) as u64 + 3).unwrap()
}

/// Returns the trace of a run.
pub(crate) fn trace(world: &World) -> Trace {
    let mut trace = Trace::default();
    for rank in 0..world.ranks {
        trace.sources.push(Source {
            path: format!("weft_{rank}.prof").into(),
            kind: SourceKind::WeftProf,
            run: RunIndex(0),
            run_id: Some("run".to_owned()),
            rank: Some(rank as u16),
            ranks: Some(world.ranks as u16),
            host: None,
            boot_id: None,
            pid: None,
            program: None,
            database: None,
            wall_at_zero: None,
            lossy: false,
        });
        let source = SourceIndex(rank as u32);
        let name = trace.strings.intern("processor");
        for (id, kind) in [
            (PROGRAM, ProcessorKind::Program),
            (UTILITY, ProcessorKind::Utility),
            (ProcessorId(FIRST_WORKER), ProcessorKind::Cpu),
            (ProcessorId(FIRST_WORKER + 1), ProcessorKind::Cpu),
            (GPU, ProcessorKind::Gpu),
        ] {
            trace.machine.processors.push(Processor {
                source,
                id,
                kind,
                thread: 0,
                name,
            });
        }
    }
    operations(&mut trace, world);
    tasks(&mut trace, world);
    messages(&mut trace, world);
    trace
}

fn operations(trace: &mut Trace, world: &World) {
    let name = trace.strings.intern("add");
    for (operation, asked) in world.asked.iter().enumerate() {
        trace.program.operations.push(Operation {
            source: SourceIndex(0),
            run: RunIndex(0),
            uid: operation_uid(operation),
            parent: None,
            name,
            provenance: Default::default(),
            created: at(asked[0]),
            tasks: 1,
            scope: Default::default(),
            stack: Default::default(),
            call: 0,
            shape: Box::default(),
        });
        for (rank, asked) in asked.iter().enumerate().skip(1) {
            trace.program.operation_calls.push(OperationCall {
                source: SourceIndex(rank as u32),
                operation: operation_uid(operation),
                created: at(*asked),
            });
        }
    }
    let kind = trace.strings.intern("analysis");
    for planned in &world.planned {
        trace.work.runtime_calls.push(RuntimeCall {
            source: SourceIndex(planned.rank as u32),
            kind,
            operation: Some(operation_uid(planned.operation)),
            processor: UTILITY,
            start: at(planned.start),
            end: at(planned.end),
        });
    }
    for wait in &world.waited {
        trace.work.waits.push(Wait {
            source: SourceIndex(wait.rank as u32),
            kind: wait.kind,
            task: None,
            processor: Some(PROGRAM),
            operation: wait.operation.map(operation_uid),
            start: at(wait.start),
            ready: at(wait.end),
            end: at(wait.end),
        });
    }
}

fn tasks(trace: &mut Trace, world: &World) {
    for (row, ran) in world.ran.iter().enumerate() {
        let source = SourceIndex(ran.rank as u32);
        let processor = match ran.place {
            Unit::Program => PROGRAM,
            Unit::Worker(worker) => ProcessorId(FIRST_WORKER + worker as u16),
            Unit::Stream(_) => GPU,
        };
        let (start, end) = ran.issue.unwrap_or((ran.start, ran.end));
        let uid = task_uid(row, ran.rank);
        trace.work.tasks.push(Task {
            source,
            uid,
            operation: operation_uid(ran.operation),
            point: 0,
            processor,
            created: at(world.asked[ran.operation][ran.rank]),
            ready: at(start),
            start: at(start),
            end: at(end),
            device: None,
            arithmetic: None,
        });
        for earlier in &ran.after {
            depend(trace, world, ran.rank, *earlier, uid);
        }
        let of_launch = |other: &Ran| (other.rank, other.launch) == (ran.rank, ran.launch);
        let served = world
            .ran
            .iter()
            .enumerate()
            .filter(|(_, other)| of_launch(other));
        let served: Vec<usize> = served.map(|(row, _)| row).collect();
        if served[0] != row {
            continue;
        }
        let share = 1.0 / served.len() as f64;
        let launch = LaunchIndex(trace.work.launches.len() as u32);
        let uids = served.iter().map(|row| (task_uid(*row, ran.rank), share));
        trace.work.launches.push(Launch {
            source,
            run: RunIndex(0),
            uid: launch_uid(ran.launch, ran.rank),
            processor,
            start: at(start),
            end: at(end),
            split: ShareOrigin::of_shares(served.len()),
            shares: uids.collect(),
        });
        let Unit::Stream(stream) = ran.place else {
            continue;
        };
        let name = trace.strings.intern("kernel");
        trace.devices.kernels.push(Kernel {
            source,
            recorder: Recorder::Cupti,
            kind: KernelKind::Kernel,
            name,
            rank: Some(ran.rank as u16),
            processor: None,
            device: Some(0),
            stream: Some(stream as i64),
            context: Some(1),
            graph: None,
            graph_node: None,
            correlation: None,
            start: at(ran.start),
            end: at(ran.end),
            traffic: Traffic::default(),
            recorded: None,
            external: None,
            process: None,
            detail: None,
            route: None,
        });
        trace.links.outcomes.push(Outcome::Linked {
            launch,
            method: Method::ExternalId,
        });
    }
}

fn depend(trace: &mut Trace, world: &World, of: usize, earlier: Work, to: Uid) {
    let from = match earlier {
        Work::Task(row) => task_uid(row, of),
        Work::Message(row) => {
            let side = usize::from(world.sent[row].ranks[1] == of);
            side_uid(row, side, of)
        }
    };
    trace.work.dependencies.push(Dependency {
        source: SourceIndex(of as u32),
        from,
        to,
        kind: DependencyKind::ReadAfterWrite,
        store: None,
        bytes: None,
    });
}

fn messages(trace: &mut Trace, world: &World) {
    for (row, sent) in world.sent.iter().enumerate() {
        let operation = operation_uid(sent.operation);
        let sides = [0, 1].map(|side| {
            let of = sent.ranks[side];
            let uid = side_uid(row, side, of);
            for earlier in &sent.after[side] {
                depend(trace, world, of, *earlier, uid);
            }
            let asked = world.asked[sent.operation][of];
            Side {
                source: SourceIndex(of as u32),
                uid,
                operation,
                memory: MemoryId(0),
                bytes: 8,
                created: at(asked),
                ready: at(sent.starts[side]),
                start: at(sent.starts[side]),
                passed: at(sent.ends[side]),
                end: at(sent.ends[side]),
            }
        });
        let [from, to] = sent.ranks;
        trace.work.messages.push(Message {
            run: RunIndex(0),
            from: from as u16,
            to: to as u16,
            number: row as u64 + 1,
            sent: Some(sides[0]),
            received: Some(sides[1]),
        });
        trace.work.copies.push(Copy {
            source: sides[1].source,
            uid: sides[1].uid,
            operation,
            from: Some(MemoryId(0)),
            to: MemoryId(0),
            bytes: 8,
            created: sides[0].created.min(sides[1].created),
            ready: sides[0].ready.max(sides[1].ready),
            start: sides[0].start.max(sides[1].start),
            end: sides[1].end,
            message: Some(MessageIndex(row as u32)),
        });
    }
}
