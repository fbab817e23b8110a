//! The emulated driver as cudarc, and so Weft, sees it: each test is its own process, with the
//! emulator first on the loader's path.
#![allow(
    unsafe_code,
    clippy::expect_used,
    clippy::panic,
    reason = "calls C functions; a failed helper fails its test"
)]

#[path = "support/client.rs"]
mod client;

use std::ptr;

use client::{Gpu, check, emulated, emulated_with, end_of};
use cudarc::driver::sys;

const ADD: &str = r#"extern "C" __global__ void add(double *x, double by, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}"#;

#[test]
fn runs_a_simple_program() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (x, stream) = (gpu.allocate(800), gpu.stream());
        let host = gpu.pinned::<f64>(100);
        // SAFETY: pinned memory of 100 elements; no work uses it yet.
        unsafe { std::slice::from_raw_parts_mut(host, 100) }.fill(1.0);
        // SAFETY: the memory stays until the stream has run.
        unsafe {
            check(sys::cuMemcpyHtoDAsync_v2(x, host.cast(), 800, stream));
            for by in [2.0, 3.0] {
                gpu.launch(
                    add,
                    stream,
                    [4, 1, 1],
                    [32, 1, 1],
                    &[x, f64::to_bits(by), 100],
                );
            }
            check(sys::cuMemcpyDtoHAsync_v2(host.cast(), x, 800, stream));
            check(sys::cuStreamSynchronize(stream));
            assert_eq!(std::slice::from_raw_parts(host, 100), [6.0; 100]);
            check(sys::cuMemFree_v2(x));
            check(sys::cuMemFreeHost(host.cast()));
        }
    });
}

/// Adds 1 on one stream and copies the result on another. Returns the number of wrong copies of 40.
fn wrong_copies(waits: bool) -> usize {
    let gpu = Gpu::new(0);
    let add = gpu.kernel(ADD, "add");
    let (first, second, event) = (gpu.stream(), gpu.stream(), gpu.event());
    let x = gpu.allocate(8);
    let host = gpu.pinned::<f64>(1);
    let mut wrong = 0;
    for round in 0..40_u32 {
        let by = f64::from(round) + 1.0;
        // SAFETY: the memory stays until both streams have run.
        unsafe {
            check(sys::cuMemsetD8Async(x, 0, 8, first));
            gpu.launch(add, first, [1, 1, 1], [1, 1, 1], &[x, by.to_bits(), 1]);
            check(sys::cuEventRecord(event, first));
            if waits {
                check(sys::cuStreamWaitEvent(second, event, 0));
            }
            check(sys::cuMemcpyDtoHAsync_v2(host.cast(), x, 8, second));
            check(sys::cuStreamSynchronize(second));
            wrong += usize::from(host.read() != by);
            check(sys::cuStreamSynchronize(first));
        }
    }
    wrong
}

#[test]
fn missing_wait_gives_wrong_copies() {
    emulated(|| {
        let wrong = wrong_copies(false);
        assert!((10..=40).contains(&wrong), "{wrong}");
    });
}

#[test]
fn wait_prevents_wrong_copies() {
    emulated(|| assert_eq!(wrong_copies(true), 0));
}

#[test]
fn recording_an_event_again_keeps_earlier_waits() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (first, second, event) = (gpu.stream(), gpu.stream(), gpu.event());
        let (x, host) = (gpu.allocate(8), gpu.pinned::<f64>(1));
        let mut seen = [0; 2];
        for _ in 0..40 {
            // SAFETY: the memory stays until both streams have run.
            unsafe {
                check(sys::cuMemsetD8Async(x, 0, 8, first));
                gpu.launch(add, first, [1, 1, 1], [1, 1, 1], &[x, f64::to_bits(1.0), 1]);
                check(sys::cuEventRecord(event, first));
                check(sys::cuStreamWaitEvent(second, event, 0));
                gpu.launch(add, first, [1, 1, 1], [1, 1, 1], &[x, f64::to_bits(1.0), 1]);
                check(sys::cuEventRecord(event, first));
                check(sys::cuMemcpyDtoHAsync_v2(host.cast(), x, 8, second));
                check(sys::cuStreamSynchronize(second));
                seen[host.read() as usize - 1] += 1;
                check(sys::cuEventSynchronize(event));
            }
        }
        assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
    });
}

