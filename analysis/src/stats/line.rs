//! Statistics by source line, and by scope.

use super::cost::{self, Cost, processors};
use super::flow::{Memories, Span, moved};
use super::groups::{Groups, KernelTime};
use super::overhead::{self, During};
use super::program::{operation_of, work};
use super::untimed;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::hash::Hash;
use weft_model::table::{Cell, Table, Unit};
use weft_model::text::{place, scope_path};
use weft_model::{
    Index, KernelIndex, Launch, Operation, Outcome, RecordKind, ScopeIndex, Served, StringIndex,
    Trace, page_kernels,
};
use weft_trace::record::ProcessorKind;

/// Returns the lines of tasks and copies, without the program itself. If there are none, the lines
/// in the messages of ranges.
pub(super) fn by_line(trace: &Trace) -> Table {
    if is_by_message(trace) {
        by_message(trace)
    } else {
        by_provenance(trace)
    }
}

/// Returns whether lines are taken from the messages of ranges.
pub(super) fn is_by_message(trace: &Trace) -> bool {
    let mut untimed = trace.quality.untimed.iter();
    let is_work = |kind| matches!(kind, RecordKind::Task | RecordKind::Copy);
    trace.work.tasks.is_empty()
        && trace.work.copies.is_empty()
        && !untimed.any(|row| is_work(row.kind))
}

pub(super) const NO_LINE: &str = "(no line)";

fn by_provenance(trace: &Trace) -> Table {
    by_key(
        trace,
        "line",
        |operation| operation.provenance,
        |provenance| place(trace, provenance).unwrap_or_else(|| NO_LINE.to_owned()),
    )
}

/// Returns the costs by the innermost scope around the call.
pub(super) fn by_scope(trace: &Trace) -> Table {
    by_key(
        trace,
        "scope",
        |operation| operation.scope,
        |scope| match scope {
            ScopeIndex(0) => "(no scope)".to_owned(),
            scope => scope_path(trace, scope),
        },
    )
}

/// Returns tasks and copies by a key of their operation. Those without an operation have the
/// default key.
fn by_key<K: Hash + Eq + Copy + Default>(
    trace: &Trace,
    column: &'static str,
    key: impl Fn(&Operation) -> K,
    label: impl Fn(K) -> String,
) -> Table {
    let index = Index::new(trace);
    let cost = Cost::new(trace, &index);
    let mut lines: Lines<'_, K> = Lines::new();
    // The processors of the program's own thread.
    let programs = processors(trace, ProcessorKind::Program);
    let line = |operation: Option<usize>| {
        let operation = operation.and_then(|row| trace.program.operations.get(row));
        operation.map_or(K::default(), &key)
    };
    for work in work(trace, &index, &cost) {
        let operation = work
            .operation
            .and_then(|row| trace.program.operations.get(row));
        let has_line = operation.is_some_and(|operation| operation.provenance.0 != 0);
        if !has_line && work.processor.is_some_and(|key| programs.contains(&key)) {
            continue;
        }
        let key = line(work.operation);
        let sum = lines.groups.entry(key);
        sum.add_times(&work.times, work.moved.is_some());
        if let Some(operation) = operation {
            lines.name(key, trace.strings.get(operation.name));
        }
        if let Some(moved) = work.moved {
            lines.moved.entry(key).or_default().insert(moved);
        }
    }
    let untimed = [RecordKind::Task, RecordKind::Copy].map(|kind| untimed::of_kind(trace, kind));
    for row in untimed.into_iter().flatten() {
        let known = row
            .operation
            .and_then(|uid| index.operation(row.source, uid));
        let has_line = known
            .and_then(|row| trace.program.operations.get(row))
            .is_some_and(|operation| operation.provenance.0 != 0);
        let processor = row.processor.map(|id| (row.source, id));
        if has_line || !processor.is_some_and(|key| programs.contains(&key)) {
            lines.groups.entry(line(known)).add_untimed();
        }
    }
    for row in &trace.work.compilations {
        let key = line(index.operation(row.source, row.operation));
        lines.groups.entry(key).add_compile((row.end - row.start).0);
    }
    let served_by = |lines: &mut Lines<'_, K>, launch: &Launch, time: f64| {
        for (uid, share) in launch.served() {
            let served = index.served(launch.source, uid);
            let key = line(served.and_then(|served| operation_of(trace, &index, served)));
            lines.groups.entry(key).add_cuda_overhead(time * share);
        }
    };
    for part in overhead::parts(trace) {
        let time = part.end.saturating_sub(part.start) as f64;
        match part.during {
            During::Launch(row) => {
                if let Some(launch) = trace.work.launches.get(row.0 as usize) {
                    served_by(&mut lines, launch, time);
                }
            }
            During::Compilation(row) => {
                if let Some(row) = trace.work.compilations.get(row as usize) {
                    let key = line(index.operation(row.source, row.operation));
                    lines.groups.entry(key).add_cuda_overhead(time);
                }
            }
        }
    }
    for (event, kernel) in faults(trace) {
        let launch = kernel.and_then(|kernel| launch_of(trace, kernel));
        let Some(launch) = launch else {
            lines.groups.entry(K::default()).add_faults(event);
            continue;
        };
        for (uid, share) in launch.served() {
            let served = index.served(launch.source, uid);
            let key = line(served.and_then(|served| operation_of(trace, &index, served)));
            lines.groups.entry(key).add_faults(event * share);
        }
    }
    for name in kernels_without_operation(trace, &index) {
        lines.name(K::default(), trace.strings.get(name));
    }
    cost::estimated(
        trace,
        &index,
        &cost,
        |served| Some(line(operation_of(trace, &index, served))),
        |line, time| lines.groups.entry(line).estimate(time),
    );
    if cost.rest > 0.0 {
        lines.groups.entry(K::default()).kernel_time += cost.rest;
    }
    let speeds = add_bytes(trace, &index, &mut lines.groups, |served| {
        line(operation_of(trace, &index, served))
    });
    lines.groups = lines.groups.with_bandwidth(speeds);
    lines.table(column, KernelTime::new(trace), label)
}

