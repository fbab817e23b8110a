//! Reasons for tables of costs without rows, each computed from the records of the trace.

use super::By;
use super::busy::{Worker, busy};
use super::gap::programs;
use weft_model::{Kernel, RecordKind, Recorder, Source, SourceKind, Trace};

/// Returns the reason why the table has no rows, as a clause.
pub(super) fn reason(trace: &Trace, by: By) -> String {
    let found = EmptyTrace {
        trace,
        here: match trace.quality.part {
            Some(_) => "this part of the run",
            None => "these inputs",
        },
    };
    match by {
        By::Line | By::Scope => found.no_lines(by),
        By::Task | By::Operation | By::Critical => found.no_tasks(by),
        By::Kernel => found.nothing("kernels"),
        By::Range => found.no_projection(),
        By::RangeName | By::RangeMessage => found.no_ranges(),
        By::Processor if trace.devices.kernels.is_empty() => found.nothing("tasks and no kernels"),
        By::Processor => format!(
            "{} has no tasks, and all kernels belong to launches of tasks without records",
            found.here_singular()
        ),
        By::Memory => found.not_recorded("allocations"),
        By::Channel => found.nothing("copies between memories and no fills"),
        By::Wait => found.not_recorded("waits"),
        By::Gap => found.no_gaps(),
    }
}

/// Returns the reason why no record is a row, if all records that could be rows lack a known
/// duration.
pub(super) fn untimed(trace: &Trace, by: By) -> Option<String> {
    let kinds: &[RecordKind] = match by {
        By::Wait => &[RecordKind::Wait],
        By::Memory => &[RecordKind::Instance],
        By::Channel => &[RecordKind::Copy, RecordKind::Memcpy, RecordKind::Memset],
        By::Range | By::RangeName | By::RangeMessage => &[RecordKind::Range],
        By::Critical => &[RecordKind::Task],
        By::Gap => &[
            RecordKind::Task,
            RecordKind::Kernel,
            RecordKind::Memcpy,
            RecordKind::Memset,
            RecordKind::Graph,
        ],
        _ => return None,
    };
    let has_others = match by {
        By::Wait => !trace.work.waits.is_empty(),
        By::Memory => !trace.work.instances.is_empty(),
        By::Range | By::RangeName | By::RangeMessage => has_ranges(trace),
        By::Critical => !trace.work.tasks.is_empty(),
        By::Gap => !busy(trace).is_empty(),
        _ => false,
    };
    let count = |kind: &RecordKind| {
        let rows = trace.quality.untimed.iter();
        rows.filter(|row| row.kind == *kind).count()
    };
    let found: Vec<String> = kinds
        .iter()
        .filter(|kind| count(kind) > 0)
        .map(|kind| match count(kind) {
            1 => format!("1 {}", kind.name().replace('_', " ")),
            several => format!("{several} {}", kind.plural()),
        })
        .collect();
    (!found.is_empty() && !has_others).then(|| {
        format!(
            "no row has a known duration: the times of {} cannot be true",
            found.join(" and ")
        )
    })
}

/// The trace whose table is empty.
struct EmptyTrace<'a> {
    trace: &'a Trace,
    /// The words for the inputs or the part of the run.
    here: &'static str,
}

