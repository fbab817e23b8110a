//! Unified memory of the emulated driver: rules of arguments, and pages that follow their users.
#![allow(
    unsafe_code,
    clippy::expect_used,
    clippy::panic,
    reason = "calls C functions; a failed helper fails its test"
)]

#[path = "support/client.rs"]
mod client;

use std::ffi::c_void;

use client::{Gpu, check, emulated, emulated_with, end_of};
use cudarc::driver::sys;

const ADD: &str = r#"extern "C" __global__ void add(double *x, double by, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}"#;

const MIB: usize = 1 << 20;
/// The number of `CUmem_advise` for the preferred location.
const PREFERRED: u32 = 3;
const CPU: i32 = -1;

#[derive(Clone, Copy)]
#[repr(C)]
struct Place {
    kind: u32,
    id: i32,
}

/// The functions under the names of the library. The header of CUDA 13 gives the first two names to
/// those that end in `_v2`.
struct Managed {
    allocate: unsafe extern "C" fn(*mut u64, usize, u32) -> u32,
    advise: unsafe extern "C" fn(u64, usize, u32, i32) -> u32,
    prefetch: unsafe extern "C" fn(u64, usize, i32, *mut c_void) -> u32,
    advise_v2: unsafe extern "C" fn(u64, usize, u32, Place) -> u32,
    prefetch_v2: unsafe extern "C" fn(u64, usize, Place, u32, *mut c_void) -> u32,
}

impl Managed {
    fn load() -> Managed {
        // SAFETY: the emulator's library, with the signatures of cuda.h; it is never unloaded.
        unsafe {
            let library = libloading::Library::new("libcuda.so.1").expect("the driver");
            let library = Box::leak(Box::new(library));
            Managed {
                allocate: *library.get(b"cuMemAllocManaged").expect("a function"),
                advise: *library.get(b"cuMemAdvise").expect("a function"),
                prefetch: *library.get(b"cuMemPrefetchAsync").expect("a function"),
                advise_v2: *library.get(b"cuMemAdvise_v2").expect("a function"),
                prefetch_v2: *library.get(b"cuMemPrefetchAsync_v2").expect("a function"),
            }
        }
    }

    fn allocate(&self, bytes: usize) -> u64 {
        let mut address = 0;
        // SAFETY: the place is our own.
        assert_eq!(unsafe { (self.allocate)(&raw mut address, bytes, 1) }, 0);
        address
    }
}

/// Returns the free bytes of the current GPU.
fn free() -> usize {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the places are our own.
    unsafe { check(sys::cuMemGetInfo_v2(&raw mut free, &raw mut total)) };
    free
}

/// Adds `by` to the first `count` numbers.
fn add(gpu: &Gpu, function: sys::CUfunction, stream: sys::CUstream, x: u64, by: f64, count: usize) {
    let blocks = (count as u32).div_ceil(256);
    // SAFETY: the memory stays until the stream has run.
    unsafe {
        let arguments = [x, by.to_bits(), count as u64];
        gpu.launch(function, stream, [blocks, 1, 1], [256, 1, 1], &arguments);
        check(sys::cuStreamSynchronize(stream));
    }
}

#[test]
fn host_and_gpus_use_one_address() {
    emulated_with(&[("WEFT_EMULATED_GPUS", "2")], || {
        let managed = Managed::load();
        let second = Gpu::new(1);
        let (there, later) = (second.kernel(ADD, "add"), second.stream());
        let first = Gpu::new(0);
        let (here, stream) = (first.kernel(ADD, "add"), first.stream());
        let count = 40_000;
        let x = managed.allocate(8 * count);
        // SAFETY: the host may use the memory while no work is in a stream.
        let host = unsafe { std::slice::from_raw_parts_mut(x as *mut f64, count) };
        assert!(host[0].is_nan(), "it holds nothing at first");
        host.fill(1.0);
        let before = free();
        add(&first, here, stream, x, 2.0, count);
        assert!(before - free() >= 8 * count, "the pages are on the GPU");
        assert_eq!(host.iter().sum::<f64>(), 3.0 * count as f64);
        assert_eq!(free(), before, "the pages are back");
        second.enter();
        add(&second, there, later, x, 3.0, count);
        first.enter();
        add(&first, here, stream, x, 4.0, count);
        assert!(host.iter().all(|&value| value == 10.0));
        // SAFETY: no work uses the memory.
        unsafe { check(sys::cuMemFree_v2(x)) };
    });
}

#[test]
fn kernels_use_more_than_the_memory_of_a_gpu() {
    let small = [("WEFT_EMULATED_GPU_MIB", "4")];
    emulated_with(&small, || {
        let managed = Managed::load();
        let gpu = Gpu::new(0);
        let (function, stream) = (gpu.kernel(ADD, "add"), gpu.stream());
        let count = 16 * MIB / 8;
        let x = managed.allocate(8 * count);
        // SAFETY: no work uses the memory yet.
        let host = unsafe { std::slice::from_raw_parts_mut(x as *mut f64, count) };
        for (at, value) in host.iter_mut().enumerate() {
            *value = at as f64;
        }
        for _ in 0..3 {
            add(&gpu, function, stream, x, 0.5, count);
        }
        assert!(free() < 64 << 10, "all of the GPU's memory holds pages");
        assert!(
            host.iter()
                .enumerate()
                .all(|(at, &value)| value == at as f64 + 1.5)
        );
        // Other memory of the GPU displaces pages, at the next kernel.
        let own = gpu.allocate(4 * MIB);
        add(&gpu, function, stream, x, 1.0, count);
        assert_eq!((host[0], host[count - 1]), (2.5, count as f64 + 1.5));
        // SAFETY: no work uses the memory.
        unsafe {
            check(sys::cuMemFree_v2(own));
            check(sys::cuMemFree_v2(x));
        }
    });
}

