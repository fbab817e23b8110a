//! Records of dependent partitioning.

use super::*;
use weft_critical::path;
use weft_model::StepKind;
use weft_nvtx_export::Progress;
use weft_output::sqlite::{self, WriteOptions};
use weft_timeline::{Flags, SliceKind, Timeline};

/// Returns a record of dependent partitioning.
fn partitioning(file: LegionFile, operation: u64, kind: u64, fevent: u64) -> LegionFile {
    let values = [
        ("op_id", V::N(operation)),
        ("part_op", V::N(kind)),
        ("create", V::N(1)),
        ("ready", V::N(u64::MAX)),
        ("start", V::N(5)),
        ("stop", V::N(9)),
        ("fevent", V::N(fevent)),
    ];
    file.record("PartitionInfo", &values)
}

const PARTITION_INFO: &str = "op_id:UniqueID:8, part_op:DepPartOpKind:4, create:timestamp_t:8, ready:timestamp_t:8, \
     start:timestamp_t:8, stop:timestamp_t:8, creator:unsigned long long:8, critical:unsigned long long:8, \
     fevent:unsigned long long:8";

#[test]
fn partitioning_belongs_to_its_causing_operation() {
    // A point of an index launch counts for the launch.
    let file = part(operation(small(), 500, 0), 501, 500);
    let mut file = file.kind(90, "PartitionInfo", PARTITION_INFO);
    for (operation, kind, number) in [(500, 9, 1), (501, 1, 2), (0, 16, 3), (500, 0, 0)] {
        let fevent = if number == 0 { 0 } else { event(number) };
        file = partitioning(file, operation, kind, fevent);
    }
    let senseless = [
        ("op_id", V::N(500)),
        ("fevent", V::N(event(5))),
        ("start", V::N(u64::MAX)),
    ];
    let file = file.record("PartitionInfo", &senseless);
    let (trace, _) = bytes_of(&file.bytes());
    let rows: Vec<_> = trace
        .work
        .partitionings
        .iter()
        .map(|row| {
            let times = [row.created, row.ready, row.start, row.end].map(|time| time.nanos());
            (row.name(), row.operation.map(|uid| uid.raw()), times)
        })
        .collect();
    let times = [1, 5, 5, 9];
    assert_eq!(
        rows,
        [
            ("partition by field", Some(500), times),
            ("unions", Some(500), times),
            ("partitioning", None, times),
        ]
    );
    let uids: std::collections::HashSet<_> =
        trace.work.partitionings.iter().map(|row| row.uid).collect();
    assert_eq!(uids.len(), 3);
    // The one without an event and the one without a time.
    assert_eq!(loss(&trace, "records_senseless"), 1);
    assert_eq!(loss(&trace, "untimed_partitioning_out_of_range"), 1);
    let created = |row: &&weft_model::Operation| row.uid.raw() == 500;
    let operation = trace.program.operations.iter().find(created).unwrap();
    assert_eq!(operation.created.nanos(), 1);
}

#[test]
fn reads_partitioning_records_with_fewer_fields() {
    let fields = "op_id:UniqueID:8, create:timestamp_t:8, start:timestamp_t:8, stop:timestamp_t:8, fevent:unsigned long long:8";
    let file = partitioning(small().kind(90, "PartitionInfo", fields), 5, 3, event(1));
    let (trace, _) = bytes_of(&file.bytes());
    let [row] = trace.work.partitionings.as_slice() else {
        panic!("{:?}", trace.work.partitionings);
    };
    assert_eq!((row.kind, row.ready), (None, row.start));
    assert_eq!(loss(&trace, "records_senseless"), 0);
}

#[test]
fn critical_path_steps_name_their_partitioning() {
    let merged =
        "result:unsigned long long:8, fevent:unsigned long long:8, performed:timestamp_t:8";
    let file =
        small()
            .kind(90, "PartitionInfo", PARTITION_INFO)
            .kind(91, "EventTriggerInfo", merged);
    let times = |start, stop, critical, fevent| {
        [
            ("op_id", V::N(500)),
            ("part_op", V::N(9)),
            ("create", V::N(start)),
            ("ready", V::N(start)),
            ("start", V::N(start)),
            ("stop", V::N(stop)),
            ("critical", V::N(critical)),
            ("fevent", V::N(event(fevent))),
        ]
    };
    // Longer than everything else. The second follows the first.
    let file = file
        .record("PartitionInfo", &times(0, 100_000, 0, 61))
        .record("PartitionInfo", &times(100_000, 900_000, event(61), 62))
        .record("EventTriggerInfo", &[("result", V::N(event(63)))]);
    let (trace, _) = bytes_of(&file.bytes());
    let uids: Vec<_> = trace.work.partitionings.iter().map(|row| row.uid).collect();
    let steps = |trace: &Trace| {
        let steps = path(trace).into_iter();
        let own = steps.filter(|step| step.uid.is_some_and(|uid| uids.contains(&uid)));
        own.map(|step| (step.kind, step.uid.unwrap(), step.part))
            .collect::<Vec<_>>()
    };
    let expected = [
        (StepKind::Analysis, uids[0], 100_000),
        (StepKind::Analysis, uids[1], 800_000),
    ];
    assert_eq!(steps(&trace), expected);
    // A database keeps it, and the timeline marks it if it is on the critical path.
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("weft.sqlite");
    sqlite::write(&trace, &database, &WriteOptions::default()).unwrap();
    let back = read(std::slice::from_ref(&database), &ReadOptions::default()).unwrap();
    assert_eq!(steps(&back), expected);
    let timeline = Timeline::open(&database, &Progress::default()).unwrap();
    for row in [1, 2] {
        let item = timeline.file.of_row(SliceKind::Partitioning, row).unwrap();
        let item = timeline.file.item(item.unwrap()).unwrap().unwrap();
        assert!(item.flags.has(Flags::CRITICAL), "{item:?}");
    }
}