impl EmptyTrace<'_> {
    /// Returns `these inputs have no <what>`.
    fn nothing(&self, what: &str) -> String {
        match self.trace.quality.part {
            Some(_) => format!("{} has no {what}", self.here),
            None => format!("{} have no {what}", self.here),
        }
    }

    fn here_singular(&self) -> &'static str {
        match self.trace.quality.part {
            Some(_) => self.here,
            None => "the trace",
        }
    }

    /// Returns that there are no records of a kind that only profiles have.
    fn not_recorded(&self, what: &str) -> String {
        match has_profile(self.trace) {
            true => self.nothing(what),
            false => format!("{}; only .prof files record them", self.nothing(what)),
        }
    }

    fn no_tasks(&self, by: By) -> String {
        let trace = self.trace;
        let what = match by {
            By::Operation => "operations",
            _ => "tasks",
        };
        match trace.work.tasks.is_empty() {
            true => self.not_recorded(what),
            // Only for the critical path: other tables have a row for each task.
            false => format!("no chain of tasks was found in {}", self.here),
        }
    }

    fn no_lines(&self, by: By) -> String {
        let trace = self.trace;
        if !trace.work.tasks.is_empty() {
            return format!(
                "all tasks in {} are the program itself, which has no line",
                self.here
            );
        }
        if by == By::Line && !trace.work.ranges.is_empty() && !has_profile(trace) {
            return format!(
                "{}, and no NVTX range message contains file:line",
                self.nothing("tasks")
            );
        }
        self.not_recorded("tasks")
    }

    fn no_projection(&self) -> String {
        if !has_ranges(self.trace) {
            return self.no_ranges();
        }
        match has_device_work(self.trace) {
            true => format!(
                "no range in {} encloses a call that started GPU work",
                self.here
            ),
            false => format!(
                "{}, and --by range shows only ranges within which some was started",
                self.nothing("GPU work")
            ),
        }
    }

    fn no_ranges(&self) -> String {
        let trace = self.trace;
        let across = across_threads(trace);
        if across > 0 {
            let (ranges, were) = match across {
                1 => ("the only NVTX range".to_owned(), "was"),
                several => (format!("all {several} NVTX ranges"), "were"),
            };
            return format!(
                "{ranges} in {} {were} opened on one thread and closed on another, and so is not part of the time of either",
                self.here
            );
        }
        match trace.devices.sessions.is_empty() {
            true if !trace.work.launches.is_empty() => {
                format!("no launch in {} has a kernel", self.here)
            }
            true => self.nothing("NVTX ranges and no launches"),
            false => self.nothing("NVTX ranges"),
        }
    }

    fn no_gaps(&self) -> String {
        let trace = self.trace;
        let busy = busy(trace);
        let programs = programs(trace);
        let is_program = |worker: Worker| match worker {
            Worker::Processor(source, id) => programs.contains(&(source, id)),
            Worker::Device(..) => false,
        };
        if busy.is_empty() {
            return match has_device_work(trace) {
                true => format!("the GPU work in {} names no GPU", self.here),
                false if trace.work.tasks.is_empty() => self.nothing("tasks and no GPU work"),
                false => format!(
                    "the tasks in {} ran on GPUs, and when they did was not recorded",
                    self.here
                ),
            };
        }
        if !busy.iter().all(|row| is_program(row.worker)) {
            return "nothing that worked was ever idle between the first and the last work of its input"
                .to_owned();
        }
        let is_weft = |source: &Source| source.kind == SourceKind::WeftProf;
        let why = match trace.sources.iter().all(is_weft) {
            true => ": the operations were small enough to run at once",
            false => "",
        };
        format!("all tasks ran on the thread of the program, which is never idle{why}")
    }
}

/// Returns whether an input is a profile, which records tasks, memory and waits.
fn has_profile(trace: &Trace) -> bool {
    trace.sources.iter().any(|source| !source.kind.is_nsys())
}

/// Returns whether anything ran on a device.
fn has_device_work(trace: &Trace) -> bool {
    let mut columns = trace
        .devices
        .sessions
        .iter()
        .flat_map(|session| &session.spans);
    let on_device = |kernel: &Kernel| kernel.recorder != Recorder::Host;
    trace.devices.kernels.iter().any(on_device) || columns.any(|spans| spans.operations > 0)
}

/// Returns whether a range was opened and closed by one thread.
pub(super) fn has_ranges(trace: &Trace) -> bool {
    let mut columns = trace
        .devices
        .sessions
        .iter()
        .flat_map(|session| &session.spans);
    let mut rows = trace.work.ranges.iter();
    rows.any(|range| range.end_thread.is_none()) || columns.any(|spans| !spans.ranges.id.is_empty())
}

/// Returns the number of ranges that one thread opened and another closed.
fn across_threads(trace: &Trace) -> u64 {
    let columns = trace
        .devices
        .sessions
        .iter()
        .flat_map(|session| &session.spans);
    let columns: u64 = columns.map(|spans| spans.across_threads).sum();
    let rows = trace
        .work
        .ranges
        .iter()
        .filter(|range| range.end_thread.is_some());
    columns.max(rows.count() as u64)
}
