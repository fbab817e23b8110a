//! A program makes the same NVTX calls through Weft's client and through NVIDIA's crate.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use nvtx_recorder::{Event, Label, Step, library, read, sample, to_json};
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns the calls of a player, each with its thread, numbered in the order of appearance.
fn events(player: &str, program: &Path, out: &Path) -> Vec<(usize, Event)> {
    let recorder = library().expect("the recorder's library, which Cargo builds with this test");
    let output = Command::new(player)
        .arg(program)
        .env("NVTX_INJECTION64_PATH", recorder)
        .env("NVTX_RECORDER_OUT", out)
        .env_remove("NVTX_RECORDER_LEAVE_OUT")
        .output()
        .expect("a started player");
    assert!(output.status.success(), "{output:?}");
    let mut threads = HashMap::new();
    read(out)
        .expect("records")
        .into_iter()
        .map(|record| {
            let next = threads.len();
            (*threads.entry(record.thread).or_insert(next), record.event)
        })
        .collect()
}

fn compare(program: &[Step]) -> Vec<(usize, Event)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("program.json");
    fs::write(&path, to_json(program)).expect("a written program");
    let ours = events(
        env!("CARGO_BIN_EXE_ours"),
        &path,
        &folder.path().join("ours"),
    );
    let theirs = events(
        env!("CARGO_BIN_EXE_theirs"),
        &path,
        &folder.path().join("theirs"),
    );
    assert_eq!(ours, theirs);
    assert!(
        !ours
            .iter()
            .any(|(_, event)| matches!(event, Event::Fault { .. })),
        "{ours:?}"
    );
    ours
}

#[test]
fn sample_gives_identical_events() {
    let events = compare(&sample());
    // As many as the sample's calls, so that two silent clients do not pass.
    assert_eq!(events.len(), 25);
    assert!(
        !events
            .iter()
            .any(|(_, event)| matches!(event, Event::Fault { .. }))
    );
}

fn text() -> impl Strategy<Value = String> {
    vec(
        any::<char>().prop_filter("C strings end at a NUL", |character| *character != '\0'),
        0..12,
    )
    .prop_map(String::from_iter)
}

fn label() -> impl Strategy<Value = Label> {
    let name = || prop_oneof![Just("weft".to_owned()), Just("other".to_owned()), text()];
    (name(), name(), name(), any::<u32>(), any::<u64>()).prop_map(
        |(domain, text, category, color, payload)| Label {
            domain,
            text,
            category,
            color,
            payload,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let leaf = prop_oneof![
        label().prop_map(Step::Mark),
        (0..4_u32, label()).prop_map(|(key, label)| Step::Start(key, label)),
        (0..4_u32).prop_map(Step::End),
        (any::<u32>(), text()).prop_map(|(thread, name)| Step::NameThread(thread, name)),
        label().prop_map(|label| Step::Range(label, vec![])),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            (label(), vec(inner.clone(), 0..6))
                .prop_map(|(label, inside)| Step::Range(label, inside)),
            vec(inner, 0..6).prop_map(Step::Thread),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_give_identical_events(mut program in vec(step(), 0..8)) {
        // The crate looks for a tool at its first call, ours on request; this makes the first call.
        program.insert(0, Step::NameThread(1, "first".to_owned()));
        compare(&program);
    }
}
