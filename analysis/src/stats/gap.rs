//! Idle times of processors and devices, by cause and by the work that ended them.
//!
//! A gap is an interval without work of a worker that worked at some time. It lies between the
//! first and the last work of any worker of its source. It is divided by the causes for which the
//! work that ended it had to wait, according to its times. The view `weft_gaps` of the SQLite
//! output has the same gaps one by one. The program's own thread is never idle: between tasks it
//! runs the program.

use super::busy::{Busy, Work, Worker, busy, spans};
use super::groups::{Groups, KernelTime};
use super::machine::{device_name, rank};
use super::overhead::{self, During, Part};
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::table::{Cell, Table, Unit};
use weft_model::text::place;
use weft_model::{Index, LaunchIndex, Outcome, ProvenanceIndex, SourceIndex, StringIndex, Trace};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::record::ProcessorKind;

/// The cause that delayed the work at the end of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Cause {
    /// The program had not called it yet.
    Program,
    /// The runtime was dividing it into tasks and determining their dependences.
    Analysis,
    /// Its predecessors had not ended.
    Dependence,
    /// It was ready, but its worker had not begun it.
    Queue,
    /// One of its kernels was being compiled, or read from disk, and loaded.
    Compile,
    /// CUPTI, Nsight Systems or the driver took time on the thread that issued it.
    Overhead,
    /// It had been issued to the device, but had not begun there.
    Launch,
    /// The host had not called it. It has no task that shows why.
    Host,
    /// No more work followed.
    End,
    /// The inputs do not show the cause.
    Unknown,
}

impl Cause {
    const fn name(self) -> &'static str {
        match self {
            Cause::Program => "program",
            Cause::Analysis => "analysis",
            Cause::Dependence => "dependence",
            Cause::Queue => "queue",
            Cause::Compile => "compile",
            Cause::Overhead => "overhead",
            Cause::Launch => "launch",
            Cause::Host => "host",
            Cause::End => "end",
            Cause::Unknown => "unknown",
        }
    }
}

/// The work that ended a gap: its line, and the name of its operation or kernel.
type Next = (ProvenanceIndex, Option<StringIndex>);

pub(super) fn by_gap(trace: &Trace) -> Table {
    let busy = busy(trace);
    let spans = spans(&busy);
    let causes = Causes::new(trace);
    let programs = programs(trace);
    let mut groups = Groups::new();
    for rows in busy.chunk_by(|a, b| a.worker == b.worker) {
        let Some(worker) = rows.first().map(|row| row.worker) else {
            continue;
        };
        let Some((first, last)) = spans.get(&worker.source()) else {
            continue;
        };
        if matches!(worker, Worker::Processor(source, id) if programs.contains(&(source, id))) {
            continue;
        }
        // Work of an iteration can be before the part that begins with the iteration.
        let part = trace.quality.part.map(|part| part.from.nanos());
        let mut idle_since = part.map_or(*first, |part| part.max(*first));
        for row in rows {
            if row.start > idle_since {
                let (next, steps) = causes.before(row);
                divide(idle_since, row.start, &steps, |cause, time| {
                    groups.entry((worker, cause, next)).add(time);
                });
            }
            idle_since = idle_since.max(row.end);
        }
        if *last > idle_since {
            let nothing = (ProvenanceIndex(0), None);
            let sum = groups.entry((worker, Cause::End, nothing));
            sum.add(last.saturating_sub(idle_since));
        }
    }
    let names = trace.processors_by_id();
    let columns = ["rank", "processor", "cause", "line", "before"];
    groups.table(
        &columns,
        Unit::Nanos,
        KernelTime::NotShown,
        |(worker, cause, (line, name))| {
            let processor = match worker {
                Worker::Device(_, device) => device_name(Some(device)),
                Worker::Processor(source, id) => names.get(&(source, id)).map_or_else(
                    || format!("processor {id}"),
                    |row| trace.strings.get(row.name).to_owned(),
                ),
            };
            vec![
                rank(trace, worker.source()),
                Cell::Text(processor),
                Cell::Text(cause.name().to_owned()),
                place(trace, line).map_or(Cell::Null, Cell::Text),
                name.map_or(Cell::Null, |name| {
                    Cell::Text(trace.strings.get(name).to_owned())
                }),
            ]
        },
    )
}

/// Returns the processors of the program's own threads, which are never idle.
pub(super) fn programs(trace: &Trace) -> FxHashSet<(SourceIndex, ProcessorId)> {
    let processors = trace.machine.processors.iter();
    let programs = processors.filter(|row| row.kind == ProcessorKind::Program);
    programs.map(|row| (row.source, row.id)).collect()
}

/// Divides the time from `start` to `end` at the steps. Each step is a cause and the time until
/// which it lasted. The cause of the last step also gets the rest.
fn divide(start: i64, end: i64, steps: &[(Cause, i64)], mut add: impl FnMut(Cause, i64)) {
    let mut from = start;
    for (row, (cause, until)) in steps.iter().enumerate() {
        let until = match row + 1 == steps.len() {
            true => end,
            false => (*until).clamp(from, end),
        };
        if until > from {
            add(*cause, until.saturating_sub(from));
        }
        from = until;
    }
}

