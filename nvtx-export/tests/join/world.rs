//! Random small traces: processes of one or two runs, recorded by one or two sessions.

use proptest::prelude::*;
use weft_model::{
    ApiCall, GraphNode, InternalLaunch, Kernel, KernelKind, Launch, RangeKind, RangeRow, Recorder,
    Recording, RunIndex, ShareOrigin, Source, SourceIndex, SourceKind, StringIndex, Traffic,
    thread_of,
};
use weft_trace::id::{ProcessorId, Rank, Uid};
use weft_trace::time::Timestamp;

/// Files, each written by one process. Sessions follow them in the list of sources. Two files are
/// of one run. The third is of another run, in which the same UIDs mean other launches.
pub(crate) const FILES: usize = 3;
pub(crate) const SESSIONS: usize = 2;
/// The session that records the process of each file.
pub(crate) const WATCHES: [usize; FILES] = [0, 0, 1];
/// The distance of instants in ns: more than two recorders of one kernel can differ.
pub(crate) const UNIT: i64 = 10_000;
const SPAN: i64 = 60;

#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) file: usize,
    pub(crate) thread: u32,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) start_end: bool,
    pub(crate) elsewhere: bool,
    pub(crate) weft: bool,
    /// A sequence number. Small ones are launches, some are internal, some unknown.
    pub(crate) uid: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) file: usize,
    /// Whether CUPTI in the process recorded it, as opposed to the session.
    pub(crate) in_process: bool,
    pub(crate) thread: u32,
    pub(crate) correlation: i64,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) file: usize,
    pub(crate) recorder: Recorder,
    pub(crate) correlation: i64,
    pub(crate) start: i64,
    pub(crate) node: Option<i64>,
    pub(crate) external: Option<u64>,
    pub(crate) kind: KernelKind,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) ranges: Vec<Range>,
    pub(crate) calls: Vec<Call>,
    pub(crate) kernels: Vec<Work>,
    /// Replay, node, launch.
    pub(crate) nodes: Vec<(usize, u64, i64, u64)>,
    pub(crate) lossy: [bool; FILES],
}

/// Launches 1 to 4 of each file have records, 5 is internal, and the others are unknown.
pub(crate) const LAUNCHES: u64 = 4;
pub(crate) const INTERNAL: u64 = 5;

/// Returns the UID of a sequence number in a file. Files of one run have ranks; the other run
/// repeats the UIDs of the first.
pub(crate) fn uid(file: usize, sequence: u64) -> Uid {
    Uid::new(Rank::new([0, 1, 0][file]).unwrap(), sequence).unwrap()
}

pub(crate) fn pid(file: usize) -> u32 {
    700 + file as u32
}

fn at(units: i64) -> Timestamp {
    Timestamp::from_nanos_since_session_start(units * UNIT)
}

fn file() -> impl Strategy<Value = usize> {
    0..FILES
}

fn interval() -> impl Strategy<Value = (i64, i64)> {
    // Start and end of 0 would mean that no times were recorded.
    (1..SPAN, prop_oneof![0..4_i64, 0..SPAN]).prop_map(|(start, length)| (start, start + length))
}

fn sequence() -> impl Strategy<Value = u64> {
    1..=LAUNCHES + 2
}

fn range() -> impl Strategy<Value = Range> {
    let flags = (
        prop::bool::weighted(0.4),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.8),
    );
    (
        file(),
        0..4_u32,
        interval(),
        flags,
        prop::option::weighted(0.8, sequence()),
    )
        .prop_map(
            |(file, thread, (start, end), (start_end, elsewhere, weft), uid)| Range {
                file,
                thread,
                start,
                end,
                start_end,
                elsewhere: start_end && elsewhere,
                weft,
                uid: uid.filter(|_| weft),
            },
        )
}

fn call() -> impl Strategy<Value = Call> {
    (
        file(),
        prop::bool::weighted(0.3),
        0..5_u32,
        0..8_i64,
        interval(),
    )
        .prop_map(
            |(file, in_process, thread, correlation, (start, end))| Call {
                file,
                in_process,
                thread,
                correlation,
                start,
                end,
            },
        )
}

fn work() -> impl Strategy<Value = Work> {
    let recorder = prop_oneof![
        4 => Just(Recorder::Nsys),
        2 => Just(Recorder::Cupti),
        1 => Just(Recorder::Host),
    ];
    let kind = prop_oneof![
        Just(KernelKind::Kernel),
        Just(KernelKind::Memcpy),
        Just(KernelKind::Memset)
    ];
    let node = prop::option::weighted(0.4, 1..4_i64);
    (
        file(),
        recorder,
        0..9_i64,
        node,
        prop::option::weighted(0.7, sequence()),
        kind,
    )
        .prop_map(|(file, recorder, correlation, node, external, kind)| Work {
            file,
            recorder,
            correlation,
            start: 0,
            node,
            external: external.filter(|_| recorder != Recorder::Nsys),
            kind,
        })
}

