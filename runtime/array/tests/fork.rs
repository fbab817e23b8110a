//! A process forked from one with a runtime: its calls fail at once, and the parent's run is not
//! affected.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a mistake in a test must stop it"
)]
#![allow(unsafe_code, reason = "forks")]

use std::time::{Duration, Instant};

use weft::Plan;
use weft_config::Machine;
use weft_trace::file::Prof;

/// The most time of a child, far longer than it takes on any machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs `child` in a forked process, which then exits like an ordinary program. Returns its status.
fn forked(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child runs only the code of this test, and ends.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let status = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(99);
        // This runs everything that runs at exit.
        // SAFETY: the call takes no addresses.
        unsafe { libc::exit(status) };
    }
    let start = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: the pointer is to an int.
        if unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == pid {
            assert!(
                libc::WIFEXITED(status),
                "ended by signal {}",
                libc::WTERMSIG(status)
            );
            return libc::WEXITSTATUS(status);
        }
        if start.elapsed() > PATIENCE {
            // SAFETY: the child belongs to this test.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn says_forked<T>(outcome: Result<T, weft::Error>) -> bool {
    outcome.is_err_and(|error| error.to_string().contains("forked"))
}

/// This is a single test, since forks would otherwise copy threads of other tests.
#[test]
fn forked_child_gets_errors_and_parent_continues() {
    // Before there is a runtime, a fork starts its own.
    let early = forked(|| {
        let sum = weft::ones::<f64>(&[100_000]).sum().item();
        let has_finished = weft::finish().is_ok();
        i32::from(sum != 1e5 || !has_finished)
    });
    assert_eq!(early, 0);

    let folder = tempfile::tempdir().unwrap();
    let words = format!("--cpus 2 --profile --logdir {}", folder.path().display());
    let words: Vec<String> = words.split_whitespace().map(String::from).collect();
    let plan = Plan::from_words(&words, &Machine::probe()).unwrap();
    let running = weft::start_with(plan).unwrap();
    let x = weft::ones::<f64>(&[100_000]);
    let small = weft::ones::<f64>(&[10]);
    assert_eq!(x.sum().item(), 1e5);
    for round in 0..8 {
        // Operations are under way, and locks are held.
        let busy: Vec<_> = (0..50).map(|_| (&x + 1.0).sum()).collect();
        let own = &x + 2.0;
        let (x, small) = (&x, &small);
        let status = forked(move || {
            let checks = [
                says_forked(x.to_vec()),
                says_forked(x.try_add(x)),
                says_forked(small.try_add(small)),
                says_forked(own.to_vec()),
                says_forked(weft::runtime::current().map(drop)),
                says_forked(weft::start().map(drop)),
                weft::finish().is_ok_and(|summary| summary.is_none()),
                std::panic::catch_unwind(|| weft::ones::<f64>(&[10])).is_err(),
            ];
            // The last handles of stores are dropped, in this process as in the parent.
            drop((own, busy));
            checks
                .iter()
                .position(|ok| !ok)
                .map_or(0, |at| 1 + at as i32)
        });
        assert_eq!(status, 0, "check {status} in round {round}");
        assert_eq!(x.sum().item(), 1e5);
    }
    // As if `main` returned in the child, and then in the parent.
    assert_eq!(
        forked(move || {
            drop(running);
            0
        }),
        0
    );
    let profile = Prof::open(&folder.path().join("weft_0.prof")).unwrap();
    let losses = profile.losses();
    assert!(losses.finished, "{losses:?}");
    assert_eq!(losses.dropped.total(), 0, "{losses:?}");
}