#[test]
fn prefetch_moves_pages_before_their_use() {
    emulated(|| {
        let managed = Managed::load();
        let gpu = Gpu::new(0);
        let stream = gpu.stream();
        let x = managed.allocate(8 * MIB);
        let before = free();
        let place = Place { kind: 1, id: 0 };
        // SAFETY: the memory stays until the stream has run; places and streams are valid.
        unsafe {
            assert_eq!((managed.advise)(x, 8 * MIB, PREFERRED, 0), 0);
            assert_eq!((managed.advise_v2)(x, MIB, PREFERRED, place), 0);
            assert_eq!((managed.prefetch)(x, 2 * MIB, 0, stream.cast()), 0);
            check(sys::cuStreamSynchronize(stream));
            assert_eq!(before - free(), 2 * MIB);
            assert_eq!(
                (managed.prefetch_v2)(x, 8 * MIB, place, 0, stream.cast()),
                0
            );
            check(sys::cuStreamSynchronize(stream));
            assert_eq!(before - free(), 8 * MIB);
            assert_eq!((managed.prefetch)(x, 8 * MIB, CPU, stream.cast()), 0);
            check(sys::cuStreamSynchronize(stream));
            assert_eq!(free(), before);
            // A copy moves no pages.
            let values = [1.0_f64, 2.0];
            check(sys::cuMemcpyHtoD_v2(x, values.as_ptr().cast(), 16));
            assert_eq!(gpu.read::<f64>(x, 2), values);
            check(sys::cuMemFree_v2(x));
        }
    });
}

#[test]
fn mistakes_in_arguments_are_refused() {
    const INVALID_VALUE: u32 = 1;
    const INVALID_DEVICE: u32 = 101;
    emulated(|| {
        let managed = Managed::load();
        let gpu = Gpu::new(0);
        let (stream, own) = (gpu.stream().cast::<c_void>(), gpu.allocate(256));
        let x = managed.allocate(MIB);
        let mut address = 0;
        let device = |id| Place { kind: 1, id };
        // SAFETY: the places are our own; the results of rejected calls are not used.
        unsafe {
            for flags in [0, 3, 4] {
                let result = (managed.allocate)(&raw mut address, 64, flags);
                assert_eq!(result, INVALID_VALUE, "flags {flags}");
            }
            assert_eq!((managed.allocate)(&raw mut address, 0, 1), INVALID_VALUE);
            assert_eq!((managed.allocate)(&raw mut address, 1 << 40, 1), 2);
            for (start, bytes) in [(own, 64), (x, 0), (x, MIB + 1), (x + MIB as u64, 1)] {
                assert_eq!((managed.advise)(start, bytes, PREFERRED, 0), INVALID_VALUE);
                assert_eq!((managed.prefetch)(start, bytes, 0, stream), INVALID_VALUE);
            }
            assert_eq!((managed.advise)(x, MIB, 7, 0), INVALID_VALUE);
            assert_eq!((managed.advise)(x, MIB, PREFERRED, 1), INVALID_DEVICE);
            assert_eq!(
                (managed.advise_v2)(x, MIB, PREFERRED, device(1)),
                INVALID_DEVICE
            );
            let nowhere = Place { kind: 0, id: 0 };
            assert_eq!(
                (managed.prefetch_v2)(x, MIB, nowhere, 0, stream),
                INVALID_VALUE
            );
            assert_eq!(
                (managed.prefetch_v2)(x, MIB, device(0), 1, stream),
                INVALID_VALUE
            );
            // No place is needed for advice about reading.
            assert_eq!((managed.advise)(x, MIB, 1, 99), 0);
        }
    });
}

#[test]
fn gpu_that_shares_no_memory_refuses_prefetches() {
    emulated_with(&[("WEFT_EMULATED_UNSHARED", "1")], || {
        let managed = Managed::load();
        let gpu = Gpu::new(0);
        let x = managed.allocate(64);
        let stream = gpu.stream().cast();
        // SAFETY: what is refused is not used.
        assert_eq!(unsafe { (managed.prefetch)(x, 64, 0, stream) }, 101);
    });
}

#[test]
fn access_behind_an_allocation_ends_the_program() {
    let ended = end_of(&[], || {
        let managed = Managed::load();
        let _gpu = Gpu::new(0);
        let x = managed.allocate(64 << 10);
        // SAFETY: none: the test expects the end of its process.
        unsafe { ((x + (64 << 10)) as *mut u8).write_volatile(1) };
    });
    if let Some((code, said)) = ended {
        assert_eq!(code, None, "{said}");
    }
}

#[test]
fn no_thread_sees_a_page_before_its_content() {
    emulated(|| {
        let managed = Managed::load();
        let _gpu = Gpu::new(0);
        let (page, pages, threads) = (64 << 10, 400, 4);
        let start = managed.allocate(pages * page);
        let barrier = std::sync::Barrier::new(threads);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for at in 0..pages {
                        barrier.wait();
                        // The last number of a page is filled last.
                        let last = start as usize + (at + 1) * page - 8;
                        let last = std::ptr::with_exposed_provenance::<f64>(last);
                        // SAFETY: the number is in the allocation, which nothing writes.
                        assert!(unsafe { last.read_volatile() }.is_nan(), "page {at}");
                    }
                });
            }
        });
    });
}