pub(crate) fn any() -> impl Strategy<Value = World> {
    let kernels = prop::collection::vec((work(), prop::bool::weighted(0.3)), 0..20);
    let nodes = prop::collection::vec((file(), sequence(), 1..4_i64, sequence()), 0..8);
    let ranges = prop::collection::vec(range(), 0..24);
    let calls = prop::collection::vec(call(), 0..24);
    (
        ranges,
        calls,
        kernels,
        nodes,
        prop::array::uniform3(prop::bool::weighted(0.2)),
        0_u64..1000,
    )
        .prop_map(|(ranges, calls, works, nodes, lossy, seed)| {
            let mut starts: Vec<i64> = (0..SPAN + 10).collect();
            shuffle(&mut starts, seed);
            let mut kernels = Vec::new();
            for ((mut work, twice), start) in works.into_iter().zip(starts) {
                work.start = start;
                if twice && work.recorder == Recorder::Nsys {
                    // The process recorded it too, and perhaps has the pushed id.
                    kernels.push(Work {
                        recorder: Recorder::Cupti,
                        external: (work.correlation % 2 == 0).then_some(1 + start as u64 % 6),
                        ..work.clone()
                    });
                }
                kernels.push(work);
            }
            World {
                ranges,
                calls,
                kernels,
                nodes,
                lossy,
            }
        })
}

/// Shuffles the rows.
pub(crate) fn shuffle<T>(rows: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    for at in (1..rows.len()).rev() {
        state = state
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x1405_7B7E_F767_814F);
        rows.swap(at, (state >> 33) as usize % (at + 1));
    }
}

impl World {
    pub(crate) fn session(file: usize) -> SourceIndex {
        SourceIndex((FILES + WATCHES[file]) as u32)
    }

    /// Returns the rows of this world, all on one clock.
    pub(crate) fn recording(&self) -> Recording {
        let mut recording = Recording::default();
        let name = recording.strings.intern("a kernel");
        for source in 0..FILES + SESSIONS {
            let is_file = source < FILES;
            recording.sources.push(Source {
                path: format!("source {source}").into(),
                kind: if is_file {
                    SourceKind::WeftProf
                } else {
                    SourceKind::NsysSqlite
                },
                run: RunIndex([0, 0, 2, 3, 4][source]),
                run_id: is_file.then(|| format!("run {}", source / 2)),
                rank: is_file.then(|| uid(source, 1).rank().get()),
                ranks: None,
                host: None,
                boot_id: None,
                pid: is_file.then(|| pid(source)),
                program: None,
                database: None,
                wall_at_zero: None,
                lossy: is_file && self.lossy[source],
            });
        }
        for file in 0..FILES {
            let source = SourceIndex(file as u32);
            for sequence in 1..=LAUNCHES {
                recording.work.launches.push(Launch {
                    source,
                    run: recording.run_of(source),
                    uid: uid(file, sequence),
                    processor: ProcessorId(0),
                    start: at(0),
                    end: at(1),
                    shares: Box::default(),
                    split: ShareOrigin::Measured,
                });
            }
            recording.work.internal_launches.push(InternalLaunch {
                source,
                uid: uid(file, INTERNAL),
            });
            // Each process identifies the file that it wrote, by a range that is apart from all
            // others.
            recording.work.ranges.push(row(
                &Range {
                    file,
                    thread: 99,
                    start: -9,
                    end: -8,
                    start_end: false,
                    elsewhere: false,
                    weft: true,
                    uid: Some(1),
                },
                name,
            ));
        }
        recording
            .work
            .ranges
            .extend(self.ranges.iter().map(|range| row(range, name)));
        recording
            .devices
            .calls
            .extend(self.calls.iter().map(|call| ApiCall {
                source: if call.in_process {
                    SourceIndex(call.file as u32)
                } else {
                    Self::session(call.file)
                },
                name,
                thread: thread_of(pid(call.file), call.thread),
                correlation: call.correlation,
                start: at(call.start),
                end: at(call.end),
            }));
        recording.devices.graph_nodes.extend(self.nodes.iter().map(
            |&(file, replay, node, launch)| GraphNode {
                source: SourceIndex(file as u32),
                replay: uid(file, replay),
                node,
                launch: uid(file, launch),
            },
        ));
        recording
            .devices
            .kernels
            .extend(self.kernels.iter().map(|work| kernel(work, name)));
        recording
    }
}

fn row(range: &Range, text: StringIndex) -> RangeRow {
    let thread = thread_of(pid(range.file), range.thread);
    RangeRow {
        source: World::session(range.file),
        row: 1,
        start: at(range.start),
        end: at(range.end),
        kind: if range.start_end {
            RangeKind::StartEnd
        } else {
            RangeKind::PushPop
        },
        open: false,
        thread,
        end_thread: range.elsewhere.then_some(thread + 1),
        text,
        domain: text,
        color: None,
        weft: range.weft,
        launch: range.uid.map(|sequence| uid(range.file, sequence)),
    }
}

fn kernel(work: &Work, name: StringIndex) -> Kernel {
    let nsys = work.recorder == Recorder::Nsys;
    let host = work.recorder == Recorder::Host;
    let external = work.external.map(|sequence| uid(work.file, sequence));
    Kernel {
        source: if nsys {
            World::session(work.file)
        } else {
            SourceIndex(work.file as u32)
        },
        recorder: work.recorder,
        kind: work.kind,
        name,
        rank: None,
        processor: None,
        device: Some(0),
        stream: Some(7),
        context: None,
        graph: None,
        graph_node: work.node.filter(|_| !host),
        correlation: (!host).then_some(work.correlation),
        start: at(work.start),
        end: at(work.start + 1),
        traffic: Traffic::default(),
        recorded: external.filter(|_| host),
        external: external.filter(|_| !host),
        process: (!host).then(|| thread_of(pid(work.file), 0)),
        detail: None,
        route: None,
    }
}
