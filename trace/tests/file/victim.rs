//! A process of its own that records and then comes to some end: this test binary, started again.

use crate::support::{self, task};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use weft_trace::file::WriterOptions;

const PATH: &str = "WEFT_TRACE_VICTIM_PATH";
const THREADS: u64 = 2;

/// UIDs of one thread begin here times its number.
const THREAD_FIRST: u64 = 1 << 40;

/// The process that a test watches.
#[derive(Debug)]
pub(crate) struct Victim {
    pub(crate) child: Child,
    pub(crate) path: PathBuf,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    /// Records that each thread said were written.
    pub(crate) said: [u64; THREADS as usize],
}

/// A command that runs one ignored test of this binary.
pub(crate) fn command(test: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            test,
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(PATH, path);
    command
}

/// Where a started process is to write. None: it was not started by a test.
pub(crate) fn path() -> Option<PathBuf> {
    std::env::var_os(PATH).map(PathBuf::from)
}

impl Victim {
    /// Starts a test of this binary that calls [`record`].
    pub(crate) fn start(test: &str, path: &Path) -> Self {
        let mut child = command(test, path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Victim {
            child,
            path: path.to_owned(),
            lines,
            said: [0; THREADS as usize],
        }
    }

    /// Waits until every thread has written so many records.
    pub(crate) fn wait_for(&mut self, records: u64) {
        while self.said.iter().any(|said| *said < records) {
            assert!(self.hear(), "the process ended early");
        }
    }

    /// Reads one line. False: there will be no more.
    fn hear(&mut self) -> bool {
        let Some(line) = self.lines.next() else {
            return false;
        };
        let line = line.unwrap();
        if let Some(rest) = line.strip_prefix("written ") {
            let (thread, count) = rest.split_once(' ').unwrap();
            self.said[thread.parse::<usize>().unwrap()] = count.parse().unwrap();
        }
        true
    }

    /// Reads what it said before it died.
    pub(crate) fn end(&mut self) -> ExitStatus {
        while self.hear() {}
        self.child.wait().unwrap()
    }

    /// The records of each thread: 1 to so many, none missing. Panics where one is.
    pub(crate) fn recorded(&self, prof: &weft_trace::file::Prof) -> [u64; THREADS as usize] {
        let mut seen = [0; THREADS as usize];
        for record in prof.records() {
            let weft_trace::record::Record::Task(task) = record else {
                panic!("{record:?} was never written");
            };
            let (thread, count) = (
                task.uid.0.sequence() / THREAD_FIRST,
                task.uid.0.sequence() % THREAD_FIRST,
            );
            assert_eq!(count, seen[thread as usize] + 1);
            seen[thread as usize] = count;
        }
        seen
    }
}

/// What the process does: threads write for ever, and say now and then how far they are. Its first thread calls `end`
/// with its number of records after each.
pub(crate) fn record(path: &Path, end: impl Fn(u64) + Sync) {
    let (writer, _) = support::writer(path, WriterOptions::default());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (writer, end) = (&writer, &end);
            scope.spawn(move || {
                let mut lane = writer.lane();
                for count in 1.. {
                    // Nothing but writing is faster than any disk: what is dropped is tried again.
                    while !lane.write(&task(thread * THREAD_FIRST + count)) {
                        std::thread::yield_now();
                    }
                    if count.is_multiple_of(100) {
                        let mut out = std::io::stdout().lock();
                        writeln!(out, "written {thread} {count}").unwrap();
                        out.flush().unwrap();
                    }
                    if thread == 0 {
                        end(count);
                    }
                }
            });
        }
    });
}