#[test]
fn issued_work_runs_later() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let (x, stream, host) = (gpu.allocate(4), gpu.stream(), gpu.pinned::<u32>(1));
        let mut late = 0;
        for round in 0..100_u32 {
            // SAFETY: the memory stays until the stream has run.
            unsafe {
                check(sys::cuMemsetD32Async(x, round, 1, stream));
                check(sys::cuMemcpyDtoHAsync_v2(host.cast(), x, 4, stream));
                late += u32::from(host.read_volatile() != round);
                check(sys::cuStreamSynchronize(stream));
                assert_eq!(host.read_volatile(), round);
            }
        }
        assert!(late > 80, "{late}");
    });
}

#[test]
fn allocation_fails_when_memory_is_exhausted() {
    emulated_with(&[("WEFT_EMULATED_GPU_MIB", "4")], || {
        let _gpu = Gpu::new(0);
        let mut address = 0;
        let mut taken = Vec::new();
        // SAFETY: the results are places of our own.
        unsafe {
            while sys::cuMemAlloc_v2(&raw mut address, 1 << 20) == sys::CUresult::CUDA_SUCCESS {
                taken.push(address);
            }
            assert_eq!(taken.len(), 4);
            let full = sys::cuMemAlloc_v2(&raw mut address, 1);
            assert_eq!(full, sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY);
            let (mut free, mut total) = (0, 0);
            check(sys::cuMemGetInfo_v2(&raw mut free, &raw mut total));
            assert_eq!((free, total), (0, 4 << 20));
            check(sys::cuMemFree_v2(taken[1]));
            check(sys::cuMemAlloc_v2(&raw mut address, 1 << 20));
            let twice = sys::cuMemFree_v2(taken[1]);
            assert!(address == taken[1] || twice == sys::CUresult::CUDA_ERROR_INVALID_VALUE);
        }
    });
}

#[test]
fn new_memory_contains_garbage() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let x = gpu.allocate(64);
        assert!(gpu.read::<f64>(x, 8).iter().all(|x| x.is_nan()));
        assert!(gpu.read::<f32>(x, 16).iter().all(|x| x.is_nan()));
        let host = gpu.pinned::<f64>(3);
        // SAFETY: pinned memory of 3 elements.
        assert!(unsafe { host.add(2).read() }.is_nan());
    });
}

#[test]
fn work_on_freed_memory_is_a_sticky_error() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let stream = gpu.stream();
        // SAFETY: the calls are wrong on purpose, and the emulator rejects them.
        unsafe {
            let mut result = sys::CUresult::CUDA_SUCCESS;
            // Half of the time cuMemFree waits for the work.
            for _ in 0..100 {
                let x = gpu.allocate(64);
                check(sys::cuMemsetD8Async(x, 1, 64, stream));
                check(sys::cuMemFree_v2(x));
                result = sys::cuStreamSynchronize(stream);
                if result != sys::CUresult::CUDA_SUCCESS {
                    break;
                }
            }
            assert_eq!(result, sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
            let mut address = 0;
            let later = sys::cuMemAlloc_v2(&raw mut address, 64);
            assert_eq!(later, sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        }
    });
}

