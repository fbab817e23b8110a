use std::collections::HashMap;
use std::sync::Mutex;

use weft_trace::cupti::{Buffer, Lengths, kind, overhead};
use weft_trace::file::{Prof, ProfWriter, RunId, RunInfo, WriterOptions};
use weft_trace::id::Rank;
use weft_trace::record::{self, Record};

use super::*;

/// A record of CUDA 13.0 with these fields; the rest is 0.
fn record(kind: u32, fields: &[(usize, u64, usize)]) -> Vec<u8> {
    let lengths = Lengths::of_version(130_001).unwrap();
    let mut bytes = vec![0; lengths.of(kind).unwrap()];
    bytes[..4].copy_from_slice(&kind.to_ne_bytes());
    for (offset, value, size) in fields {
        bytes[*offset..offset + size].copy_from_slice(&value.to_ne_bytes()[..*size]);
    }
    bytes
}

fn kernel(name: &CStr, correlation: u64, start: u64, end: u64, grid: u64) -> Vec<u8> {
    record(
        kind::CONCURRENT_KERNEL,
        &[
            (6, 32, 2),
            (16, start, 8),
            (24, end, 8),
            (40, 1, 4),
            (44, 2, 4),
            (48, 7, 4),
            (52, grid, 4),
            (64, 256, 4),
            (92, correlation, 4),
            (104, name.as_ptr().expose_provenance() as u64, 8),
            (144, 9, 8),
            (156, 3, 4),
        ],
    )
}

fn api(kind: u32, function: u64, correlation: u64, start: u64) -> Vec<u8> {
    let fields = [
        (4, function, 4),
        (8, start, 8),
        (16, start + 10, 8),
        (28, 77, 4),
        (32, correlation, 4),
        (36, 700, 4),
    ];
    record(kind, &fields)
}

fn external(kind: u64, id: u64, correlation: u64) -> Vec<u8> {
    let fields = [(4, kind, 4), (8, id, 8), (16, correlation, 4)];
    record(self::kind::EXTERNAL_CORRELATION, &fields)
}

/// Writes these records; returns the recorder's records as text, and the losses.
fn written(records: &[Vec<u8>]) -> (Vec<String>, HashMap<String, u64>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weft_0.prof");
    let info = RunInfo::of_this_process(RunId([1; 16]), Rank::default(), 1);
    let file = ProfWriter::create(&path, &info, WriterOptions::default()).unwrap();
    let recorder = Arc::new(Recorder::new(Some(file)));
    let (numbered, known) = (recorder.clone(), Mutex::new(Vec::new()));
    let names = move |text: &str| {
        let mut known = known.lock().unwrap();
        known.push(text.to_owned());
        let id = NameId(known.len() as u32);
        numbered.write(&record::Name { id, text });
        id
    };
    let functions = |kind, function| match (kind, function) {
        (ApiKind::Driver, 307) => Some("cuLaunchKernel".to_owned()),
        (ApiKind::Driver, 1) => Some("cuInit".to_owned()),
        _ => None,
    };
    let mut writer = Writer::new(recorder.clone(), Box::new(names), Box::new(functions));
    let lengths = Lengths::of_version(130_001).unwrap();
    for activity in Buffer::new(&records.concat(), lengths) {
        // SAFETY: the names live as long as the records.
        unsafe { writer.write(activity) };
    }
    writer.write_losses();
    writer.write_losses();
    recorder.finish().unwrap();
    let prof = Prof::open(&path).unwrap();
    let (mut texts, mut losses) = (Vec::new(), HashMap::new());
    for record in prof.records() {
        match record {
            Record::Loss(loss) => {
                assert_eq!(losses.insert(loss.name.to_owned(), loss.value), None);
            }
            other => texts.push(format!("{other:?}")),
        }
    }
    (texts, losses)
}

