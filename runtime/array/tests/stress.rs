//! Many threads on one runtime, many runtimes one after the other, and ends at bad moments.
//!
//! Mistakes here cause hangs. So every test has a watchdog, which ends the process with a message.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a mistake in a test must stop it"
)]

#[path = "support/runtimes.rs"]
mod support;

use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use ndarray::s;
use weft::error::{CallError, Cause};
use weft::{Array, Error};

use support::plan;

/// Far longer than any of these tests takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs `test`, and ends the process if it does not return.
fn watched(name: &'static str, test: impl FnOnce()) {
    let (done, watch) = mpsc::channel::<()>();
    let watcher = thread::spawn(move || {
        if watch.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // Written directly, since the test harness would capture it.
            let text = format!("{name} hangs: no end after {} s\n", PATIENCE.as_secs());
            drop(std::io::stderr().write_all(text.as_bytes()));
            std::process::abort();
        }
    });
    test();
    drop(done);
    watcher.join().unwrap();
}

/// Plans with different processors.
const PLANS: [&str; 8] = [
    "--cpus 1 --min-cpu-chunk 16",
    "--cpus 2 --min-cpu-chunk 16 --max-inline-chunk 0",
    "--cpus 4 --min-cpu-chunk 16 --max-inline-chunk 0 --fusion=false",
    "--cpus 2 --min-cpu-chunk 16",
    "--cpus 4 --min-cpu-chunk 16",
    "--cpus 2 --min-cpu-chunk 16 --utility 0",
    "--omps 1 --ompthreads 3 --min-cpu-chunk 16 --min-omp-chunk 16",
    "--omps 2 --ompthreads 2 --cpus 1 --min-cpu-chunk 16 --min-omp-chunk 32 --max-inline-chunk 0",
];

/// Whether the error is that the runtime has finished. Any other error is a mistake.
fn is_finished(error: &Error) -> bool {
    match error {
        Error::Call(CallError::Runtime(why)) => why.contains("finished"),
        other => panic!("{other}"),
    }
}

#[test]
fn threads_share_one_runtime() {
    const PROGRAMS: usize = 4;
    const ROUNDS: i64 = 200;
    watched("several programs", || {
        for words in PLANS {
            let runtime = support::runtime(words);
            let shared = runtime.enter(|| weft::zeros::<i64>(&[64]));
            let start = Barrier::new(PROGRAMS);
            thread::scope(|scope| {
                for program in 0..PROGRAMS {
                    let (runtime, start, mut shared) = (&runtime, &start, shared.clone());
                    scope.spawn(move || {
                        start.wait();
                        runtime.enter(|| {
                            let own = weft::full(&[64], program as i64);
                            for round in 0..ROUNDS {
                                shared += 1;
                                own.slice(s![..32]).assign(&own.slice(s![32..]) + 1);
                                own.slice(s![32..]).assign(own.slice(s![..32]));
                                if round % 50 == 0 {
                                    let expected = 64 * (program as i64 + round + 1);
                                    assert_eq!(own.sum().item(), expected);
                                }
                            }
                        });
                    });
                }
            });
            let added = PROGRAMS as i64 * ROUNDS;
            assert_eq!(shared.to_vec().unwrap(), vec![added; 64], "{words}");
            runtime.finish().unwrap();
        }
    });
}

#[test]
fn runtimes_start_and_finish_repeatedly() {
    let logdir = env!("CARGO_TARGET_TMPDIR");
    let profiled = format!("--cpus 2 --profile --force --profile-name stress --logdir {logdir}");
    watched("start and finish", || {
        for round in 0..150 {
            let words = match round % 3 {
                0 => "--cpus 1",
                1 => "--cpus 3 --utility 0",
                _ => profiled.as_str(),
            };
            let runtime = support::runtime(words);
            let sum = runtime.enter(|| (weft::arange::<i64>(100) + 1).sum());
            match round % 4 {
                0 => assert_eq!(sum.item(), 5050),
                1 => drop(runtime.clone()),
                _ => {}
            }
            if round % 5 == 0 {
                // Dropping the last handle also ends a run.
                drop(runtime);
            } else {
                let summary = runtime.finish().unwrap();
                if let Some(records) = summary.records {
                    assert_eq!((records.dropped, records.produced), (0, records.written));
                }
            }
            assert!(is_finished(&sum.try_item().unwrap_err()));
        }
    });
}

