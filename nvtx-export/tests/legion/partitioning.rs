//! Records of dependent partitioning.

use super::*;

/// A record of dependent partitioning.
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
fn dependent_partitioning_belongs_to_the_operation_that_caused_it() {
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
    let (joined, _) = bytes_of(&file.bytes());
    let rows: Vec<_> = joined
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
        joined.partitionings.iter().map(|row| row.uid).collect();
    assert_eq!(uids.len(), 3);
    // The one without an event and the one without a time.
    assert_eq!(loss(&joined, "records_senseless"), 2);
    let created = |row: &&weft_nvtx_export::joined::Operation| row.uid.raw() == 500;
    let operation = joined.operations.iter().find(created).unwrap();
    assert_eq!(operation.created.nanos(), 1);
}

#[test]
fn dependent_partitioning_of_a_file_that_says_less_is_read() {
    let fields = "op_id:UniqueID:8, create:timestamp_t:8, start:timestamp_t:8, stop:timestamp_t:8, fevent:unsigned long long:8";
    let file = partitioning(small().kind(90, "PartitionInfo", fields), 5, 3, event(1));
    let (joined, _) = bytes_of(&file.bytes());
    let [row] = joined.partitionings.as_slice() else {
        panic!("{:?}", joined.partitionings);
    };
    assert_eq!((row.kind, row.ready), (None, row.start));
    assert_eq!(loss(&joined, "records_senseless"), 0);
}
