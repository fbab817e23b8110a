//! A joined trace with rows of every kind, generated at random from a seed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use weft_model::{
    Copy, Dependency, Instance, Kernel, KernelKind, Launch, LaunchIndex, Memory, Method, Operation,
    Outcome, Partitioning, PartitioningKind, Processor, ProvenanceRow, Reason, Recorder, RunIndex,
    RuntimeCall, ShareOrigin, Source, SourceIndex, SourceKind, Store, Task, Trace, Traffic, Wait,
    WaitKind,
};
use weft_trace::id::{MemoryId, ProcessorId, Rank, Uid};
use weft_trace::record::{Arithmetic, DependencyKind, MemoryKind, ProcessorKind};
use weft_trace::time::Timestamp;

/// Pseudo-random numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn time(&mut self, from: i64, length: u64) -> Timestamp {
        Timestamp::from_nanos_since_boot(from + self.below(length) as i64)
    }
}

/// The parameters of the trace.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) seed: u64,
    pub(crate) ranks: u16,
    pub(crate) tasks: u64,
    /// The first instant.
    pub(crate) zero: i64,
    /// Whether it has ids without a row, ends before starts, and times in any order.
    pub(crate) broken: bool,
}

const TASKS_PER_OPERATION: u64 = 4;

/// Generates ranks of one run with CPUs, a GPU and a utility thread each: overlapping tasks, fused
/// launches, host and device kernels, copies and fills, instances, waits, dependences; names and
/// paths with unusual characters.
pub(crate) fn trace(shape: Shape) -> Trace {
    let mut random = Random::new(shape.seed);
    let mut trace = Trace::default();
    let names = [
        "add",
        "mul \"quoted\"",
        "Größe",
        "a\nb",
        "{\"json\": 1}",
        "",
        "DROP TABLE x; --",
    ];
    let names = names.map(|name| trace.strings.intern(name));
    let paths = ["src/main.rs", "/päth/with \"quotes\".py", "C:\\x.rs", ""];
    let places: Vec<_> = paths
        .map(|path| trace.strings.intern(path))
        .into_iter()
        .flat_map(|file| {
            [1, 20].map(|line| ProvenanceRow {
                file,
                line,
                ..ProvenanceRow::default()
            })
        })
        .map(|row| trace.program.provenances.intern(row))
        .collect();
    let operations = shape.tasks.div_ceil(TASKS_PER_OPERATION).max(1);
    for sequence in 1..=operations {
        trace.program.operations.push(Operation {
            source: SourceIndex(0),
            run: RunIndex(0),
            uid: Uid::new(Rank::REPLICATED, sequence).unwrap(),
            parent: (sequence % 5 == 0).then(|| Uid::new(Rank::REPLICATED, sequence - 1).unwrap()),
            name: names[random.below(names.len() as u64) as usize],
            provenance: if sequence % 7 == 0 {
                Default::default()
            } else {
                places[random.below(places.len() as u64) as usize]
            },
            created: random.time(shape.zero, 1000),
            tasks: TASKS_PER_OPERATION as u32,
            scope: Default::default(),
            stack: Default::default(),
            call: random.below(100) as u32,
            shape: Box::new([8, sequence]),
        });
    }
    for rank in 0..shape.ranks {
        one_rank(&mut trace, &mut random, shape, rank, operations);
    }
    trace
        .quality
        .meta
        .set("weft_version", env!("CARGO_PKG_VERSION"));
    trace.quality.meta.set("clock_base", "CLOCK_MONOTONIC");
    trace.quality.meta.set("clock_base_source", 1);
    trace
}

