//! Advice on copies and GPUs.

use super::scene::{DEVICE, GPU, MAIN, Scene, cpu};
use weft_model::KernelKind;

const LARGE: &[u64] = &[100_000];
const BYTES: u64 = 8 << 20;

/// Data is copied to the device and back. If `changes` is set, a task changes it in between.
fn returning(changes: bool) -> Scene {
    let mut scene = Scene::new(1);
    let (mut now, mut last) = (1, Vec::new());
    for _ in 0..5 {
        let operation = scene.operation(2, "matmul", LARGE, &[0]);
        let made = scene.task(0, operation, cpu(0), [now, now + 1000], &last);
        let there = scene.copy(
            operation,
            [MAIN, DEVICE],
            BYTES,
            [now + 1000, now + 2000],
            &[made],
        );
        now += 2000;
        let mut data = there;
        if changes {
            data = scene.task(0, operation, cpu(1), [now, now + 1000], &[there]);
            now += 1000;
        }
        let back = scene.copy(operation, [DEVICE, MAIN], BYTES, [now, now + 1000], &[data]);
        now += 1000;
        last = vec![back];
    }
    scene
}

#[test]
fn finds_data_returned_unchanged() {
    assert!(returning(false).found().contains("ping-pong"));
    assert!(!returning(true).found().contains("ping-pong"));
}

/// The device gets data of one task several times if `again` is set, or else of several tasks.
fn copied(again: bool) -> Scene {
    let mut scene = Scene::new(1);
    let first = scene.operation(3, "matmul", LARGE, &[0]);
    let mut made = scene.task(0, first, cpu(0), [1, 1001], &[]);
    let mut now = 1001;
    let mut last = made;
    for _ in 0..5 {
        let operation = scene.operation(4, "matmul", LARGE, &[0]);
        let copy = scene.copy(
            operation,
            [MAIN, DEVICE],
            BYTES,
            [now, now + 1000],
            &[made, last],
        );
        last = scene.task(0, operation, cpu(1), [now + 1000, now + 2000], &[copy]);
        now += 2000;
        if !again {
            made = last;
        }
        // Copies of the same version depend only on the task that wrote it.
        if again {
            scene
                .trace
                .work
                .dependencies
                .retain(|edge| edge.to != copy || edge.from == made);
        }
    }
    scene
}

#[test]
fn finds_redundant_copies() {
    assert!(copied(true).found().contains("redundant-copy"));
    assert!(!copied(false).found().contains("redundant-copy"));
}

/// A copy is requested late, and its reader waits for it.
fn late(asked: i64) -> Scene {
    let mut scene = Scene::new(1);
    let made = scene.operation(2, "matmul", LARGE, &[0]);
    let data = scene.task(0, made, cpu(0), [1, 100], &[]);
    let operation = scene.operation(5, "matmul", LARGE, &[asked]);
    let copy = scene.copy(
        operation,
        [MAIN, DEVICE],
        BYTES,
        [asked, asked + 1000],
        &[data],
    );
    let other = scene.task(0, made, cpu(1), [100, asked + 200], &[data]);
    scene.task(
        0,
        operation,
        cpu(0),
        [asked + 1000, asked + 1500],
        &[copy, other],
    );
    scene
}

#[test]
fn finds_copies_that_could_start_earlier() {
    assert!(late(2000).found().contains("exposed-copy"));
    assert!(!late(100).found().contains("exposed-copy"));
}

fn many(bytes: u64) -> Scene {
    let mut scene = Scene::new(1);
    let first = scene.operation(6, "matmul", LARGE, &[0]);
    let mut last = scene.task(0, first, cpu(0), [1, 100], &[]);
    for row in 0..100 {
        let start = 100 + row * 10;
        last = scene.copy(first, [MAIN, DEVICE], bytes, [start, start + 10], &[last]);
    }
    scene
}

#[test]
fn finds_small_copies() {
    assert!(many(4096).found().contains("small-copies"));
    assert!(!many(BYTES).found().contains("small-copies"));
}

/// Copies to a GPU from memory of this kind. The issue of each blocks for 500 us.
fn blocking(from: u32) -> Scene {
    let mut scene = Scene::new(1);
    let mut now = 1;
    for row in 0..20 {
        let operation = scene.operation(7, "load", LARGE, &[0]);
        let task = scene.task(0, operation, GPU, [now, now + 500], &[]);
        let launch = weft_model::LaunchIndex(scene.trace.work.launches.len() as u32 - 1);
        scene.kernel(launch, KernelKind::Memcpy, [now + 500, now + 510], from);
        now += 500;
        for _ in 0..3 {
            let operation = scene.operation(8, "add", LARGE, &[row]);
            scene.task(0, operation, GPU, [now, now + 5], &[task]);
            let launch = weft_model::LaunchIndex(scene.trace.work.launches.len() as u32 - 1);
            scene.kernel(launch, KernelKind::Kernel, [now + 20, now + 25], 3);
            now += 5;
        }
    }
    scene
}

#[test]
fn finds_copies_from_pageable_memory() {
    assert!(blocking(1).found().contains("synchronous-copy"));
    assert!(!blocking(2).found().contains("synchronous-copy"));
}

/// Kernels of 100 us. The program takes `gap` ns before each.
fn kernels(gap: i64) -> Scene {
    let mut scene = Scene::new(1);
    let (mut now, mut free) = (0, 0);
    for _ in 0..20 {
        now += gap;
        let operation = scene.operation(9, "matmul", LARGE, &[now]);
        scene.task(0, operation, GPU, [now, now + 2], &[]);
        let launch = weft_model::LaunchIndex(scene.trace.work.launches.len() as u32 - 1);
        let start = free.max(now + 2);
        free = start + 100;
        scene.kernel(launch, KernelKind::Kernel, [start, free], 3);
    }
    scene
}

#[test]
fn finds_gpu_gaps() {
    let advice = kernels(400).advice();
    let rules: Vec<&str> = advice
        .findings
        .iter()
        .map(|finding| &*finding.rule)
        .collect();
    // The slow program has the same cause, which explains all of it.
    assert!(
        rules.contains(&"slow-host") || rules.contains(&"gpu-gap"),
        "{rules:?}"
    );
    assert!(kernels(10).found().is_empty());
}