/// Data from which the readiness of work is determined.
struct Causes<'a> {
    trace: &'a Trace,
    index: Index,
    /// The calls of operations by ranks other than that of the operation's row.
    called: FxHashMap<(SourceIndex, Uid), i64>,
    /// The time at which a launch began to wait for its first kernel, for launches that waited for
    /// one.
    compiled: FxHashMap<(SourceIndex, Uid), i64>,
    /// The overheads while each launch was issued, by their start.
    overheads: FxHashMap<LaunchIndex, Vec<Part>>,
}

impl<'a> Causes<'a> {
    fn new(trace: &'a Trace) -> Self {
        let called = trace.program.operation_calls.iter();
        let mut compiled: FxHashMap<(SourceIndex, Uid), i64> = FxHashMap::default();
        for row in &trace.work.compilations {
            if let Some(start) = row.waited_from() {
                let start = start.nanos();
                let first = compiled.entry((row.source, row.launch)).or_insert(start);
                *first = start.min(*first);
            }
        }
        let mut overheads: FxHashMap<LaunchIndex, Vec<Part>> = FxHashMap::default();
        for part in overhead::parts(trace) {
            if let During::Launch(launch) = part.during {
                overheads.entry(launch).or_default().push(part);
            }
        }
        Causes {
            compiled,
            overheads,
            trace,
            index: Index::new(trace),
            called: called
                .map(|row| ((row.source, row.operation), row.created.nanos()))
                .collect(),
        }
    }

    /// Returns the description of a piece of work, and the causes that delayed it until when, in
    /// order.
    fn before(&self, busy: &Busy) -> (Next, Vec<(Cause, i64)>) {
        match busy.work {
            Work::Task(row) => self.before_task(row).unwrap_or_else(|| {
                let nothing = (ProvenanceIndex(0), None);
                (nothing, vec![(Cause::Unknown, busy.start)])
            }),
            Work::Kernel(row) => self.before_kernel(row, busy.start),
        }
    }

    fn before_task(&self, row: u32) -> Option<(Next, Vec<(Cause, i64)>)> {
        let task = self.trace.work.tasks.get(row as usize)?;
        let operation = self.index.operation(task.source, task.operation);
        let operation = operation.and_then(|row| self.trace.program.operations.get(row));
        let mut steps = Vec::with_capacity(5);
        let mut next = (ProvenanceIndex(0), None);
        if let Some(operation) = operation {
            let own = self.called.get(&(task.source, task.operation));
            let called = own.copied().unwrap_or(operation.created.nanos());
            steps.push((Cause::Program, called));
            next = (operation.provenance, Some(operation.name));
        }
        steps.extend([
            (Cause::Analysis, task.created.nanos()),
            (Cause::Dependence, task.ready.nanos()),
            (Cause::Queue, task.start.nanos()),
        ]);
        Some((next, steps))
    }

    fn before_kernel(&self, row: u32, start: i64) -> (Next, Vec<(Cause, i64)>) {
        let kernel = self.trace.devices.kernels.get(row as usize);
        let name = (ProvenanceIndex(0), kernel.map(|kernel| kernel.name));
        let outcome = self.trace.links.outcomes.get(row as usize);
        if let Some(Outcome::Linked { launch, .. }) = outcome
            && let Some((next, mut steps)) = self.before_launch(*launch)
        {
            for part in self.overheads.get(launch).into_iter().flatten() {
                steps.push((Cause::Launch, part.start));
                steps.push((Cause::Overhead, part.end));
            }
            steps.push((Cause::Launch, start));
            return (next, steps);
        }
        let called = self.trace.links.kernel_calls.get(row as usize);
        let steps = match called.copied().flatten() {
            Some(called) => vec![(Cause::Host, called.nanos()), (Cause::Launch, start)],
            None => vec![(Cause::Unknown, start)],
        };
        (name, steps)
    }

    /// Returns the causes for the first task that a launch serves, until its work was issued.
    fn before_launch(&self, launch: LaunchIndex) -> Option<(Next, Vec<(Cause, i64)>)> {
        let launch = self.trace.work.launches.get(launch.0 as usize)?;
        let (uid, _) = launch.served().next()?;
        let served = self.index.served(launch.source, uid)?;
        let weft_model::Served::Task(row) = served else {
            return None;
        };
        let (next, mut steps) = self.before_task(row)?;
        let issued = launch.start.nanos();
        let compiled = self.compiled.get(&(launch.source, launch.uid)).copied();
        if let Some((_, until)) = steps.last_mut() {
            *until = compiled.unwrap_or(issued);
        }
        steps.extend(compiled.map(|_| (Cause::Compile, issued)));
        Some((next, steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gap_parts_sum_to_the_gap() {
        let steps = [
            (Cause::Program, 120),
            (Cause::Analysis, 110),
            (Cause::Dependence, 150),
            (Cause::Queue, 999),
        ];
        let parts = |start: i64, end: i64| {
            let mut parts = Vec::new();
            divide(start, end, &steps, |cause, time| parts.push((cause, time)));
            parts
        };
        assert_eq!(
            parts(100, 160),
            [
                (Cause::Program, 20),
                (Cause::Dependence, 30),
                (Cause::Queue, 10)
            ]
        );
        assert_eq!(parts(130, 140), [(Cause::Dependence, 10)]);
        assert_eq!(parts(155, 160), [(Cause::Queue, 5)]);
        assert_eq!(parts(0, 100), [(Cause::Program, 100)]);
        for (start, end) in [(0, 1), (0, 500), (115, 125), (149, 151)] {
            let sum: i64 = parts(start, end).iter().map(|(_, time)| time).sum();
            assert_eq!(sum, end - start);
        }
    }
}