fn one_rank(trace: &mut Trace, random: &mut Random, shape: Shape, rank: u16, operations: u64) {
    let source = SourceIndex(rank.into());
    trace.sources.push(Source {
        path: PathBuf::from(format!("weft_{rank}.prof")),
        kind: SourceKind::WeftProf,
        run: RunIndex(0),
        run_id: Some("0123456789abcdef0123456789abcdef".to_owned()),
        rank: Some(rank),
        ranks: Some(shape.ranks),
        host: Some(format!("host{}", rank / 2)),
        boot_id: Some("boot".to_owned()),
        // Ranks on different machines may have equal pids.
        pid: Some(4242),
        program: Some("program".to_owned()),
        database: None,
        wall_at_zero: Some(1_700_000_000_000_000_000),
        lossy: false,
    });
    let kinds = [
        ProcessorKind::Cpu,
        ProcessorKind::Cpu,
        ProcessorKind::Gpu,
        ProcessorKind::Utility,
    ];
    for (id, kind) in (0..).zip(kinds) {
        let name = trace.strings.intern(&format!("{kind} {id}"));
        trace.machine.processors.push(Processor {
            source,
            id: ProcessorId(id),
            kind,
            thread: 100 + u32::from(id),
            name,
        });
    }
    for (id, kind) in (0..).zip([
        MemoryKind::System,
        MemoryKind::Framebuffer,
        MemoryKind::ZeroCopy,
    ]) {
        trace.machine.memories.push(Memory {
            source,
            id: MemoryId(id),
            kind,
            capacity: 1 << 30,
        });
    }
    let rank_of = Rank::new(rank).unwrap();
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        Uid::new(rank_of, next).unwrap()
    };
    let operation = |random: &mut Random| {
        let beyond = if shape.broken { 3 } else { 0 };
        Uid::new(Rank::REPLICATED, 1 + random.below(operations + beyond)).unwrap()
    };
    let store = fresh();
    let dtype = trace.strings.intern("f64");
    trace.program.stores.push(Store {
        source,
        uid: store,
        dtype,
        provenance: Default::default(),
        shape: Box::new([8]),
    });
    let first_task = trace.work.tasks.len();
    for task in 0..shape.tasks {
        let uid = fresh();
        let created = random.time(shape.zero, 50 * shape.tasks.max(1));
        let nanos = created.nanos();
        let mut times =
            [random.below(20), random.below(20), random.below(90)].map(|step| step as i64);
        times[0] += nanos;
        times[1] += times[0];
        times[2] += times[1];
        if shape.broken && task % 11 == 0 {
            times.swap(0, 2);
        }
        let [ready, start, end] = times.map(Timestamp::from_nanos_since_boot);
        let processor = ProcessorId(random.below(if shape.broken { 5 } else { 3 }) as u16);
        let device = (processor.0 == 2 && task % 2 == 0).then_some((start, end));
        let operation = operation(random);
        trace.work.tasks.push(Task {
            source,
            uid,
            operation,
            point: task as u32 % 4,
            processor,
            created,
            ready,
            start,
            end,
            device,
            arithmetic: (task % 3 > 0).then_some(Arithmetic {
                operations: task * 100,
                single: task % 2 == 0,
            }),
        });
        if random.below(4) == 0 {
            trace.work.waits.push(Wait {
                source,
                kind: WaitKind::Event,
                task: Some(uid),
                processor: None,
                operation: None,
                start,
                ready: end,
                end,
            });
        }
        // A broken task may not have become a row.
        let rows = &trace.work.tasks[first_task..];
        let earlier = rows.len() - usize::from(rows.last().is_some_and(|row| row.uid == uid));
        if earlier > 0 {
            let from = rows[random.below(earlier as u64) as usize].uid;
            trace.work.dependencies.push(Dependency {
                source,
                from,
                to: uid,
                kind: DependencyKind::ReadAfterWrite,
                // Every fifth store is unknown.
                store: (task % 5 > 0).then_some(store),
                bytes: (task % 5 > 0).then_some(8 * task),
            });
        }
    }
    for copy in 0..shape.tasks / 4 {
        let created = random.time(shape.zero, 50 * shape.tasks);
        let start = random.time(created.nanos(), 30);
        trace.work.copies.push(Copy {
            source,
            uid: fresh(),
            operation: operation(random),
            from: (copy % 3 != 0).then_some(MemoryId(copy as u16 % 2)),
            to: MemoryId(if shape.broken { 9 } else { 2 }),
            bytes: random.below(1 << 40),
            created,
            ready: created,
            start,
            end: random.time(start.nanos(), 60),
            message: None,
        });
        let uid = fresh();
        let created = random.time(shape.zero, 1000);
        trace.work.instances.push(Instance {
            source,
            uid,
            store: (copy % 2 == 0).then_some(store),
            memory: MemoryId(random.below(3) as u16),
            bytes: random.below(1 << 30),
            operation: (copy % 3 == 0).then(|| operation(random)),
            created,
            ready: created,
            destroyed: (copy % 4 != 0).then(|| random.time(created.nanos(), 5000)),
        });
        let kind = trace
            .strings
            .intern(["mapping", "analysis"][copy as usize % 2]);
        let start = random.time(shape.zero, 1000);
        trace.work.runtime_calls.push(RuntimeCall {
            source,
            kind,
            operation: (copy % 2 == 0).then(|| operation(random)),
            processor: ProcessorId(3),
            start,
            end: random.time(start.nanos(), 100),
        });
    }
    launches(trace, random, shape, source, first_task, &mut fresh);
    let asked = trace.work.tasks[first_task..]
        .iter()
        .map(|task| task.created);
    let first = asked.min().map_or(shape.zero, Timestamp::nanos);
    let at = |nanos: u64| Timestamp::from_nanos_since_boot(first + nanos as i64);
    for number in 0..shape.tasks / 4 {
        // The last one has an unknown kind.
        let kinds = PartitioningKind::ALL.len() + 1;
        let kind = (shape.seed + number * 5) as usize % kinds;
        let operation = 1 + number % operations;
        let start = number * 11 + 4;
        trace.work.partitionings.push(Partitioning {
            source,
            uid: fresh(),
            kind: PartitioningKind::ALL.get(kind).copied(),
            operation: (number % 3 != 0).then(|| Uid::new(Rank::REPLICATED, operation).unwrap()),
            created: at(number * 11),
            ready: at(number * 11 + 1),
            start: at(start),
            end: at(if shape.broken && number % 5 == 0 {
                start - 3
            } else {
                start + 3 * number
            }),
        });
    }
}

