//! A process that records until it ends in some way: this test binary, started again.

use crate::support::{self, task};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use weft_trace::file::WriterOptions;

const PATH: &str = "WEFT_TRACE_VICTIM_PATH";
const THREADS: u64 = 2;

/// UIDs of a thread begin at this value times the number of the thread.
const THREAD_FIRST: u64 = 1 << 40;

/// A process observed by a test.
#[derive(Debug)]
pub(crate) struct Victim {
    pub(crate) child: Child,
    pub(crate) path: PathBuf,
    output: BufReader<ChildStdout>,
    /// The number of records that each thread reported as written.
    pub(crate) said: [u64; THREADS as usize],
}

/// Returns a command that runs one ignored test of this binary.
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

/// Returns the path that a started process writes to; `None` if no test started it.
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
        let output = BufReader::new(child.stdout.take().unwrap());
        Victim {
            child,
            path: path.to_owned(),
            output,
            said: [0; THREADS as usize],
        }
    }

    /// Waits until every thread has written `records` records.
    pub(crate) fn wait_for(&mut self, records: u64) {
        while self.said.iter().any(|said| *said < records) {
            assert!(self.hear(), "the process ended early");
        }
    }

    /// Reads one line. Returns `false` at the end of the output.
    fn hear(&mut self) -> bool {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        // The process may end within a line.
        let Some(line) = line.strip_suffix('\n') else {
            return false;
        };
        if let Some(rest) = line.strip_prefix("written ") {
            let (thread, count) = rest.split_once(' ').unwrap();
            self.said[thread.parse::<usize>().unwrap()] = count.parse().unwrap();
        }
        true
    }

    /// Reads the rest of its output, and waits for its end.
    pub(crate) fn end(&mut self) -> ExitStatus {
        while self.hear() {}
        self.child.wait().unwrap()
    }

    /// Returns the number of each thread's records in `prof`. Panics unless they are numbered from
    /// 1 without gaps.
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

/// Runs the recording process: threads write forever, and report their progress now and then. After
/// each record of the first thread, `end` is called with the number of records that every thread
/// has reported.
pub(crate) fn record(path: &Path, end: impl Fn(u64) + Sync) {
    let (writer, _) = support::writer(path, WriterOptions::default());
    let said = [const { AtomicU64::new(0) }; THREADS as usize];
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (writer, end, said) = (&writer, &end, &said);
            scope.spawn(move || {
                let mut lane = writer.lane();
                for count in 1.. {
                    // Writing without pause is faster than any disk, so dropped records are written
                    // again.
                    while !lane.write(&task(thread * THREAD_FIRST + count)) {
                        std::thread::yield_now();
                    }
                    if count.is_multiple_of(100) {
                        let mut out = std::io::stdout().lock();
                        writeln!(out, "written {thread} {count}").unwrap();
                        out.flush().unwrap();
                        said[thread as usize].store(count, Ordering::Release);
                    }
                    if thread == 0 {
                        let all = said.iter().map(|said| said.load(Ordering::Acquire));
                        end(all.min().unwrap_or(0));
                    }
                }
            });
        }
    });
}