/// Returns the number of faults of each event of a GPU's pages, and the kernel that caused them.
fn faults(trace: &Trace) -> impl Iterator<Item = (f64, Option<KernelIndex>)> {
    let events = trace.devices.page_events.iter().zip(page_kernels(trace));
    let faults = events.map(|(event, kernel)| (event.gpu_faults() as f64, kernel.ok()));
    faults.filter(|(faults, _)| *faults > 0.0)
}

/// Returns the launch of a kernel.
fn launch_of(trace: &Trace, kernel: KernelIndex) -> Option<&Launch> {
    match trace.links.outcomes.get(kernel.0 as usize)? {
        Outcome::Linked { launch, .. } => trace.work.launches.get(launch.0 as usize),
        Outcome::Unmatched(_) => None,
    }
}

/// Adds the bytes of kernels to the lines that they served. If a kernel served several, each has
/// its share of the time. Returns the speeds of the memories.
fn add_bytes<K: Hash + Eq + Copy>(
    trace: &Trace,
    index: &Index,
    lines: &mut Groups<K>,
    line: impl Fn(Served) -> K,
) -> Vec<Option<f64>> {
    let mut memories = Memories::new(trace);
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let (Some(bytes), Outcome::Linked { launch, .. }) = (moved(trace, kernel), outcome) else {
            continue;
        };
        let Some(launch) = trace.work.launches.get(launch.0 as usize) else {
            continue;
        };
        let memory = memories.of_kernel(kernel);
        for (uid, share, span) in Span::of_served(kernel, launch, memory) {
            let served = index.served(launch.source, uid);
            if let Some(sum) = served.and_then(|served| lines.get_mut(line(served))) {
                sum.flow.add(bytes as f64 * share, span);
            }
        }
    }
    memories.speeds()
}

/// Returns the names of kernels of tasks whose operation has no record.
fn kernels_without_operation(trace: &Trace, index: &Index) -> BTreeSet<StringIndex> {
    let mut names = BTreeSet::new();
    for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
        let Outcome::Linked { launch, .. } = outcome else {
            continue;
        };
        let launch = trace.work.launches.get(launch.0 as usize);
        let lost = launch.is_some_and(|launch| {
            launch.served().any(|(uid, _)| {
                let served = index.served(launch.source, uid);
                matches!(served, Some(Served::Task(_)))
                    && served.is_some_and(|served| operation_of(trace, index, served).is_none())
            })
        });
        if lost {
            names.insert(kernel.name);
        }
    }
    names
}

/// Returns the number and time of tasks that are the program itself. A runtime records the whole
/// life of the program as one task without a line. These tasks have no row, because the shares of
/// all other lines would be negligible.
pub(super) fn left_out(trace: &Trace) -> (usize, i64) {
    let (index, programs) = (Index::new(trace), processors(trace, ProcessorKind::Program));
    let nested = trace.nested_times();
    let tasks = trace.work.tasks.iter().zip(nested);
    let of_program = tasks.filter(|(task, _)| {
        let row = index.operation(task.source, task.operation);
        let line = row.and_then(|row| trace.program.operations.get(row));
        programs.contains(&(task.source, task.processor))
            && line.is_none_or(|operation| operation.provenance.0 == 0)
    });
    of_program.fold((0, 0), |(count, time), (task, nested)| {
        let own = (task.end - task.start).0.saturating_sub(nested);
        (count + 1, time.saturating_add(own))
    })
}