fn launches(
    trace: &mut Trace,
    random: &mut Random,
    shape: Shape,
    source: SourceIndex,
    first_task: usize,
    fresh: &mut impl FnMut() -> Uid,
) {
    let rank = source.0 as u16;
    let name = trace.strings.intern("kernel<float>(int*)");
    let tasks: Vec<Task> = trace.work.tasks[first_task..].to_vec();
    let launch = |trace: &mut Trace, uid, task: &Task, shares: Vec<(Uid, f64)>| {
        trace.work.launches.push(Launch {
            source,
            run: RunIndex(0),
            uid,
            processor: task.processor,
            start: task.start,
            end: task.end,
            split: ShareOrigin::of_shares(shares.len()),
            shares: shares.into(),
        });
        LaunchIndex(trace.work.launches.len() as u32 - 1)
    };
    let mut row = 0;
    while row < tasks.len() {
        let task = &tasks[row];
        let fused = 1 + random.below(3) as usize;
        let served = &tasks[row..(row + fused).min(tasks.len())];
        row += served.len();
        let at = if served.len() == 1 {
            launch(trace, task.uid, task, Vec::new())
        } else {
            let share = 1.0 / served.len() as f64;
            let shares = served.iter().map(|task| (task.uid, share)).collect();
            launch(trace, fresh(), task, shares)
        };
        for kernel in 0..random.below(3) {
            let on_device = task.processor.0 == 2;
            let start = random.time(task.start.nanos() - 2, 30);
            let kind = KernelKind::ALL[if on_device { kernel as usize % 3 } else { 0 }];
            trace.devices.kernels.push(Kernel {
                source,
                recorder: if on_device {
                    Recorder::Cupti
                } else {
                    Recorder::Host
                },
                kind,
                name,
                rank: Some(rank),
                processor: Some(task.processor),
                device: on_device.then_some(0),
                stream: on_device.then(|| 7 + random.below(2) as i64),
                context: on_device.then_some(1),
                graph: None,
                graph_node: (kernel == 1).then_some(1 << 40),
                correlation: on_device.then_some(row as i64),
                start,
                end: random.time(start.nanos(), 60),
                traffic: Traffic::new(kind, (kernel == 0).then(|| random.below(1 << 30))),
                recorded: None,
                external: None,
                process: None,
                detail: None,
                route: None,
            });
            let found = random.below(8) != 0;
            trace.links.outcomes.push(if found {
                let method = if on_device {
                    Method::ExternalId
                } else {
                    Method::Recorded
                };
                Outcome::Linked { launch: at, method }
            } else {
                Outcome::Unmatched(Reason::UnknownUid)
            });
            trace.links.kernel_ranges.push(None);
        }
    }
    // Copies have launches too. One serves a UID without a row.
    for copy in trace
        .work
        .copies
        .clone()
        .into_iter()
        .filter(|copy| copy.source == source)
        .take(5)
    {
        let task = Task {
            start: copy.start,
            end: copy.end,
            ..tasks[0]
        };
        let at = launch(trace, copy.uid, &task, Vec::new());
        let mut kernel = *trace.devices.kernels.last().unwrap();
        (kernel.kind, kernel.recorder, kernel.start, kernel.end) =
            (KernelKind::Memcpy, Recorder::Cupti, copy.start, copy.end);
        trace.devices.kernels.push(kernel);
        trace.links.outcomes.push(Outcome::Linked {
            launch: at,
            method: Method::ExternalId,
        });
        trace.links.kernel_ranges.push(None);
    }
    if shape.broken {
        let task = tasks[0];
        let shares = vec![(fresh(), 0.5), (task.uid, 0.5)];
        let at = launch(trace, fresh(), &task, shares);
        let kernel = *trace.devices.kernels.last().unwrap();
        trace.devices.kernels.push(kernel);
        trace.links.outcomes.push(Outcome::Linked {
            launch: at,
            method: Method::ExternalId,
        });
        trace.links.kernel_ranges.push(None);
        trace.work.waits.push(Wait {
            source,
            kind: WaitKind::Event,
            task: Some(fresh()),
            processor: None,
            operation: None,
            start: task.start,
            ready: task.start,
            end: task.end,
        });
    }
}
