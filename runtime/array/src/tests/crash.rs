//! A panic in each thread of the runtime: every wait returns an error, and the process continues.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use weft_core::testing::{self, Trap};

use super::{gpus, plan};
use crate::error::{CallError, Error};
use crate::{Array, Runtime};

/// The time after which a test counts as hanging, far longer than it takes on any machine.
const HANG: Duration = Duration::from_secs(300);

/// Runs a test that may hang.
fn within_time(test: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        test();
        let _ = done.send(());
    });
    match ended.recv_timeout(HANG) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the panic was not reported"),
        _ => thread.join().unwrap(),
    }
}

fn assert_crashed(error: Error, site: Trap) {
    let text = error.to_string();
    let is_crash = matches!(
        error,
        Error::Crashed(_) | Error::Call(CallError::Crashed(_))
    );
    assert!(is_crash, "{text}");
    let says_why = text.contains(&format!("{site:?}")) || text.contains("of the program");
    assert!(says_why, "{text}");
}

/// Sets a trap, runs a program into it, and tries all ways to wait and to submit.
fn survive(runtime: &Runtime, site: Trap, n: usize) {
    runtime.enter(|| {
        let before = crate::ones::<f64>(&[n]);
        assert_eq!(before.sum().item(), n as f64);
        testing::set_trap(runtime, site);
        // Another thread of the program, which may be in the middle of a wait.
        let other = before.clone();
        let waiter = std::thread::spawn(move || {
            loop {
                let sum = other.try_add(1.0).and_then(|more| more.try_sum(None));
                if let Err(error) = sum.and_then(|sum| sum.to_vec()) {
                    break error;
                }
            }
        });
        let read = catch_unwind(AssertUnwindSafe(|| -> Result<Vec<f64>, Error> {
            loop {
                let after: Array<f64> = before.try_add(&before)?.try_mul(2.0)?;
                after.to_vec()?;
            }
        }));
        match read {
            Ok(outcome) => assert_crashed(outcome.unwrap_err(), site),
            // The program's own thread ran into the trap.
            Err(_) => assert!(matches!(site, Trap::Inline | Trap::Analysis)),
        }
        match waiter.join() {
            Ok(error) => assert_crashed(error, site),
            Err(_) => assert!(matches!(site, Trap::Inline | Trap::Analysis)),
        }
        assert_crashed(runtime.wait().unwrap_err(), site);
        assert_crashed(before.to_vec().unwrap_err(), site);
        assert_crashed(before.try_add(1.0).unwrap_err(), site);
        assert_crashed(runtime.finish().unwrap_err(), site);
    });
}

#[test]
fn panic_of_any_thread_fails_every_wait() {
    for (words, site, n) in [
        ("--cpus 2", Trap::Analysis, 200_000),
        ("--cpus 2 --utility 0", Trap::Analysis, 200_000),
        ("--cpus 2", Trap::Worker, 200_000),
        ("--cpus 2", Trap::Inline, 10),
        ("--cpus 0 --omps 1 --ompthreads 3", Trap::Worker, 200_000),
        ("--cpus 0 --omps 1 --ompthreads 3", Trap::Tile, 200_000),
        ("--cpus 1 --omps 2 --ompthreads 2", Trap::Tile, 200_000),
    ] {
        within_time(move || {
            let runtime = Runtime::new(plan(&format!("--gpus 0 {words}"))).unwrap();
            survive(&runtime, site, n);
            // Another runtime is not affected.
            let next = Runtime::new(plan("--gpus 0 --cpus 1")).unwrap();
            assert_eq!(
                next.enter(|| crate::ones::<f64>(&[n]).sum().item()),
                n as f64
            );
        });
    }
}

#[test]
fn panic_of_gpu_driving_thread_fails_every_wait() {
    if !cuda_emulator::host::Module::can_compile() {
        println!("skipped: no C++ compiler to run kernels with");
        return;
    }
    for site in [
        Trap::Dispatcher,
        Trap::Completion,
        Trap::Host,
        Trap::Analysis,
    ] {
        within_time(move || {
            // Without GPU code for sums, the host's workers have tasks.
            let fake = Arc::new(gpus::fake(1, 1).without(&["sum", "mul"]));
            let plan = plan("--gpus 0 --cpus 2 --min-gpu-chunk 16");
            let runtime = testing::on_gpus(plan, fake).unwrap();
            survive(&runtime, site, 1000);
        });
    }
}

#[test]
fn blocked_wait_ends_after_a_panic() {
    within_time(|| {
        let runtime = Runtime::new(plan("--gpus 0 --cpus 1")).unwrap();
        runtime.enter(|| {
            let mut x = crate::ones::<f64>(&[100_000]);
            testing::set_trap(&runtime, Trap::Worker);
            // More operations than may be under way: the program waits for room, which never comes.
            let outcome = (0..5000).try_for_each(|_| {
                x = x.try_add(1.0)?;
                Ok(())
            });
            let outcome = outcome.and_then(|()| runtime.wait());
            assert_crashed(outcome.unwrap_err(), Trap::Worker);
        });
    });
}
