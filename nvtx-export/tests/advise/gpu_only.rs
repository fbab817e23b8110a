//! Advice on inputs without tasks: databases of Nsight Systems.

use crate::support;
use weft_nvtx_export::advise::{self, Advice};
use weft_nvtx_export::joined::Joined;
use weft_nvtx_export::replay::Graph;
use weft_nvtx_export::{ReadOptions, read};

fn advice(name: &str) -> Option<Advice> {
    let (_folder, path) = support::shared(name, "report.sqlite")?;
    let joined = read(&[path], &ReadOptions::default()).unwrap();
    let graph = Graph::of(&joined);
    assert_eq!(advise::refusal(&joined, &graph), None);
    Some(advise::answer_from(&joined, &graph, 10))
}

#[test]
fn estimates_from_the_times_of_gpu_work_and_calls() {
    // The host registers memory and copies from pageable memory; it waits for streams; it launches kernels shorter than their launch.
    for (name, rules) in [
        (
            "nsys/pipit_saxpy_mpi.sqlite.zst",
            &["gpu-gap", "synchronous-copy"][..],
        ),
        ("nsys/nsys-ai_fsdp_2gpu.sqlite.zst", &["gpu-gap"][..]),
        ("nsys/nsys-ai_mock.sqlite.zst", &["gpu-gap"][..]),
        ("gpu/cg-nsys.sqlite.zst", &["gpu-gap"][..]),
    ] {
        let Some(advice) = advice(name) else {
            continue;
        };
        assert!(advice.estimated && advice.replay.measured_ns > 0, "{name}");
        let found: Vec<&str> = advice
            .findings
            .iter()
            .map(|found| found.rule.as_str())
            .collect();
        for rule in rules {
            assert!(found.contains(rule), "{name}: {found:?}");
        }
        for finding in &advice.findings {
            assert!(finding.at_most && finding.assumes.is_some(), "{name}");
            let saving = finding.alone.saving_ns;
            assert!(
                saving > advice.replay.least_ns && saving <= advice.replay.measured_ns,
                "{name}: {finding:?}"
            );
        }
        let text = advise::render(&advice);
        assert!(
            text.contains("savings are estimates") && text.contains("at most"),
            "{text}"
        );
        assert!(!text.contains("Replayed unchanged"), "{text}");
    }
}

#[test]
fn refuses_inputs_with_neither_tasks_nor_gpu_work() {
    let joined = Joined::default();
    let why = advise::refusal(&joined, &Graph::of(&joined)).unwrap();
    assert!(why.contains("nothing to advise on"), "{why}");
}