#[test]
fn finishing_waits_for_pending_work() {
    watched("pending work", || {
        for round in 0..60 {
            let words = PLANS[round % PLANS.len()];
            let runtime = support::runtime(&format!("{words} --sysmem 1"));
            runtime.enter(|| {
                let mut array = weft::zeros::<f64>(&[64]);
                for _ in 0..100 * (round % 20) {
                    array += 1.0;
                }
                // The last operation depends on all of them, and fails, which its waiter sees.
                let wide = array.reshape(&[64, 1]).broadcast_to(&[64, 1 << 14]);
                drop(wide.copy());
            });
            match runtime.finish() {
                Err(Error::Failed(failure)) => {
                    assert!(matches!(failure.cause, Cause::OutOfMemory { .. }));
                }
                other => panic!("the failure of the last operation is lost: {other:?}"),
            }
        }
    });
}

/// An operation that a program has submitted is computed. After the end, calls return an error, and
/// no wait lasts forever.
#[test]
fn finish_races_with_running_programs() {
    const PROGRAMS: usize = 3;
    watched("finish among programs", || {
        for round in 0..80 {
            let runtime = support::runtime(PLANS[round % PLANS.len()]);
            let start = Barrier::new(PROGRAMS + 2);
            thread::scope(|scope| {
                for _ in 0..PROGRAMS {
                    let array = runtime.enter(|| weft::zeros::<i64>(&[40]));
                    let start = &start;
                    scope.spawn(move || {
                        start.wait();
                        let step = || array.try_add(1)?.try_sum(None)?.try_item();
                        let end = loop {
                            match step() {
                                Ok(sum) => assert_eq!(sum, 40),
                                Err(error) => break error,
                            }
                        };
                        assert!(is_finished(&end));
                    });
                }
                for _ in 0..2 {
                    let (start, runtime) = (&start, &runtime);
                    scope.spawn(move || {
                        start.wait();
                        for _ in 0..round % 10 {
                            thread::yield_now();
                        }
                        runtime.finish().unwrap();
                    });
                }
            });
        }
    });
}

#[test]
fn other_threads_drop_arrays() {
    watched("drops elsewhere", || {
        for words in PLANS {
            // Without timely frees, this would fill the memory many times over.
            let runtime = support::runtime(&format!("{words} --sysmem 32"));
            let (hand_over, drops) = mpsc::sync_channel::<Array<f64>>(64);
            let dropper = thread::spawn(move || drops.into_iter().count());
            runtime.enter(|| {
                let mut last = weft::zeros::<f64>(&[1024]);
                for _ in 0..8000 {
                    let next = &last + 1.0;
                    hand_over.send(std::mem::replace(&mut last, next)).unwrap();
                }
                assert_eq!(last.slice(s![..1]).item(), 8000.0);
                hand_over.send(last).unwrap();
            });
            let left = runtime.enter(|| weft::ones::<f64>(&[1024]));
            runtime.finish().unwrap();
            drop(runtime);
            // Data outlives its runtime.
            hand_over.send(left).unwrap();
            drop(hand_over);
            assert_eq!(dropper.join().unwrap(), 8002);
        }
    });
}

#[test]
fn threads_race_to_start_and_finish_the_process_runtime() {
    watched("the process's runtime", || {
        for _ in 0..80 {
            let meet = Arc::new(Barrier::new(2));
            let threads = [1, 2].map(|cpus| {
                let meet = meet.clone();
                thread::spawn(move || {
                    let plan = plan(&format!("--cpus {cpus} --min-cpu-chunk 16"));
                    meet.wait();
                    let running = weft::start_with(plan).unwrap();
                    let cpus = weft::runtime::current().unwrap().plan().cpus;
                    let array = weft::arange::<i64>(64);
                    assert_eq!(array.sum().item(), 2016);
                    meet.wait();
                    drop(running);
                    (cpus, array.as_dyn().store_uid())
                })
            });
            let [first, second] = threads.map(|thread| thread.join().unwrap());
            // One runtime, with one plan, which numbered the stores of both.
            assert_eq!(first.0, second.0);
            assert_ne!(first.1, second.1);
            assert!(weft::finish().unwrap().is_none());
        }
    });
}
