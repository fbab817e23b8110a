//! Advice on CPUs.

use super::scene::{PROGRAM, Scene, cpu};
use weft_model::{LaunchIndex, WaitKind};

const LARGE: &[u64] = &[100_000];

/// A loop of dependent operations of 200 us. The program takes 50 us for each, and reads a value if
/// `reads` is set.
fn reading(reads: bool) -> Scene {
    let mut scene = Scene::new(1);
    let (mut now, mut free, mut last) = (0, 0, Vec::new());
    for _ in 0..40 {
        now += 50;
        let operation = scene.operation(2, "add", LARGE, &[now]);
        let start = free.max(now + 5);
        free = start + 200;
        // Each worker does half of the work.
        let tasks =
            [0, 1].map(|worker| scene.task(0, operation, cpu(worker), [start, free], &last));
        last = tasks.to_vec();
        if reads {
            scene.wait(0, WaitKind::Value, Some(operation), [now, free + 20]);
            now = free + 20;
        }
    }
    scene
}

#[test]
fn finds_values_read_in_loops() {
    let found = reading(true).advice();
    let first = &found.findings[0];
    assert_eq!(first.rule, "blocking-value");
    assert_eq!(
        (first.lines[0].line, first.lines[0].text.as_deref()),
        (2, Some("line 2"))
    );
    // Without waits each iteration takes 200 us instead of 275; every tenth still waits.
    let saved = first.alone.saving_ns as f64 / 40e3;
    assert!((60.0..75.0).contains(&saved), "{saved}");
    assert_eq!(found.replay.error_ns, 0);
    assert!(reading(false).found().is_empty());
}

/// A loop of independent operations that the program runs itself.
fn inline(shape: &[u64], gap: i64, time: i64) -> Scene {
    let mut scene = Scene::new(1);
    let mut now = 0;
    for _ in 0..200 {
        now += gap;
        let operation = scene.operation(3, "add", shape, &[now]);
        scene.task(0, operation, PROGRAM, [now, now + time], &[]);
        now += time;
    }
    scene
}

#[test]
fn finds_tiny_tasks() {
    assert!(inline(&[4096], 20, 2).found().contains("tiny-tasks"));
    assert!(!inline(&[4096], 5, 500).found().contains("tiny-tasks"));
}

#[test]
fn dependent_iterations_are_not_a_batch() {
    let mut scene = inline(&[4096], 20, 2);
    let tasks: Vec<_> = scene.trace.work.tasks.iter().map(|task| task.uid).collect();
    for pair in tasks.windows(2) {
        scene.after(0, pair[1], &pair[..1]);
    }
    assert!(!scene.found().contains("tiny-tasks"));
}

#[test]
fn finds_loops_over_elements() {
    let found = inline(&[1], 20, 2).found();
    assert!(
        found.contains("element-loop") && !found.contains("tiny-tasks"),
        "{found:?}"
    );
    assert!(!inline(&[4096], 20, 2).found().contains("element-loop"));
}

/// Dependent operations. Each has one task per time in `times`.
fn tiled(times: &[i64]) -> Scene {
    let mut scene = Scene::new(1);
    let (mut now, mut last) = (1, Vec::new());
    for _ in 0..20 {
        let operation = scene.operation(4, "sort", LARGE, &[0]);
        let end = now + times.iter().max().unwrap();
        let tasks = (0..).zip(times);
        last = tasks
            .map(|(worker, time)| scene.task(0, operation, cpu(worker), [now, now + time], &last))
            .collect();
        now = end;
    }
    scene
}

#[test]
fn finds_tasks_that_run_alone() {
    let advice = tiled(&[1000]).advice();
    assert_eq!(advice.findings[0].rule, "little-parallelism");
    assert!((advice.findings[0].alone.saving - 0.5).abs() < 0.01);
    assert!(tiled(&[1000, 1000]).found().is_empty());
}

#[test]
fn finds_uneven_tasks() {
    let advice = tiled(&[1000, 3000]).advice();
    assert_eq!(advice.findings[0].rule, "skew");
    assert!((advice.findings[0].alone.saving - 1.0 / 3.0).abs() < 0.01);
    assert!(!tiled(&[1000, 1100]).found().contains("skew"));
}

/// Dependent operations with these times of analysis and of tasks.
fn analysed(analysis: i64, time: i64) -> Scene {
    let mut scene = Scene::new(1);
    let (mut thread, mut free, mut last) = (10, 0, Vec::new());
    for row in 0..30 {
        let operation = scene.operation(5, "matmul", LARGE, &[row / 10]);
        scene.analysis(0, operation, [thread, thread + analysis]);
        thread += analysis;
        let start = thread.max(free);
        free = start + time;
        last = vec![0, 1]
            .into_iter()
            .map(|on| scene.task(0, operation, cpu(on), [start, free], &last))
            .collect();
    }
    scene
}