#[test]
fn writes_one_record_per_activity_and_shapes_once() {
    let name = c"weft_add_f64";
    let (texts, losses) = written(&[
        external(3, 42, 5),
        api(kind::DRIVER, 307, 5, 100),
        kernel(name, 5, 200, 300, 64),
        kernel(name, 6, 400, 500, 64),
        kernel(name, 7, 600, 700, 65),
        record(
            kind::MEMCPY,
            &[
                (4, 1, 1),
                (5, 2, 1),
                (6, 3, 1),
                (8, 4096, 8),
                (16, 1, 8),
                (24, 9, 8),
                (44, 8, 4),
            ],
        ),
        record(
            kind::MEMCPY2,
            &[
                (4, 10, 1),
                (16, 1, 8),
                (24, 9, 8),
                (44, 1, 4),
                (52, 2, 4),
                (60, 9, 4),
            ],
        ),
        record(
            kind::MEMSET,
            &[(4, 7, 4), (8, 64, 8), (16, 3, 8), (24, 4, 8), (50, 3, 2)],
        ),
        record(
            kind::SYNCHRONIZATION,
            &[(4, 3, 4), (8, 5, 8), (16, 6, 8), (24, 10, 4)],
        ),
        record(
            kind::MEMORY2,
            &[(4, 1, 4), (16, 4096, 8), (24, 64, 8), (32, 5, 8)],
        ),
        // Overheads of a thread, a stream, a context and a process.
        record(
            kind::OVERHEAD,
            &[
                (4, 5 << 16, 4),
                (8, 2, 4),
                (12, 4300, 4),
                (16, 4301, 4),
                (24, 10, 8),
                (32, 30, 8),
                (40, 5, 4),
            ],
        ),
        record(
            kind::OVERHEAD,
            &[
                (4, 6 << 16, 4),
                (8, 5, 4),
                (12, 1, 4),
                (16, 2, 4),
                (20, 3, 4),
                (24, 30, 8),
                (32, 31, 8),
            ],
        ),
        record(
            kind::OVERHEAD,
            &[
                (4, 3 << 16, 4),
                (8, 4, 4),
                (12, 1, 4),
                (16, 2, 4),
                (24, 32, 8),
                (32, 33, 8),
            ],
        ),
        record(
            kind::OVERHEAD,
            &[
                (4, 1, 4),
                (8, 1, 4),
                (12, 4300, 4),
                (24, 34, 8),
                (32, 35, 8),
            ],
        ),
    ]);
    assert_eq!(losses, HashMap::new());
    let has = |parts: &[&str]| {
        let all = |text: &&String| parts.iter().all(|part| text.contains(part));
        texts.iter().filter(all).count()
    };
    assert_eq!(has(&["ExternalId", "correlation: 5"]), 1);
    assert_eq!(
        has(&["ApiCall", "thread: 77", "correlation: 5", "result: 700"]),
        1
    );
    assert_eq!(has(&["Name", "weft_add_f64"]), 1, "{texts:#?}");
    assert_eq!(has(&["KernelShape", "block_x: 256", "registers: 32"]), 2);
    assert_eq!(
        has(&[
            "DeviceWork",
            "Kernel",
            "device: 1",
            "stream: 7",
            "graph: 3",
            "graph_node: 9"
        ]),
        3
    );
    assert_eq!(has(&["DeviceWork", "detail: 1"]), 2);
    assert_eq!(has(&["Name", "[CUDA memcpy HtoD]"]), 1);
    assert_eq!(
        has(&[
            "CopyRoute",
            "copy_kind: 1",
            "source_kind: 2",
            "destination_kind: 3"
        ]),
        1
    );
    assert_eq!(
        has(&["CopyRoute", "source_device: 1", "destination_device: 2"]),
        1
    );
    assert_eq!(has(&["DeviceWork", "Memcpy", "bytes: 4096"]), 1);
    assert_eq!(has(&["FillValue", "value: 7", "memory_kind: 3"]), 1);
    assert_eq!(has(&["DeviceWork", "Memset", "bytes: 64"]), 1);
    assert_eq!(has(&["Synchronization", "kind: 3", "correlation: 10"]), 1);
    assert_eq!(has(&["DeviceMemory", "address: 4096"]), 1);
    let overheads: Vec<&str> = texts
        .iter()
        .filter_map(|text| text.strip_prefix("Overhead(Overhead "))
        .map(|text| text.split(", start").next().unwrap())
        .collect();
    assert_eq!(
        overheads,
        [
            format!(
                "{{ kind: {}, thread: 4301, device: {NO_DEVICE}, context: {NO_DEVICE}, \
                 stream: {NO_DEVICE}, correlation: 5",
                overhead::LAZY_FUNCTION_LOADING
            ),
            format!(
                "{{ kind: {}, thread: 0, device: 1, context: 2, stream: 3, correlation: 0",
                overhead::COMMAND_BUFFER_FULL
            ),
            format!(
                "{{ kind: {}, thread: 0, device: 1, context: 2, stream: {NO_DEVICE}, correlation: 0",
                overhead::CUPTI_RESOURCE
            ),
            format!(
                "{{ kind: {}, thread: 0, device: {NO_DEVICE}, context: {NO_DEVICE}, \
                 stream: {NO_DEVICE}, correlation: 0",
                overhead::DRIVER_COMPILER
            ),
        ]
    );
}

#[test]
fn counts_activities_without_records() {
    let spent =
        |of: u64, start, end| record(kind::OVERHEAD, &[(4, of, 4), (24, start, 8), (32, end, 8)]);
    let (texts, losses) = written(&[
        // Without times, without an end, and with an end before the start.
        kernel(c"untimed", 1, 0, 0, 1),
        kernel(c"running", 2, 100, 0, 1),
        kernel(c"backwards", 3, 100, 99, 1),
        record(kind::MEMSET, &[]),
        api(kind::DRIVER, 307, 4, 0),
        api(kind::DRIVER, 1, 5, 100),
        // An id of another kind, and one that is not a UID.
        external(4, 42, 6),
        external(3, 0, 7),
        // Overheads and pages without times.
        spent(1 << 16, 0, 0),
        spent(2 << 16, 30, 29),
        record(kind::UNIFIED_MEMORY_COUNTER, &[(4, 4, 4)]),
        record(kind::GRAPH_TRACE, &[]),
        // The end of this record is unknown.
        vec![0x77; 40],
    ]);
    let expected = [
        ("cupti_untimed", 4),
        ("cupti_calls_untimed", 1),
        ("cupti_calls_left_out", 1),
        ("cupti_foreign_ids", 2),
        ("cupti_overheads_untimed", 2),
        ("cupti_pages_untimed", 1),
        ("cupti_graphs", 1),
        ("cupti_unknown", 1),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(losses, HashMap::from(expected));
    assert!(
        !texts.iter().any(|text| text.contains("DeviceWork {")),
        "{texts:#?}"
    );
    for name in losses.keys() {
        assert!(LossKind::of(name).is_some(), "{name}");
    }
}
