//! A time limit for commands and all processes that they started.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fs, process};

use rustix::process::{Pid, Signal, kill_process};

/// Kills every process whose environment has [`NAME`](Self::NAME) with this value after a time
/// limit. Killing the command alone, or its process group, leaves nsys's agent and MPI's ranks,
/// which have their own groups. These hold the command's pipes, and a test that reads them would
/// never end.
pub(super) struct Watched {
    /// The value that distinguishes this command's processes.
    pub(super) value: String,
    finished: Sender<()>,
    watcher: JoinHandle<bool>,
}

impl Watched {
    /// The variable that marks the processes.
    pub(super) const NAME: &str = "WEFT_TEST_WATCHED";

    /// Begins to watch.
    pub(super) fn new(longest: Duration) -> Watched {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{number}", process::id());
        let mark = format!("{}={value}", Watched::NAME);
        let (finished, until) = mpsc::channel();
        let watcher = thread::spawn(move || {
            let hangs = until.recv_timeout(longest) == Err(RecvTimeoutError::Timeout);
            // A process may start another while this reads the list.
            while hangs && end_marked(&mark) {}
            hangs
        });
        Watched {
            value,
            finished,
            watcher,
        }
    }

    /// Ends the watch. Returns whether the time limit was reached.
    pub(super) fn was_ended(self) -> bool {
        drop(self.finished);
        self.watcher.join().expect("the watcher does not panic")
    }
}

/// Kills the processes with this entry in their environment, and returns whether there were any.
fn end_marked(mark: &str) -> bool {
    let mut found = false;
    let processes = fs::read_dir("/proc").expect("/proc");
    for pid in processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()) {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let is_marked = environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == mark.as_bytes());
        if let Some(pid) = Pid::from_raw(pid).filter(|_| is_marked) {
            found |= kill_process(pid, Signal::KILL).is_ok();
        }
    }
    found
}

#[test]
fn ends_processes_outside_its_process_group() {
    let watched = Watched::new(Duration::from_millis(100));
    let output = process::Command::new("sh")
        .args(["-c", "setsid sleep 100000 & exec sleep 100000"])
        .env(Watched::NAME, &watched.value)
        .output()
        .expect("sh starts");
    assert!(watched.was_ended());
    assert_eq!(output.status.code(), None);
}