#[test]
fn detects_out_of_bounds_and_misaligned_accesses() {
    let wrong = [("x + 100000", "700"), ("(double *)((char *)x + 4)", "716")];
    for (place, code) in wrong {
        emulated_with(&[("PLACE", place), ("CODE", code)], || {
            let gpu = Gpu::new(0);
            let place = std::env::var("PLACE").expect("a place");
            let source =
                format!("extern \"C\" __global__ void k(double *x) {{ *({place}) = 1.0; }}");
            let (kernel, stream, x) = (gpu.kernel(&source, "k"), gpu.stream(), gpu.allocate(64));
            gpu.launch(kernel, stream, [1, 1, 1], [1, 1, 1], &[x]);
            // SAFETY: the stream exists.
            let result = unsafe { sys::cuStreamSynchronize(stream) };
            assert_eq!(
                (result as u32).to_string(),
                std::env::var("CODE").expect("a code")
            );
        });
    }
}

#[test]
fn host_reads_of_device_memory_crash() {
    let ended = end_of(&[], || {
        let gpu = Gpu::new(0);
        let x = gpu.allocate(64);
        // SAFETY: none; the process ends here.
        let read = unsafe { (x as *const u8).read_volatile() };
        println!("read {read}");
    });
    let Some((code, said)) = ended else { return };
    assert!(
        !said.contains("read ") && code != Some(0),
        "{code:?}: {said}"
    );
    assert!(said.contains("device memory"), "{said}");
}

#[test]
fn detects_writes_beyond_an_allocation() {
    emulated(|| {
        let gpu = Gpu::new(0);
        let add = gpu.kernel(
            "extern \"C\" __global__ void k(char *x) { x[threadIdx.x] = 1; }",
            "k",
        );
        let (x, stream) = (gpu.allocate(33), gpu.stream());
        gpu.launch(add, stream, [1, 1, 1], [34, 1, 1], &[x]);
        // SAFETY: the stream and the memory exist.
        unsafe {
            check(sys::cuStreamSynchronize(stream));
            assert_eq!(
                sys::cuMemFree_v2(x),
                sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            );
        }
    });
}

