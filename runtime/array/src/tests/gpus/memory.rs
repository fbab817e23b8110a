//! GPU memories that are too small: spilling, offloading, halos allocated at once, and errors if
//! nothing helps.

use weft_core::testing;

use super::super::memory::every_kind;
use super::{can_run, heated, mixed, on, on_cpus};
use crate::error::{Cause, Help, Shortage};
use crate::{Error, MemoryKind, PoolStatus, Runtime};

fn status(runtime: &Runtime, kind: MemoryKind) -> Vec<PoolStatus> {
    let all = runtime.pool_status().into_iter();
    all.filter(|status| status.memory == kind).collect()
}

fn shortage(error: Error) -> Box<Shortage> {
    match error {
        Error::Failed(failure) => match &failure.cause {
            Cause::OutOfMemory(shortage) => shortage.clone(),
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}

/// Computes with ten arrays of 1 MiB, each used again after all of them exist.
fn ten_arrays() -> f64 {
    let arrays: Vec<_> = (0..10)
        .map(|n| crate::full::<f64>(&[1 << 17], f64::from(n)))
        .collect();
    let sums = arrays.iter().zip(arrays.iter().rev());
    sums.map(|(a, b)| (a + b).sum().item()).sum()
}

#[test]
fn full_memory_spills_least_recently_used_data() {
    if !can_run() {
        return;
    }
    let expected = on_cpus(ten_arrays);
    for seed in 0..4 {
        let (runtime, fake) = on(1, seed, "--fbmem 4 --spill --sysmem 64");
        assert_eq!(runtime.enter(ten_arrays), expected);
        let fbmem = status(&runtime, MemoryKind::Framebuffer);
        assert!(fbmem[0].peak <= 4 << 20, "{fbmem:?}");
        assert!(status(&runtime, MemoryKind::System)[0].peak >= 6 << 20);
        runtime.finish().unwrap();
        drop(runtime);
        assert_eq!(fake.allocated_bytes(), 0);
    }
}

#[test]
fn spilling_preserves_results() {
    if !can_run() {
        return;
    }
    let expected = on_cpus(|| (mixed(), heated(40, 6).to_vec().unwrap()));
    for seed in 0..6 {
        for words in ["", "--cuda-graphs"] {
            let (runtime, _fake) = on(
                1 + seed as usize % 2,
                seed,
                &format!("--fbmem 1 --spill --sysmem 64 {words}"),
            );
            let got = runtime.enter(|| (mixed(), heated(40, 6).to_vec().unwrap()));
            assert_eq!(got, expected, "seed {seed} {words}");
            runtime.finish().unwrap();
        }
    }
}

#[test]
fn one_allocation_spills_many_arrays_at_once() {
    if !can_run() {
        return;
    }
    let (runtime, _fake) = on(1, 1, "--fbmem 4 --spill --sysmem 64");
    let fbmem = testing::memories(&runtime).pop().unwrap();
    runtime.enter(|| {
        let small: Vec<_> = (0..60)
            .map(|n| crate::full::<f64>(&[1 << 13], f64::from(n)))
            .collect();
        runtime.wait().unwrap();
        let before = fbmem.failed_requests();
        let large = crate::full::<f64>(&[3 << 17], 2.0);
        assert_eq!(large.sum().item(), f64::from(6 << 17));
        let failed = fbmem.failed_requests() - before;
        assert!((1..4).contains(&failed), "{failed} requests failed");
        let sum: f64 = small.iter().map(|array| array.sum().item()).sum();
        assert_eq!(sum, f64::from(1 << 13) * 1770.0);
    });
    runtime.finish().unwrap();
}

#[test]
fn out_of_memory_error_suggests_spilling() {
    if !can_run() {
        return;
    }
    let (runtime, _fake) = on(1, 1, "--fbmem 4 --sysmem 64");
    runtime.enter(|| {
        let mut arrays: Vec<_> = (0..4).map(|_| crate::ones::<f64>(&[1 << 17])).collect();
        runtime.wait().unwrap();
        let more = crate::ones::<f64>(&[1 << 17]);
        let shortage = shortage(more.sum().try_item().unwrap_err());
        assert_eq!(
            (shortage.asked, shortage.used),
            (1 << 20, 4 << 20),
            "{shortage}"
        );
        assert_eq!(shortage.holders.len(), 4);
        assert!(shortage.holders.iter().all(|held| held.is_idle));
        let line = shortage.holders[0].location;
        let (to, arrays_to_move) = ("SYSTEM_MEM", vec![line]);
        assert_eq!(
            shortage.help,
            [
                Help::Resize {
                    flag: "fbmem",
                    mib: 5,
                    is_for_all: false,
                },
                Help::Drop {
                    arrays: vec![line],
                    mib: 1
                },
                Help::Offload {
                    arrays: arrays_to_move,
                    to,
                    mib: 1
                },
                Help::Spill { to, mib: 4 },
            ]
        );
        // The advice of the error helps.
        arrays[0].offload_to(MemoryKind::System);
        let more = crate::ones::<f64>(&[1 << 17]);
        runtime.wait().unwrap();
        assert_eq!(status(&runtime, MemoryKind::Framebuffer)[0].live, 4 << 20);
        assert_eq!(status(&runtime, MemoryKind::System)[0].live, 1 << 20);
        drop(more);
        arrays.truncate(3);
        // The array returns when it is needed, by itself or ahead of that.
        arrays[0].prefetch(MemoryKind::Framebuffer);
        assert_eq!(arrays[0].sum().item(), f64::from(1 << 17));
    });
    assert!(runtime.finish().is_err());
}

#[test]
fn offload_to_absent_memory_fails_the_call() {
    let (runtime, _fake) = on(1, 1, "");
    runtime.enter(|| {
        let array = crate::ones::<f64>(&[8]);
        let error = array.try_offload_to(MemoryKind::Disk).unwrap_err();
        assert!(error.to_string().contains("no DISK_MEM"), "{error}");
    });
}

/// Returns the most bytes that each of several GPUs holds while shifted views of a grid are read,
/// and the result.
fn stencil(hint: bool, seed: u64) -> (Vec<u64>, f64) {
    let (runtime, fake) = on(3, seed, "");
    let result = runtime.enter(|| {
        let held = fake.hold();
        let grid = crate::ones::<f64>(&[62, 62]);
        if hint {
            // Tiles of the grid and of its inner part are at most one row apart.
            grid.stencil_hint(&[2, 1], &[2, 1]);
        }
        drop(held);
        runtime.wait().unwrap();
        let views = [
            grid.slice(ndarray::s![..-2, 1..-1]),
            grid.slice(ndarray::s![2.., 1..-1]),
        ];
        let doubled = views.iter().map(|view| (view * 2.0).to_vec().unwrap());
        doubled.flatten().sum()
    });
    let peaks = status(&runtime, MemoryKind::Framebuffer);
    runtime.finish().unwrap();
    drop(runtime);
    assert_eq!(fake.allocated_bytes(), 0);
    (peaks.iter().map(|status| status.peak).collect(), result)
}

#[test]
fn stencil_hint_lowers_peak_memory() {
    if !can_run() {
        return;
    }
    let least = |hint| {
        let runs = (0..3).map(|seed| stencil(hint, seed));
        let runs: Vec<(u64, f64)> = runs.map(|(peaks, sum)| (peaks.iter().sum(), sum)).collect();
        // Memory that is freed a little late counts too, sometimes.
        (
            runs.iter().map(|run| run.0).min(),
            runs.iter().map(|run| run.1).sum::<f64>(),
        )
    };
    let (without, expected) = least(false);
    let (with, result) = least(true);
    assert_eq!(result, expected);
    // Without the hint each GPU holds its third of 30,752 bytes twice while that grows.
    assert!(
        with.map(|with| with + 20_000) <= without,
        "{with:?} {without:?}"
    );
}

#[test]
fn failed_allocations_leak_nothing() {
    if !can_run() {
        return;
    }
    for fails in 0..60 {
        let (runtime, fake) = on(1 + fails as usize % 2, fails, "");
        let memories = testing::memories(&runtime);
        let failing = &memories[memories.len() - 1 - fails as usize % 3 % memories.len()];
        failing.fail_request(Some(fails / 3));
        let result = runtime.enter(every_kind);
        failing.fail_request(None);
        if let Err(error) = result {
            drop(shortage(error));
        }
        drop(runtime.finish());
        for memory in &memories {
            assert_eq!(memory.live(), 0, "{fails}: {memory:?}");
        }
        drop((memories, runtime));
        assert_eq!(fake.allocated_bytes(), 0, "{fails}");
    }
}

#[test]
fn unified_memory_holds_more_than_a_gpu() {
    if !can_run() {
        return;
    }
    let expected = on_cpus(ten_arrays);
    for gpus in [1, 2] {
        for seed in 0..3 {
            let (runtime, fake) = on(gpus, seed, "--gpu-memory unified --sysmem 64");
            assert_eq!(runtime.enter(ten_arrays), expected);
            assert!(status(&runtime, MemoryKind::Framebuffer).is_empty());
            let unified = status(&runtime, MemoryKind::Managed);
            assert_eq!(unified.len(), gpus);
            assert!(unified.iter().all(|memory| memory.peak > 0), "{unified:?}");
            runtime.finish().unwrap();
            drop(runtime);
            assert_eq!(fake.allocated_bytes(), 0);
        }
    }
}

#[test]
fn one_unified_array_leaves_the_others_in_gpu_memory() {
    use crate::DynArray;
    use crate::dtype::Scalar;
    use crate::kernel::ReduceOp;
    if !can_run() {
        return;
    }
    // The GPU has room for the sums, but not for the array.
    let (runtime, _fake) = on(1, 5, "--fbmem 4 --sysmem 64");
    let whole = DynArray::full_unified(&runtime, &[1 << 18], Scalar::F64(2.0)).unwrap();
    let sum = whole.reduce(ReduceOp::Sum, None).unwrap();
    let sum = sum.request().unwrap().value().unwrap().first();
    assert_eq!(sum, Some(Scalar::F64(2.0 * f64::from(1 << 18))));
    let unified = status(&runtime, MemoryKind::Managed);
    assert!(unified[0].peak >= 2 << 20, "{unified:?}");
    assert!(status(&runtime, MemoryKind::Framebuffer)[0].peak < 2 << 20);
    let runtime = Runtime::new(super::plan("--gpus 0 --cpus 1")).unwrap();
    let refused = DynArray::full_unified(&runtime, &[4], Scalar::F64(2.0));
    let why = refused
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(why.contains("no GPU"), "{why}");
}
