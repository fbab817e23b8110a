//! The view of any NVTX tool on a run, recorded by a tool for tests: one range for each launch, and
//! nothing else.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::{BTreeMap, HashMap};

use nvtx_recorder::{Event, Message, Payload, Record};
use support::example::{ONE_BY_ONE, Run, WAYS};
use support::trace::{Launch, Trace};
use weft_trace::record::ProcessorKind;

/// A range recorded by the tool.
#[derive(Debug)]
struct Range {
    thread: u32,
    start: u64,
    end: u64,
    message: String,
    category: u32,
    color: u32,
}

/// Runs an example under the recorder. Returns the tool's records, and the profile.
fn recorded(program: &str, flags: &str, args: &[&str]) -> (Vec<Record>, Trace) {
    let tool = nvtx_recorder::library().expect("the tool, which Cargo builds with this test");
    let run = Run::with(program, flags, args, |command| {
        command
            .env("NVTX_INJECTION64_PATH", tool)
            .env("NVTX_RECORDER_OUT", "heard.jsonl");
    });
    let heard = nvtx_recorder::read(&run.folder().join("heard.jsonl")).expect("records");
    (heard, run.trace())
}

fn is_weft(domain: Option<&String>) -> bool {
    domain.is_some_and(|domain| domain == "weft")
}

