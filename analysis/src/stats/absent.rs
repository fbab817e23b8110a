//! Information about a table of costs that its numbers do not show.

use super::cost::{Cost, processors};
use super::reason::{has_ranges, reason, untimed};
use super::{By, line};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use weft_critical as critical;
use weft_model::table::{Cell, Table};
use weft_model::text::place;
use weft_model::{
    DeviceTimes, Index, Outcome, RunIndex, SourceIndex, SourceKind, Task, Trace, incomplete,
};
use weft_trace::id::Uid;
use weft_trace::record::ProcessorKind;

/// Returns why the table has no rows, what it leaves out, or an unexpected origin of its rows.
pub(super) fn note(trace: &Trace, by: By, table: &Table) -> Option<String> {
    if by == By::Critical
        && let Some(why) = critical::missing(trace)
    {
        return Some(why);
    }
    if table.is_empty() {
        if let Some(reason) = untimed(trace, by) {
            return Some(format!("{reason}; WEFT_UNTIMED lists them"));
        }
        let other = instead(trace, by);
        if other.is_empty() && !incomplete(&trace.sources, trace.quality.losses.iter()).is_empty() {
            return Some(
                "the readable part of these inputs gives no row; the next message lists what is missing"
                    .to_owned(),
            );
        }
        let remedy = match other.as_str() {
            "" if trace.quality.part.is_some() => "choose a longer part with --between",
            "" => "add the other files of the run",
            other => other,
        };
        return Some(format!("{}; {remedy}", reason(trace, by)));
    }
    if matches!(by, By::RangeName | By::RangeMessage) && projects_nothing(table) {
        return Some(
            "no range in these inputs encloses a call that started GPU work; times are those of the ranges themselves"
                .to_owned(),
        );
    }
    if by == By::Scope && trace.program.scopes.is_empty() {
        return Some(
            "the program named no scope; `with weft.annotate(\"assembly\"):` names one in Python, `let scope = weft::annotate(\"assembly\");` in Rust"
                .to_owned(),
        );
    }
    if let (By::Line | By::Task | By::Operation | By::Scope, Some(note)) =
        (by, without_operation(trace))
    {
        return Some(note);
    }
    if let (By::Line | By::Task | By::Operation | By::Scope, Some(note)) =
        (by, without_kernels(trace))
    {
        return Some(note);
    }
    if let (By::Line | By::Task | By::Operation | By::Scope | By::Processor, Some(note)) =
        (by, without_device_times(trace))
    {
        return Some(note);
    }
    if by != By::Line {
        return None;
    }
    if line::is_by_message(trace) {
        return Some(
            "these inputs have no tasks; lines are taken from the messages of NVTX ranges, and each kernel counts for the innermost range around its launch"
                .to_owned(),
        );
    }
    let (tasks, time) = line::left_out(trace);
    (tasks > 0).then(|| {
        format!(
            "not shown: {tasks} tasks of the program itself, which have no line, with {:.3} s; --by task shows them",
            time as f64 / 1e9
        )
    })
}

/// Describes GPU tasks with unknown device time, and sources whose GPU tasks only have the times of
/// their issue although other sources have device times.
fn without_device_times(trace: &Trace) -> Option<String> {
    let gpus = processors(trace, ProcessorKind::Gpu);
    if gpus.is_empty() {
        return None;
    }
    let cost = Cost::new(trace, &Index::new(trace));
    let unknown: u64 = cost.tasks.iter().map(|times| times.unknown).sum();
    if unknown > 0 {
        let tasks = match unknown {
            1 => "1 task of a GPU has".to_owned(),
            several => format!("{several} tasks of GPUs have"),
        };
        return Some(format!(
            "{tasks} no recorded work there, so their device time is unknown and in no total; the column `unknown` counts them, and \
             `weft query` finds them as rows of weft_task_time without a time"
        ));
    }
    let known = DeviceTimes::new(trace).sources(trace);
    if known.is_empty() {
        return None;
    }
    let tasks = trace.work.tasks.iter();
    let issued: BTreeSet<SourceIndex> = tasks
        .filter(|task| gpus.contains(&(task.source, task.processor)))
        .map(|task| task.source)
        .filter(|source| !known.contains(source))
        .collect();
    let first = trace.sources.get(issued.first()?.0 as usize)?;
    let others = match issued.len() {
        1 => String::new(),
        several => format!(" and {} more inputs", several - 1),
    };
    Some(format!(
        "{}{others} recorded no work of GPUs, so the tasks of GPUs there count with the time of their issue, and those of the other inputs \
         with device time; record with --cupti to have device times of all",
        first.path.display()
    ))
}

