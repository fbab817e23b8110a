//! Records of the emulated CUPTI: read by Weft's parser, which is checked against NVIDIA's headers,
//! and walked by NVIDIA's own library if it is installed.
#![allow(
    unsafe_code,
    clippy::expect_used,
    clippy::panic,
    reason = "calls C functions; a failed helper fails its test"
)]

#[path = "support/client.rs"]
mod client;
#[path = "support/recording.rs"]
mod recording;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr;

use client::{Gpu, check, emulated, emulated_with};
use cudarc::driver::sys;
use recording::{Recording, library};
use weft_trace::cupti::{Activity, ApiKind, kind, overhead};

const ADD: &str =
    "extern \"C\" __global__ void add(double *x, double by) { x[threadIdx.x] += by; }";
const ONE: u64 = 1.0_f64.to_bits();

/// Launches one kernel, with an id pushed around the launch.
fn launch(
    gpu: &Gpu,
    recording: &Recording,
    function: sys::CUfunction,
    stream: sys::CUstream,
    x: u64,
    id: u64,
) {
    recording.push(id);
    gpu.launch(function, stream, [1, 1, 1], [4, 1, 1], &[x, ONE]);
    assert_eq!(recording.pop(), id);
}

/// Returns each kernel's id, by its API record.
fn ids_of_kernels(records: &[Activity]) -> BTreeMap<u64, usize> {
    let mut external = BTreeMap::new();
    let mut calls = BTreeMap::new();
    for record in records {
        match record {
            Activity::ExternalCorrelation(record) => {
                assert!(
                    !calls.contains_key(&record.correlation),
                    "the id comes before the call"
                );
                external.insert(record.correlation, record.id);
            }
            Activity::Api(kind, record) => drop(calls.insert(record.correlation, *kind)),
            _ => {}
        }
    }
    let mut ids = BTreeMap::new();
    for record in records {
        if let Activity::Kernel(kernel) = record {
            assert!(
                calls.contains_key(&kernel.correlation),
                "{kernel:?} has its call"
            );
            if let Some(&id) = external.get(&kernel.correlation) {
                *ids.entry(id).or_default() += 1;
            }
        }
    }
    ids
}

#[test]
fn records_describe_executed_work() {
    emulated_with(&[("WEFT_EMULATED_GPUS", "2")], || {
        let recording = Recording::start();
        let before = recording.now();
        let other = Gpu::new(1);
        let far = other.allocate(32);
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream, host) = (gpu.allocate(32), gpu.stream(), gpu.pinned::<f64>(4));
        // SAFETY: the memory stays until the stream has run.
        unsafe {
            check(sys::cuMemsetD8Async(x, 7, 32, stream));
            for id in 1..=50 {
                launch(&gpu, &recording, add, stream, x, id);
            }
            check(sys::cuMemcpyDtoHAsync_v2(host.cast(), x, 32, stream));
            check(sys::cuMemcpyPeerAsync(
                far,
                other.context,
                x,
                gpu.context,
                32,
                stream,
            ));
            check(sys::cuStreamSynchronize(stream));
        }
        recording.flush(false);
        let (records, after) = (recording.records(), recording.now());
        assert_eq!(
            ids_of_kernels(&records),
            (1..=50).map(|id| (id, 1)).collect()
        );
        let mut starts = Vec::new();
        let mut seen = BTreeMap::<&str, u32>::new();
        for record in &records {
            let what = match record {
                Activity::Kernel(kernel) => {
                    assert!(
                        before < kernel.start && kernel.start < kernel.end && kernel.end < after
                    );
                    assert_eq!(
                        [kernel.grid_x, kernel.block_x, kernel.device, kernel.context],
                        [1, 4, 0, 1]
                    );
                    // SAFETY: the name is a static string of CUPTI.
                    let name = unsafe { std::ffi::CStr::from_ptr(kernel.name as *const _) };
                    assert_eq!(name, c"add");
                    starts.push(kernel.start);
                    "kernel"
                }
                Activity::Memset(set) => {
                    assert_eq!((set.value, set.bytes, set.memory_kind), (7, 32, 3));
                    "memset"
                }
                Activity::Memcpy(copy) => {
                    assert_eq!(
                        (
                            copy.copy_kind,
                            copy.source_kind,
                            copy.destination_kind,
                            copy.bytes
                        ),
                        (2, 3, 2, 32)
                    );
                    "memcpy"
                }
                Activity::PeerCopy(copy) => {
                    assert_eq!(
                        (copy.copy_kind, copy.source_device, copy.destination_device),
                        (10, 0, 1)
                    );
                    "peer"
                }
                Activity::Synchronization(wait) => {
                    assert_eq!(wait.synchronization_type, 3);
                    "wait"
                }
                Activity::MemoryOperation(memory) => {
                    assert_eq!((memory.operation, memory.bytes), (1, 32));
                    "memory"
                }
                _ => continue,
            };
            *seen.entry(what).or_default() += 1;
        }
        let expected = [
            ("kernel", 50),
            ("memcpy", 1),
            ("memory", 2),
            ("memset", 1),
            ("peer", 1),
            ("wait", 1),
        ];
        assert_eq!(seen, expected.into());
        assert!(!starts.is_sorted(), "records come in no order of time");
    });
}

