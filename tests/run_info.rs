//! `weft info`.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use crate::support;

use support::weft;

fn info(command: &mut support::Command) -> String {
    let assert = command.assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn table_lists_present_and_missing_components() {
    let path = support::path_with(&[]);
    let text = info(weft().arg("info").env("PATH", path.path()));
    assert!(text.starts_with("CPUs "), "{text}");
    let (found, missing) = text.split_once("\nMissing:\n").unwrap();
    assert!(found.contains("\nMemory "), "{text}");
    assert!(
        missing.contains("nsys           no `nsys` in PATH\n"),
        "{text}"
    );
    assert!(
        missing.contains("to get: install Open MPI or MPICH"),
        "{text}"
    );
}

#[test]
fn json_lists_every_component_once() {
    let value: serde_json::Value =
        serde_json::from_str(&info(weft().args(["info", "--format=json"]))).unwrap();
    assert!(value["cpus"].as_u64().unwrap() >= 1);
    assert!(value["memory_total_bytes"].as_u64() >= value["memory_available_bytes"].as_u64());
    let components = value["components"].as_array().unwrap();
    let names: Vec<_> = components
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "CUDA driver",
            "NVRTC",
            "Kernel bundle",
            "cuBLAS",
            "cuFFT",
            "cuSOLVER",
            "CUPTI",
            "nsys",
            "ImportNvtxt",
            "NVTXW backend",
            "MPI launcher"
        ]
    );
    for component in components {
        let text = if component["found"] == true {
            "version"
        } else {
            "get"
        };
        assert!(!component[text].as_str().unwrap().is_empty(), "{component}");
    }
}