/// Describes tasks whose operation has no record, and therefore no name and line.
fn without_operation(trace: &Trace) -> Option<String> {
    let index = Index::new(trace);
    let (mut count, mut lost, mut all) = (0_usize, 0_i64, 0_i64);
    for task in &trace.work.tasks {
        let time = (task.end - task.start).0;
        all = all.saturating_add(time);
        if index.operation(task.source, task.operation).is_none() {
            count += 1;
            lost = lost.saturating_add(time);
        }
    }
    let part = 100.0 * lost as f64 / all.max(1) as f64;
    let tasks = if count == 1 { "task has" } else { "tasks have" };
    (count > 0).then(|| {
        format!(
            "{count} {tasks} no name and no line ({part:.1} % of the time of tasks), because the records of their operations are missing; \
             where their kernels are known, the names of these are shown instead"
        )
    })
}

/// Describes tasks of CPUs that ran no kernel, in complete profiles of Weft. Only tasks of failed
/// operations, and of operations that needed their results, run none.
fn without_kernels(trace: &Trace) -> Option<String> {
    let whole = incomplete(&trace.sources, trace.quality.losses.iter()).is_empty();
    if !whole
        || trace
            .links
            .outcomes
            .iter()
            .any(|outcome| matches!(outcome, Outcome::Unmatched(_)))
    {
        return None;
    }
    let of_weft = |source: SourceIndex| {
        let source = trace.sources.get(source.0 as usize);
        source.is_some_and(|source| source.kind == SourceKind::WeftProf)
    };
    let launches = trace
        .links
        .outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Linked { launch, .. } => trace.work.launches.get(launch.0 as usize),
            Outcome::Unmatched(_) => None,
        });
    let ran: FxHashSet<(RunIndex, Uid)> = launches
        .flat_map(|launch| launch.served().map(|(uid, _)| (launch.run, uid)))
        .collect();
    let processors = trace.processors_by_id();
    let failed: Vec<&Task> = (trace.work.tasks.iter())
        .filter(|task| {
            of_weft(task.source) && !ran.contains(&(trace.run_of(task.source), task.uid))
        })
        .filter(|task| {
            let processor = processors.get(&(task.source, task.processor));
            processor.is_some_and(|processor| processor.kind != ProcessorKind::Gpu)
        })
        .collect();
    let first = failed.iter().min_by_key(|task| task.start)?;
    let index = Index::new(trace);
    let first = index.operation(first.source, first.operation);
    let first = first.and_then(|row| trace.program.operations.get(row))?;
    let line = place(trace, first.provenance).unwrap_or_else(|| "an unknown line".to_owned());
    let tasks = match failed.len() {
        1 => "1 task".to_owned(),
        several => format!("{several} tasks"),
    };
    Some(format!(
        "{tasks} of {} ran no kernel, because their operation failed or needed a result of one that did; the first is {} at {line}",
        trace.work.tasks.len(),
        trace.strings.get(first.name),
    ))
}

/// Returns whether no range of the table has work on a device.
fn projects_nothing(table: &Table) -> bool {
    let operations = table.column("operations");
    let mut cells = (table.rows().iter()).filter_map(|row| row.get(operations?));
    cells.all(|cell| *cell == Cell::Integer(0))
}

/// Returns another grouping that has rows for this trace, as advice; empty if there is none.
fn instead(trace: &Trace, by: By) -> String {
    let has_tasks = !trace.work.tasks.is_empty();
    let has = [
        (By::Line, by == By::Gap && has_tasks),
        (By::Task, has_tasks),
        (By::Kernel, !trace.devices.kernels.is_empty()),
        (By::RangeName, has_ranges(trace)),
    ];
    let other = has.into_iter().filter(|(what, has)| *has && *what != by);
    let other: Vec<String> = other
        .map(|(what, _)| format!("--by {}", what.name()))
        .collect();
    match other.is_empty() {
        true => String::new(),
        false => format!("try {}", other.join(" or ")),
    }
}