/// Returns the costs by the line in the message of ranges. A kernel counts for the innermost range
/// around its launch.
fn by_message(trace: &Trace) -> Table {
    let mut places = FxHashMap::default();
    let mut lines: Lines<'_, Option<(&str, &str)>> = Lines::new();
    for range in &trace.work.ranges {
        let message = trace.strings.get(range.text);
        let found = *places.entry(range.text).or_insert_with(|| line_in(message));
        if let Some((name, file, line)) = found {
            let key = Some((file, line));
            lines
                .groups
                .entry(key)
                .add_work((range.end - range.start).0, 0.0);
            lines.name(key, name);
        }
    }
    if lines.groups.is_empty() {
        lines.groups = lines.groups.with_bandwidth(Vec::new());
        return lines.table("line", KernelTime::new(trace), |_| String::new());
    }
    let mut memories = Memories::new(trace);
    for (kernel, range) in trace.devices.kernels.iter().zip(&trace.links.kernel_ranges) {
        let range = range.and_then(|range| trace.work.ranges.get(range.0 as usize));
        let place = range.and_then(|range| places.get(&range.text).copied().flatten());
        let key = place.map(|(_, file, line)| (file, line));
        let sum = lines.groups.entry(key);
        sum.kernel_time += (kernel.end - kernel.start).0 as f64;
        if let Some(bytes) = moved(trace, kernel) {
            sum.flow.add(bytes as f64, memories.span(kernel));
        }
    }
    for (event, kernel) in faults(trace) {
        let range = kernel.and_then(|kernel| *trace.links.kernel_ranges.get(kernel.0 as usize)?);
        let range = range.and_then(|range| trace.work.ranges.get(range.0 as usize));
        let place = range.and_then(|range| places.get(&range.text).copied().flatten());
        let key = place.map(|(_, file, line)| (file, line));
        lines.groups.entry(key).add_faults(event);
    }
    lines.groups = lines.groups.with_bandwidth(memories.speeds());
    lines.table("line", KernelTime::new(trace), |place| match place {
        Some((file, line)) => format!("{file}:{line}"),
        None => NO_LINE.to_owned(),
    })
}

/// Returns the `file:line` in a message and the text before it: name, file, line. A file contains a
/// dot or a slash. Text after the line, such as a column or a bar, is dropped.
fn line_in(message: &str) -> Option<(&str, &str, &str)> {
    let found = message.split_whitespace().find_map(|word| {
        let (file, line) = numbered(word)?;
        // `a.rs:12:5` ends in a column.
        let (file, line) = numbered(file).unwrap_or((file, line));
        let path = file.contains(['.', '/']) && !file.contains("://");
        path.then_some((word, file, line))
    });
    let (word, file, line) = found?;
    let before = message.split(word).next().unwrap_or_default();
    let name = before.trim_matches(|letter: char| letter.is_whitespace() || letter == ':');
    Some((name, file, line))
}

/// Returns the parts around the last colon of a word that ends in a number.
fn numbered(word: &str) -> Option<(&str, &str)> {
    let word = word.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let (file, line) = word.rsplit_once(':')?;
    let number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    (number && !file.is_empty()).then_some((file, line))
}

/// Sums by line, with the names of the rows that are summed.
struct Lines<'a, K> {
    groups: Groups<K>,
    names: FxHashMap<K, BTreeSet<&'a str>>,
    /// The words `copy` and `fill`, if there are any.
    moved: FxHashMap<K, BTreeSet<&'static str>>,
}

impl<'a, K: Hash + Eq + Copy> Lines<'a, K> {
    fn new() -> Self {
        Lines {
            groups: Groups::new()
                .with_estimates()
                .with_copies()
                .with_nested()
                .with_issue()
                .with_compile(),
            names: FxHashMap::default(),
            moved: FxHashMap::default(),
        }
    }

    fn name(&mut self, key: K, name: &'a str) {
        // A damaged profile may have lost the text.
        if !name.is_empty() {
            self.names.entry(key).or_default().insert(name);
        }
    }

    fn table(self, column: &'static str, shown: KernelTime, label: impl Fn(K) -> String) -> Table {
        let columns = [column, "operations"];
        let Lines {
            groups,
            names,
            moved,
        } = self;
        groups.table(&columns, Unit::Nanos, shown, |key| {
            let mut all: Vec<&str> = names.get(&key).into_iter().flatten().copied().collect();
            for moved in moved.get(&key).into_iter().flatten() {
                if !all.contains(moved) {
                    all.push(moved);
                }
            }
            let names = (!all.is_empty()).then(|| Cell::Text(all.join(", ")));
            vec![Cell::Text(label(key)), names.unwrap_or(Cell::Null)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_lines_in_messages() {
        for (message, expected) in [
            ("add main.rs:12", Some(("add", "main.rs", "12"))),
            ("add src/main.rs:12 +3", Some(("add", "src/main.rs", "12"))),
            (
                "cupynumeric::BinaryOpTask : /home/user/examples/stencil.py:56|",
                Some((
                    "cupynumeric::BinaryOpTask",
                    "/home/user/examples/stencil.py",
                    "56",
                )),
            ),
            ("(a.rs:12:5)", Some(("", "(a.rs", "12"))),
            ("a.rs:12:5", Some(("", "a.rs", "12"))),
            ("aten::empty, op_id = 990346||", None),
            ("at 12:30", None),
            ("http://host:80", None),
            ("x.rs:", None),
            (":12", None),
            ("", None),
        ] {
            assert_eq!(line_in(message), expected, "{message}");
        }
    }
}
