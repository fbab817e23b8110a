//! A joined trace with every kind of row that a report supports.

use weft_model::{
    Copy, Instance, Kernel, KernelKind, Launch, LaunchIndex, Memory, Method, Outcome, Reason,
    Recorder, RunIndex, ShareOrigin, Source, SourceIndex, SourceKind, Trace, Traffic, Wait,
    WaitKind,
};
use weft_trace::id::{MemoryId, ProcessorId};
use weft_trace::record::MemoryKind;

use crate::support::{at, operation_uid, uid};

/// Adds a session of Nsight Systems to the trace, and rows that runs on CPUs alone do not have.
pub(crate) fn trace(mut trace: Trace) -> Trace {
    let (recording, links) = (&mut trace.recording, &mut trace.links);
    let own = SourceIndex(0);
    recording.sources.push(Source {
        path: "session.nsys-rep".into(),
        kind: SourceKind::NsysReport,
        run: RunIndex(1),
        run_id: None,
        rank: None,
        wall_at_zero: Some(123),
        ..recording.sources[0].clone()
    });
    let session = SourceIndex(1);
    recording.machine.processors[1].name = recording.strings.intern("CPU/1 [x] ü");
    for (id, kind) in [(1, MemoryKind::Framebuffer), (2, MemoryKind::Framebuffer)] {
        recording.machine.memories.push(Memory {
            source: own,
            id: MemoryId(id),
            kind,
            capacity: 1 << 20,
        });
    }
    for (sequence, from, to) in [(31, Some(0), 1), (32, None, 2)] {
        recording.work.copies.push(Copy {
            source: own,
            uid: uid(sequence),
            operation: operation_uid(1).0,
            from: from.map(MemoryId),
            to: MemoryId(to),
            bytes: 4096,
            created: at(5_010),
            ready: at(5_020),
            start: at(5_030),
            end: at(5_060),
            message: None,
        });
    }
    // They overlap the one in the trace. One is never destroyed; both belong to no known operation.
    for (sequence, destroyed) in [(41, Some(at(5_950))), (42, None)] {
        recording.work.instances.push(Instance {
            source: own,
            uid: uid(sequence),
            store: None,
            memory: MemoryId(0),
            bytes: 128,
            operation: None,
            created: at(5_500),
            ready: at(5_510),
            destroyed,
        });
    }
    recording.work.launches.push(Launch {
        source: own,
        run: RunIndex(0),
        uid: uid(99),
        processor: ProcessorId(0),
        start: at(5_700),
        end: at(5_710),
        shares: [].into(),
        split: ShareOrigin::Measured,
    });
    recording.work.waits.push(Wait {
        source: own,
        kind: WaitKind::Event,
        task: Some(uid(77)),
        processor: None,
        operation: None,
        start: at(5_000),
        ready: at(5_000),
        end: at(5_001),
    });
    let mut kernel = |source, kind, stream, outcome| {
        let name = recording.strings.intern("axpy<\"f64\">");
        recording.devices.kernels.push(Kernel {
            source,
            recorder: Recorder::Nsys,
            kind,
            name,
            rank: Some(0),
            processor: None,
            device: Some(0),
            stream,
            start: at(5_110),
            end: at(5_120),
            traffic: Traffic {
                read: None,
                written: Some(7),
            },
            recorded: None,
            ..recording.devices.kernels[0]
        });
        links.outcomes.push(outcome);
        links.kernel_ranges.push(None);
    };
    let linked = |launch| Outcome::Linked {
        launch: LaunchIndex(launch),
        method: Method::Range,
    };
    kernel(session, KernelKind::Kernel, Some(7), linked(2));
    let unmatched = Outcome::Unmatched(Reason::NoApiCall);
    kernel(session, KernelKind::Memset, None, unmatched);
    kernel(own, KernelKind::Memcpy, Some(7), linked(0));
    trace
}
