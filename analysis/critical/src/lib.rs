//! The critical path: the chain of work, waits and delays that determined the length of a run.
//!
//! # The rule
//!
//! The path is walked backwards from the last end, over all ranks, so that each instant of the run
//! has one cause:
//!
//! 1. **While something ran, the time is its own.** For work on a GPU, these are the times of its
//!    kernels.
//! 2. **The start of work was delayed by the latest of its causes.** The time since that cause is
//!    `queue`: the work was ready, but had not begun. The causes are:
//!    - The ends of its predecessors: tasks, copies and messages, as recorded.
//!    - Its creation. For work on a GPU, this is its issue. For other work, it is the end of the
//!      runtime's analysis of its operation, or the program's call if nothing was analysed.
//!    - The work before it in its place. A CPU worker, an OMP group and the thread that issues work
//!      do one thing at a time. On a GPU the place is the stream, so work in different streams is
//!      only ordered by dependences.
//!
//!    Of causes with equal times, the first of this list counts.
//! 3. **The analysis** of an operation was delayed by the analysis before it on its thread, or by
//!    the program's call. For operations that share launches, it was the last of their calls.
//! 4. **The program** does one thing after the other: operations that run at once, analysis if it
//!    has no thread of its own, and its own work, which counts for its next call. Only waits delay
//!    it. The time until the awaited event belongs to that event, and the rest is `wait`. The event
//!    depends on the kind of wait:
//!    - For a value, the end of its operation's last task.
//!    - For all operations, or for room for more operations, the last end of work before the
//!      program resumed.
//!    - For other ranks, the program of the rank that arrived last.
//!
//!    If the event is unknown, all of the time is `wait`.
//! 5. Both sides of a message are considered, so the path can pass from rank to rank. The parts of
//!    a collective call are one.
//! 6. If no cause is known, the path continues in the program's thread.
//!
//! A cause whose recorded end is after the start that it delayed, because clocks are inaccurate,
//! counts as ending then.
//!
//! Runs of Legion have the same rule for Realm's events. An activity was delayed by the last event
//! that it waited for, by the activity that requested it, or by the activity before it on its
//! processor. An event is triggered by the last of the events that it waits for, or by the activity
//! that triggered it, at that time. Activities that wait, such as the top-level task, are treated
//! like the program in 4. Profiles that were written without the graph of events have no path: see
//! [`missing`].

mod cause;
pub mod legion;
pub mod pieces;
mod split;
mod walk;

use std::path::Path;
use weft_model::{PathStep, Source, SourceKind, Trace};

/// Returns the steps, earliest first. The steps of a launch are consecutive, one for each task that
/// it served, with a part by its share. Takes time proportional to n log n. For a trace that was
/// read back, returns the written steps. Empty if [`missing`] returns a reason.
pub fn path(trace: &Trace) -> Vec<PathStep> {
    match &trace.links.critical_path {
        _ if missing(trace).is_some() => Vec::new(),
        Some(path) => path.clone(),
        None => walk::walk(trace),
    }
}

/// Returns why there is no path although there is work. Nothing causes the time between one run and
/// another, and a profile of Legion without its graph of events has no causes.
pub fn missing(trace: &Trace) -> Option<String> {
    let mut runs = trace
        .work
        .tasks
        .iter()
        .map(|task| trace.run_of(task.source));
    let first = runs.next();
    if runs.any(|run| Some(run) != first) {
        return Some(
            "these inputs are of several runs, which have no critical path in common; give the inputs of one run"
                .to_owned(),
        );
    }
    if has_legion_graph(trace) {
        return None;
    }
    let profile = legion_profile(trace)?;
    Some(format!(
        "{} has no Legion event graph, so it does not show what its tasks waited for; record again without -lg:prof_no_critical_paths",
        profile.display()
    ))
}

/// Returns the first profile of Legion that has tasks.
fn legion_profile(trace: &Trace) -> Option<&Path> {
    let has_tasks = |index: u32| trace.work.tasks.iter().any(|task| task.source.0 == index);
    let mut sources = (0..).zip(&trace.sources);
    let (_, source) = sources
        .find(|(index, source)| source.kind == SourceKind::LegionProf && has_tasks(*index))?;
    Some(&source.path)
}

/// Returns the Legion profile of a database whose graph of events was recorded. The database has
/// its critical path, but not the graph.
pub fn legion_graph_left_out(trace: &Trace) -> Option<&Path> {
    if !trace.work.events.activities.is_empty() || !has_legion_graph(trace) {
        return None;
    }
    legion_profile(trace)
}

/// The property that states whether profiles of Legion have their graph of events: `recorded` or
/// `absent`. It accompanies a path, which may be empty for either reason.
const LEGION_GRAPH: &str = "legion_event_graph";

/// The value of [`LEGION_GRAPH`] for a trace with such a graph.
const RECORDED: &str = "recorded";

/// Returns that property with its value; `None` for a trace without profiles of Legion.
pub fn legion_graph_fact(trace: &Trace) -> Option<(&'static str, &'static str)> {
    let is_legion = |source: &Source| source.kind == SourceKind::LegionProf;
    trace.sources.iter().find(|source| is_legion(source))?;
    let graph = match has_legion_graph(trace) {
        true => RECORDED,
        false => "absent",
    };
    Some((LEGION_GRAPH, graph))
}

/// Returns whether profiles of Legion recorded the causes of their work. The graph itself is not in
/// a database.
fn has_legion_graph(trace: &Trace) -> bool {
    match (
        &trace.links.critical_path,
        trace.quality.meta.get(LEGION_GRAPH),
    ) {
        (None, _) => !trace.work.events.triggers.is_empty(),
        (Some(_), Some(said)) => said == RECORDED,
        // Databases before version 2.4 do not have the property. A run with tasks and a graph has a
        // path.
        (Some(path), None) => !path.is_empty(),
    }
}