#[test]
fn invalid_calls_return_their_codes() {
    use sys::CUresult::*;
    emulated_with(&[("WEFT_EMULATED_GPUS", "2")], || {
        let other = Gpu::new(1);
        let its_stream = other.stream();
        let gpu = Gpu::new(0);
        let add = gpu.kernel(ADD, "add");
        let (stream, x) = (gpu.stream(), gpu.allocate(800));
        let shapes = [
            ([0, 1, 1], [1, 1, 1], CUDA_ERROR_INVALID_VALUE),
            ([1, 65_536, 1], [1, 1, 1], CUDA_ERROR_INVALID_VALUE),
            ([1, 1, 65_536], [1, 1, 1], CUDA_ERROR_INVALID_VALUE),
            ([1, 1, 1], [1025, 1, 1], CUDA_ERROR_INVALID_VALUE),
            ([1, 1, 1], [1, 1, 65], CUDA_ERROR_INVALID_VALUE),
        ];
        for (grid, block, expected) in shapes {
            assert_eq!(
                gpu.try_launch(add, stream, grid, block, &[x, 0, 0]),
                expected,
                "{grid:?} {block:?}"
            );
        }
        let elsewhere = gpu.try_launch(add, its_stream, [1, 1, 1], [1, 1, 1], &[x, 0, 0]);
        assert_eq!(elsewhere, CUDA_ERROR_INVALID_HANDLE);
        // SAFETY: wrong handles and addresses, which the emulator detects.
        unsafe {
            assert_eq!(
                sys::cuMemsetD32Async(x + 2, 0, 1, stream),
                CUDA_ERROR_INVALID_VALUE
            );
            assert_eq!(
                sys::cuStreamSynchronize(0x1234_usize as sys::CUstream),
                CUDA_ERROR_INVALID_HANDLE
            );
            let event = gpu.event();
            assert_eq!(
                sys::cuEventRecord(event, its_stream),
                CUDA_ERROR_INVALID_HANDLE
            );
            check(sys::cuEventDestroy_v2(event));
            assert_eq!(sys::cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
            let mut found = ptr::null_mut();
            let absent =
                sys::cuModuleGetFunction(&raw mut found, gpu.module(ADD), c"absent".as_ptr());
            assert_eq!(absent, CUDA_ERROR_NOT_FOUND);
            let mut module = ptr::null_mut();
            let noise = c"this is not an image";
            assert_eq!(
                sys::cuModuleLoadData(&raw mut module, noise.as_ptr().cast()),
                CUDA_ERROR_INVALID_IMAGE
            );
            check(sys::cuCtxSetCurrent(ptr::null_mut()));
            let mut address = 0;
            assert_eq!(
                sys::cuMemAlloc_v2(&raw mut address, 1),
                CUDA_ERROR_INVALID_CONTEXT
            );
        }
    });
}

#[test]
fn calls_fail_on_request() {
    emulated_with(
        &[("WEFT_EMULATED_FAIL", "cuMemAlloc_v2:2,cuEventRecord:1+=719")],
        || {
            let gpu = Gpu::new(0);
            let (stream, event) = (gpu.stream(), gpu.event());
            let mut address = 0;
            // SAFETY: the places are our own.
            unsafe {
                check(sys::cuMemAlloc_v2(&raw mut address, 8));
                let second = sys::cuMemAlloc_v2(&raw mut address, 8);
                assert_eq!(second, sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY);
                check(sys::cuMemAlloc_v2(&raw mut address, 8));
                for _ in 0..3 {
                    let failed = sys::cuEventRecord(event, stream);
                    assert_eq!(failed, sys::CUresult::CUDA_ERROR_LAUNCH_FAILED);
                }
            }
        },
    );
}

#[test]
fn init_fails_without_gpus() {
    emulated_with(&[("WEFT_EMULATED_GPUS", "0")], || {
        // SAFETY: the call has no preconditions.
        let result = unsafe { sys::cuInit(0) };
        assert_eq!(result, sys::CUresult::CUDA_ERROR_NO_DEVICE);
    });
    emulated_with(
        &[
            ("WEFT_EMULATED_GPUS", "4"),
            ("CUDA_VISIBLE_DEVICES", "2,0,7,1"),
        ],
        || {
            cudarc::driver::result::init().expect("a driver");
            assert_eq!(
                cudarc::driver::result::device::get_count().expect("a count"),
                2
            );
        },
    );
}

#[test]
fn peer_access_requires_enabling() {
    emulated_with(&[("WEFT_EMULATED_GPUS", "2")], || {
        let (first, second) = (Gpu::new(0), Gpu::new(1));
        let far = first.enter().allocate(8);
        // SAFETY: the memory stays until the copies have run.
        unsafe { check(sys::cuMemsetD8_v2(far, 0, 8)) };
        let near = second.enter().allocate(8);
        let stream = second.stream();
        let add = second.kernel(ADD, "add");
        // SAFETY: as above.
        unsafe {
            first.enter();
            check(sys::cuCtxSynchronize());
            second.enter();
            check(sys::cuMemcpyPeerAsync(
                near,
                second.context,
                far,
                first.context,
                8,
                stream,
            ));
            check(sys::cuStreamSynchronize(stream));
            assert_eq!(second.read::<f64>(near, 1), [0.0]);
            check(sys::cuCtxEnablePeerAccess(first.context, 0));
            second.launch(
                add,
                stream,
                [1, 1, 1],
                [1, 1, 1],
                &[far, f64::to_bits(5.0), 1],
            );
            check(sys::cuStreamSynchronize(stream));
            assert_eq!(second.read::<f64>(far, 1), [5.0]);
            check(sys::cuCtxDisablePeerAccess(first.context));
            second.launch(
                add,
                stream,
                [1, 1, 1],
                [1, 1, 1],
                &[far, f64::to_bits(5.0), 1],
            );
            assert_eq!(
                sys::cuStreamSynchronize(stream),
                sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            );
        }
        // The other GPU continues.
        first.enter();
        assert_eq!(first.read::<f64>(far, 1), [5.0]);
    });
}