/// Dependent operations of `tiles` tiles of `time` ns each. Every tile waits for all tiles of the
/// operation before.
fn cut(tiles: u32, analysis: i64, time: i64) -> Scene {
    let mut scene = Scene::new(1);
    let (mut thread, mut free, mut last) = (10, 0, Vec::new());
    for _ in 0..20 {
        let operation = scene.operation(8, "matvec", LARGE, &[0]);
        scene.analysis(0, operation, [thread, thread + analysis]);
        thread += analysis;
        free = thread.max(free);
        last = (0..tiles)
            .map(|_| {
                free += time;
                scene.task(0, operation, cpu(0), [free - time, free], &last)
            })
            .collect();
    }
    scene
}

#[test]
fn finds_operations_with_too_small_tiles() {
    let advice = cut(8, 400, 1).advice();
    let finding = advice.findings.iter().find(|one| one.rule == "tiny-tasks");
    let finding = finding.unwrap();
    assert_eq!(finding.lines[0].line, 8);
    assert!(finding.change.contains("--min-cpu-chunk"));
    let evidence = |what: &str| finding.evidence.iter().find(|one| one.what == what);
    assert_eq!(evidence("tasks").unwrap().value, 160.0);
    assert_eq!(evidence("of each operation").unwrap().value, 8.0);
    assert!(!cut(8, 400, 500).found().contains("tiny-tasks"));
    assert!(!cut(1, 400, 1).found().contains("tiny-tasks"));
}

#[test]
fn finds_runs_bound_by_the_runtime() {
    assert!(analysed(100, 20).found().contains("runtime-bound"));
    assert!(analysed(1, 500).found().is_empty());
}

/// A program that takes `gap` ns before each call.
fn hosted(gap: i64) -> Scene {
    let mut scene = Scene::new(1);
    let (mut now, mut free) = (0, 0);
    for _ in 0..30 {
        now += gap;
        let operation = scene.operation(6, "matmul", LARGE, &[now]);
        let start = free.max(now);
        free = start + 100;
        for worker in [0, 1] {
            scene.task(0, operation, cpu(worker), [start, free], &[]);
        }
    }
    scene
}

#[test]
fn finds_slow_program_lines() {
    let advice = hosted(500).advice();
    assert_eq!(
        (&*advice.findings[0].rule, advice.findings[0].lines[0].line),
        ("slow-host", 6)
    );
    assert!(hosted(5).found().is_empty());
}

/// Chains of two operations, each on both workers.
fn chained(name: &str) -> Scene {
    let mut scene = Scene::new(1);
    let mut now = 1;
    for _ in 0..10 {
        let mut last = [None; 2];
        for (line, name) in [(7, "multiply"), (8, name)] {
            let operation = scene.operation(line, name, &[1 << 20], &[0]);
            for worker in [0, 1] {
                let after: Vec<_> = last[worker].into_iter().collect();
                let times = [now, now + 1000];
                last[worker] = Some(scene.task(0, operation, cpu(worker as u16), times, &after));
            }
            now += 1000;
        }
    }
    scene
}

#[test]
fn finds_unfused_chains() {
    assert!(chained("add").found().contains("unfused-chain"));
    assert!(!chained("matmul").found().contains("unfused-chain"));
}

#[test]
fn fused_operations_are_not_an_unfused_chain() {
    let mut scene = chained("add");
    // Each pair is one launch.
    let tasks = std::mem::take(&mut scene.trace.work.launches);
    for pair in tasks.chunks(4) {
        for worker in [0, 1] {
            let (first, second) = (&pair[worker], &pair[worker + 2]);
            let at = scene.launch(0, first.uid, first.processor, [1, 1]);
            let LaunchIndex(row) = at;
            let launch = &mut scene.trace.work.launches[row as usize];
            (launch.start, launch.end) = (first.start, second.end);
            launch.shares = Box::new([(first.uid, 0.5), (second.uid, 0.5)]);
        }
    }
    assert!(scene.found().is_empty());
}

/// Tasks of which some wait `wait` ns for memory.
fn allocating(wait: i64) -> Scene {
    let mut scene = Scene::new(1);
    let (mut now, mut last) = (1, Vec::new());
    for _ in 0..20 {
        let operation = scene.operation(9, "matmul", LARGE, &[0]);
        scene.instance(operation, [now, now + wait]);
        now += wait;
        last = [0, 1]
            .map(|on| scene.task(0, operation, cpu(on), [now, now + 300], &last))
            .to_vec();
        now += 300;
    }
    scene
}

#[test]
fn finds_waits_for_memory() {
    assert!(allocating(500).found().contains("memory-wait"));
    assert!(allocating(5).found().is_empty());
}