/// Returns the ranges by payload. Each has a UID of its own, is closed on its own thread, and is
/// not nested in another.
fn ranges(heard: &[Record]) -> HashMap<u64, Range> {
    let mut open: HashMap<u32, (u64, Range)> = HashMap::new();
    let mut ranges = HashMap::new();
    for record in heard {
        match &record.event {
            Event::Push {
                domain,
                level,
                attributes,
            } => {
                assert!(is_weft(domain.as_ref()), "{record:?}");
                assert_eq!(*level, 0, "{record:?}");
                let Payload::U64(uid) = attributes.payload else {
                    panic!("the payload is not a uint64_t: {record:?}");
                };
                let Message::Registered(message) = &attributes.message else {
                    panic!("the message is not registered: {record:?}");
                };
                let range = Range {
                    thread: record.thread,
                    start: record.time,
                    end: 0,
                    message: message.clone(),
                    category: attributes.category,
                    color: attributes.color.expect("a colour"),
                };
                let before = open.insert(record.thread, (uid, range));
                assert!(before.is_none(), "{before:?} is open: {record:?}");
            }
            Event::Pop { domain, .. } => {
                assert!(is_weft(domain.as_ref()), "{record:?}");
                let (uid, mut range) = open.remove(&record.thread).expect("an open range");
                range.end = record.time;
                let before = ranges.insert(uid, range);
                assert!(before.is_none(), "{uid} is the payload of two ranges");
            }
            Event::Fault { what } => panic!("a call against NVTX's contract: {what}"),
            Event::Mark { .. } | Event::Start { .. } | Event::End { .. } => {
                panic!("only ranges of one thread are expected: {record:?}")
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    ranges
}

/// Checks that there is one range for each launch of the profile, with the documented contents.
/// Returns the colour of each task name.
fn check_ranges_match_launches(heard: &[Record], trace: &Trace) -> BTreeMap<String, u32> {
    let mut ranges = ranges(heard);
    assert_eq!(ranges.len(), trace.launches.len());
    let tasks = trace.tasks_by_uid();
    let operations = trace.operations_by_uid();
    let mut colors = BTreeMap::new();
    for launch in &trace.launches {
        let range = ranges.remove(&launch.uid.raw()).expect("a range");
        let processor = trace.processors[&launch.processor];
        assert_eq!(range.thread, processor.thread, "{launch:?}: {range:?}");
        // The first of the tasks that it serves, and the others.
        let [(first, _), more @ ..] = launch.shares.as_slice() else {
            panic!("{launch:?} serves no task");
        };
        let operation = operations[&tasks[first].operation];
        let name = trace.name(operation.name);
        let (file, line) = trace.place(operation.provenance).expect("a line");
        let more = match more.len() {
            0 => String::new(),
            more => format!(" +{more}"),
        };
        assert_eq!(range.message, format!("{name} {file}:{line}{more}"));
        let variant = match processor.kind {
            ProcessorKind::Omp => ProcessorKind::Omp,
            _ => ProcessorKind::Cpu,
        };
        assert_eq!(range.category, u32::from(variant.code()));
        let (start, end) = (launch.start.nanos() as u64, launch.end.nanos() as u64);
        assert!(
            range.start <= start && end <= range.end,
            "{launch:?}: {range:?}"
        );
        let color = *colors.entry(name.to_owned()).or_insert(range.color);
        assert_eq!(range.color, color, "{name} has one colour");
    }
    colors
}

#[test]
fn each_launch_becomes_one_range() {
    for way in WAYS {
        let flags = format!("{way} --cpus 3 --min-cpu-chunk 256");
        let (heard, trace) = recorded("stencil", &flags, &["-n", "64", "-i", "6"]);
        let stencil = check_ranges_match_launches(&heard, &trace);
        assert_eq!(trace.fused() > 0, way != ONE_BY_ONE, "`{way}`");
        let flags = format!("{way} --cpus 2 --min-cpu-chunk 8 --utility 0");
        let (heard, trace) = recorded("cg", &flags, &["-n", "12", "-m", "60"]);
        let cg = check_ranges_match_launches(&heard, &trace);

        let both: Vec<_> = stencil
            .keys()
            .filter(|name| cg.contains_key(*name))
            .collect();
        assert!(both.len() >= 3, "{both:?}");
        for name in both {
            assert_eq!(stencil[name], cg[name], "{name} has one colour in all runs");
        }
        let mut colors: Vec<u32> = stencil.values().chain(cg.values()).copied().collect();
        colors.sort_unstable();
        colors.dedup();
        assert!(
            colors.len() > 3,
            "names have different colours: {colors:x?}"
        );
    }
}

#[test]
fn omp_group_ranges_are_on_the_leading_thread() {
    for way in WAYS {
        let flags =
            format!("{way} --omps 1 --ompthreads 2 --cpus 1 --min-omp-chunk 1 --min-cpu-chunk 256");
        let (heard, trace) = recorded("stencil", &flags, &["-n", "64", "-i", "6"]);
        check_ranges_match_launches(&heard, &trace);
        let of_group = trace.launches.iter();
        let kind = |launch: &&Launch| trace.processors[&launch.processor].kind;
        let of_group = of_group.filter(|launch| kind(launch) == ProcessorKind::Omp);
        assert!(of_group.count() > 5, "`{way}`");
    }
}

#[test]
fn names_threads_and_variants() {
    let (heard, trace) = recorded("stencil", "--cpus 2", &["-n", "20", "-i", "1"]);
    let mut threads = BTreeMap::new();
    let mut categories = BTreeMap::new();
    for record in &heard {
        match &record.event {
            Event::ThreadName { named, name } => drop(threads.insert(*named, name.clone())),
            Event::CategoryName {
                domain,
                category,
                name,
            } => {
                assert!(is_weft(domain.as_ref()), "{record:?}");
                categories.insert(*category, name.clone());
            }
            _ => {}
        }
    }
    let processors = trace.processors.values();
    let known: BTreeMap<u32, String> = processors
        .map(|processor| (processor.thread, trace.name(processor.name.0).to_owned()))
        .collect();
    assert_eq!(threads, known);
    let names: Vec<&str> = known.values().map(String::as_str).collect();
    assert!(names.contains(&"CPU 1") && names.contains(&"Utility 0"));
    for kind in [ProcessorKind::Cpu, ProcessorKind::Omp, ProcessorKind::Gpu] {
        let name = categories.get(&u32::from(kind.code())).map(String::as_str);
        assert_eq!(name, Some(kind.name()));
    }
}

#[test]
fn message_without_provenance_is_the_task_name() {
    for way in WAYS {
        let flags = format!("{way} --cpus 1 --provenance=no");
        let (heard, trace) = recorded("stencil", &flags, &["-n", "20", "-i", "1"]);
        let ranges = ranges(&heard);
        assert_eq!(ranges.len(), trace.launches.len());
        for range in ranges.values() {
            // The message of a launch that serves several tasks has the number of the others.
            let mut words = range.message.split(' ');
            assert!(words.next().is_some_and(|word| !word.contains(".rs")));
            let more = |word: &str| word.starts_with('+');
            assert!(words.next().is_none_or(more), "{range:?}");
            assert_eq!(words.next(), None, "{range:?}");
        }
    }
}