#[test]
fn graph_nodes_have_ids_of_their_clones() {
    emulated(|| {
        let recording = Recording::start();
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        let (mut graph, mut exec) = (ptr::null_mut(), ptr::null_mut());
        let mut originals = Vec::new();
        let one = ONE;
        let mut params: [*mut c_void; 2] = [
            (&raw const x).cast_mut().cast(),
            (&raw const one).cast_mut().cast(),
        ];
        let kernel = sys::CUDA_KERNEL_NODE_PARAMS {
            func: add,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 4,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: params.as_mut_ptr(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: ptr::null_mut(),
        };
        // SAFETY: the memory stays until the stream has run.
        unsafe {
            check(sys::cuGraphCreate(&raw mut graph, 0));
            for _ in 0..3 {
                let mut node = ptr::null_mut();
                let after = originals
                    .last()
                    .map_or(ptr::null(), |last| &raw const *last);
                let count = originals.len().min(1);
                check(sys::cuGraphAddKernelNode_v2(
                    &raw mut node,
                    graph,
                    after,
                    count,
                    &raw const kernel,
                ));
                originals.push(node);
            }
            check(sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
            for id in [71, 72] {
                recording.push(id);
                check(sys::cuGraphLaunch(exec, stream));
                recording.pop();
            }
            check(sys::cuStreamSynchronize(stream));
        }
        recording.flush(false);
        let clones = recording.clones();
        let of_original = |node: &sys::CUgraphNode| clones[&(*node as u64)];
        let nodes: Vec<u64> = originals.iter().map(of_original).collect();
        let records = recording.records();
        assert_eq!(ids_of_kernels(&records), [(71, 3), (72, 3)].into());
        let mut runs: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        for record in &records {
            if let Activity::Kernel(kernel) = record {
                assert!(kernel.graph != 0);
                runs.entry(kernel.correlation)
                    .or_default()
                    .push((kernel.start, kernel.graph_node));
            }
        }
        assert_eq!(runs.len(), 2);
        for mut run in runs.into_values() {
            run.sort_unstable();
            assert_eq!(
                run.into_iter().map(|(_, node)| node).collect::<Vec<_>>(),
                nodes
            );
        }
    });
}

#[test]
fn counts_dropped_records() {
    emulated_with(&[("WEFT_EMULATED_DROP", "5")], || {
        let recording = Recording::of(&[kind::CONCURRENT_KERNEL]);
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        for _ in 0..50 {
            gpu.launch(add, stream, [1, 1, 1], [4, 1, 1], &[x, ONE]);
        }
        // SAFETY: the stream exists.
        unsafe { check(sys::cuStreamSynchronize(stream)) };
        recording.flush(false);
        assert_eq!(
            (
                recording.records().len(),
                recording.dropped(),
                recording.dropped()
            ),
            (40, 10, 0)
        );
    });
}

#[test]
fn refused_buffers_drop_their_records() {
    emulated(|| {
        let recording = Recording::of(&[kind::CONCURRENT_KERNEL]);
        recording.refuse_buffers();
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        gpu.launch(add, stream, [1, 1, 1], [4, 1, 1], &[x, ONE]);
        // SAFETY: the stream exists.
        unsafe { check(sys::cuStreamSynchronize(stream)) };
        recording.flush(false);
        assert_eq!((recording.records().len(), recording.dropped()), (0, 1));
    });
}

#[test]
fn early_forced_flush_spoils_running_kernels() {
    emulated(|| {
        let recording = Recording::of(&[kind::CONCURRENT_KERNEL]);
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        for _ in 0..50 {
            gpu.launch(add, stream, [1, 1, 1], [4, 1, 1], &[x, ONE]);
        }
        recording.flush(true);
        // SAFETY: the stream exists.
        unsafe { check(sys::cuStreamSynchronize(stream)) };
        recording.flush(true);
        let records = recording.records();
        assert_eq!(records.len(), 50, "each kernel is reported once");
        let spoilt = records
            .iter()
            .filter(|record| matches!(record, Activity::Kernel(kernel) if kernel.end == 0));
        assert!(spoilt.count() > 20);
    });
}

#[test]
fn omits_times_on_request() {
    emulated_with(&[("WEFT_EMULATED_UNTIMED", "10")], || {
        let recording = Recording::of(&[kind::CONCURRENT_KERNEL]);
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        for _ in 0..50 {
            gpu.launch(add, stream, [1, 1, 1], [4, 1, 1], &[x, ONE]);
        }
        // SAFETY: the stream exists.
        unsafe { check(sys::cuStreamSynchronize(stream)) };
        recording.flush(false);
        let records = recording.records();
        let untimed =
            |record: &&Activity| matches!(record, Activity::Kernel(kernel) if kernel.start == 0);
        assert_eq!(records.iter().filter(untimed).count(), 5);
    });
}

#[test]
fn subscription_fails_if_another_tool_holds_cupti() {
    for (given, expected) in [("39", 39), ("12", 12)] {
        emulated_with(&[("WEFT_EMULATED_CUPTI_HELD", given)], || {
            assert_eq!(Recording::try_subscribe(), expected);
        });
    }
    emulated(|| {
        assert_eq!(Recording::try_subscribe(), 0);
        assert_eq!(
            Recording::try_subscribe(),
            39,
            "one subscriber in a process"
        );
    });
}

#[test]
fn products_appear_as_runtime_calls() {
    emulated(|| {
        use cudarc::cublas::sys as blas;
        let recording = Recording::start();
        let gpu = Gpu::new(0);
        let x = gpu.allocate(8);
        let mut handle = ptr::null_mut();
        let one = 1.0_f64;
        let plain = blas::cublasOperation_t::CUBLAS_OP_N;
        // SAFETY: matrices of one element.
        unsafe {
            check(sys::cuMemsetD8_v2(x, 0, 8));
            assert_eq!(blas::cublasCreate_v2(&raw mut handle) as u32, 0);
            recording.push(5);
            let done = blas::cublasDgemm_v2(
                handle,
                plain,
                plain,
                1,
                1,
                1,
                &raw const one,
                x as *const f64,
                1,
                x as *const f64,
                1,
                &raw const one,
                x as *mut f64,
                1,
            );
            assert_eq!(done as u32, 0);
            recording.pop();
            check(sys::cuCtxSynchronize());
        }
        recording.flush(false);
        let records = recording.records();
        assert_eq!(ids_of_kernels(&records), [(5, 1)].into());
        let is_runtime = |record: &&Activity| matches!(record, Activity::Api(ApiKind::Runtime, _));
        assert_eq!(records.iter().filter(is_runtime).count(), 1);
    });
}

/// Returns NVIDIA's library of a version, as installed by `trace/tests/cupti/install.sh`.
fn real_library(environment: &str, inside: &str) -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(environment)
        .join("lib");
    let pythons = std::fs::read_dir(venv).ok()?;
    let mut found = pythons
        .flatten()
        .map(|python| python.path().join("site-packages/nvidia").join(inside));
    found.find(|path| path.is_file())
}

#[test]
fn nvidia_library_walks_the_buffers() {
    let versions = [
        ("13.0", "venv-cupti13", "cu13/lib/libcupti.so.13", "cupti13"),
        (
            "12.4",
            "venv-cupti12",
            "cuda_cupti/lib/libcupti.so.12",
            "cupti12",
        ),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (version, environment, inside, tool) in versions {
        let file = folder.path().join(version);
        let path = file.to_str().expect("text");
        emulated_with(
            &[("WEFT_EMULATED_CUPTI", version), ("BUFFERS", path)],
            || {
                let recording = Recording::start();
                let gpu = Gpu::new(0);
                let add = gpu.kernel(ADD, "add");
                let (x, stream) = (gpu.allocate(32), gpu.stream());
                // SAFETY: the memory stays until the stream has run.
                unsafe {
                    check(sys::cuMemsetD8Async(x, 0, 32, stream));
                    for id in 1..20 {
                        launch(&gpu, &recording, add, stream, x, id);
                    }
                    let host = gpu.pinned::<f64>(4);
                    check(sys::cuMemcpyAsync(host as u64, x, 32, stream));
                    check(sys::cuStreamSynchronize(stream));
                }
                recording.flush(false);
                let records = recording.records();
                let kinds: std::collections::HashSet<_> =
                    records.iter().map(std::mem::discriminant).collect();
                assert!(kinds.len() >= 7, "{}", kinds.len());
                let bytes = recording.bytes();
                let text = format!("{}\n", records.len());
                let path = std::env::var("BUFFERS").expect("a path");
                std::fs::write(path, [text.as_bytes(), &bytes].concat()).expect("a file");
            },
        );
        let Some(real) = real_library(environment, inside) else {
            let required = std::env::var("WEFT_TEST_REQUIRE").unwrap_or_default();
            assert!(
                !required.split([',', ' ']).any(|name| name == tool),
                "{environment} has no libcupti"
            );
            println!(
                "skipped: {environment} has no libcupti; trace/tests/cupti/install.sh brings it"
            );
            continue;
        };
        if !file.is_file() {
            return;
        }
        let written = std::fs::read(&file).expect("the file");
        let at = written
            .iter()
            .position(|&byte| byte == b'\n')
            .expect("a line");
        let count: usize = String::from_utf8_lossy(&written[..at])
            .parse()
            .expect("a number");
        let walked = library(&real, &written[at + 1..]);
        assert_eq!(walked, count, "{version}");
    }
}

#[test]
fn overheads_name_their_thread_and_call() {
    emulated(|| {
        let recording = Recording::of(&[kind::OVERHEAD, kind::DRIVER]);
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream) = (gpu.allocate(32), gpu.stream());
        for _ in 0..3 {
            gpu.launch(add, stream, [1, 1, 1], [4, 1, 1], &[x, ONE]);
        }
        // SAFETY: the stream exists.
        unsafe { check(sys::cuStreamSynchronize(stream)) };
        // The second flush delivers the record of the first.
        recording.flush(false);
        recording.flush(false);
        let records = recording.records();
        let of = |wanted: u32| {
            let overheads = records.iter().filter_map(|record| match record {
                Activity::Overhead(overhead) => Some(overhead),
                _ => None,
            });
            overheads
                .filter(|overhead| overhead.overhead_kind == wanted)
                .collect::<Vec<_>>()
        };
        let loaded = of(overhead::LAZY_FUNCTION_LOADING);
        assert_eq!(loaded.len(), 1, "only the first launch loads the kernel");
        let launches = records.iter().filter_map(|record| match record {
            Activity::Api(_, call) if call.function == 307 => Some(call),
            _ => None,
        });
        let launch = launches.min_by_key(|call| call.start).expect("a launch");
        assert_eq!(loaded[0].correlation, Some(launch.correlation));
        assert!(launch.start <= loaded[0].start && loaded[0].end <= launch.end);
        for overhead in loaded.iter().chain(&of(overhead::CUPTI_BUFFER_FLUSH)) {
            assert_eq!(overhead.object_kind, overhead::OBJECT_THREAD);
            assert_eq!(overhead.process_or_device, std::process::id());
            assert!(overhead.start <= overhead.end);
        }
        let flush = of(overhead::CUPTI_BUFFER_FLUSH);
        assert_eq!(flush[0].correlation, Some(0));
        assert_eq!(loaded[0].thread_or_context, launch.thread);
        assert_ne!(flush[0].thread_or_context, launch.thread);
    });
}
