//! The critical path: the chain of work, waits and delays that set the length of a run.
//!
//! # The rule
//!
//! The path is walked backwards from what ended last, over all ranks, so that each instant of the run has one cause:
//!
//! 1. **While something ran, the time is its own.** Of work on a GPU these are the times of its kernels.
//! 2. **What had not begun was held up by the latest of its causes**, and the time since then is `queue`: it could begin, and had not.
//!    The causes are
//!    - the ends of the tasks, copies and messages that it depends on, as recorded;
//!    - what made it: of work on a GPU, its issue; else the end of the runtime's analysis of its operation, or the program's call where
//!      nothing was analysed;
//!    - the work before it in its place. A CPU worker, an OMP group and the thread that issues work do one thing at a time; on a GPU the
//!      place is the stream, so that work in different streams is tied by dependences alone.
//!
//!    Of causes that ended at the same time the first of this list counts.
//! 3. **The analysis** of an operation was held up by the analysis before it on its thread, or by the program's call; of operations that are
//!    done together, by the last of their calls.
//! 4. **The program** runs one thing after the other: operations that run at once, analysis where there is no thread for it, and its own work in
//!    between, which counts for its next call. It is held up only where it waits. Then the time until what it waited for had come belongs to
//!    that, and the rest is `wait`: of a value, its operation's last task; of all, or of room for more operations, the work that ended last
//!    before it went on; of other ranks, the program of the rank that came last. Where that is not known, all of it is `wait`.
//! 5. Of a message both sides are looked at, so that the path goes from rank to rank. The parts of a collective call are one.
//! 6. Where no cause is known, the path goes on in the program's thread.
//!
//! A cause that is recorded to have ended after what it held up, because clocks are off, counts as ending then.
//!
//! Runs of Legion have the same rule over Realm's events: what ran was held up by the event it waited for last, by what asked for it, or by what ran
//! before on its processor. An event is set off by the last of the events that it waits for, or else by the activity that triggered it, at
//! that moment. Activities that wait, such as the top-level task, are as the program in 4. Profiles that were written without the graph of events
//! have no path: see [`missing`].

pub mod legion;
pub mod pieces;
mod split;
mod walk;

use std::path::Path;
use weft_model::{PathStep, Source, SourceKind, Trace};

/// Returns the steps, earliest first. Those of one launch follow each other, one for each task it
/// served, with a part by its share. Takes n log n time. Of a trace that was read back, those that
/// were written. Empty where [`missing`] says why.
pub fn path(trace: &Trace) -> Vec<PathStep> {
    match &trace.links.critical_path {
        _ if missing(trace).is_some() => Vec::new(),
        Some(path) => path.clone(),
        None => walk::walk(trace),
    }
}

/// Why there is no path though there is work: between the ends of one run and the start of another nothing has a cause, and a profile of
/// Legion without its graph of events says nothing about causes.
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

/// Returns the Legion profile that a database was made of, whose graph of events was recorded: the
/// database has its critical path, and not the graph.
pub fn legion_graph_left_out(trace: &Trace) -> Option<&Path> {
    if !trace.work.events.activities.is_empty() || !has_legion_graph(trace) {
        return None;
    }
    legion_profile(trace)
}

/// The property that says whether profiles of Legion have their graph of events: `recorded` or `absent`. It is written beside a path, which may
/// be empty for either reason.
const LEGION_GRAPH: &str = "legion_event_graph";

/// What [`LEGION_GRAPH`] says of a trace with such a graph.
const RECORDED: &str = "recorded";

/// That property with its value; `None` of a trace without profiles of Legion.
pub fn legion_graph_fact(trace: &Trace) -> Option<(&'static str, &'static str)> {
    let is_legion = |source: &Source| source.kind == SourceKind::LegionProf;
    trace.sources.iter().find(|source| is_legion(source))?;
    let graph = match has_legion_graph(trace) {
        true => RECORDED,
        false => "absent",
    };
    Some((LEGION_GRAPH, graph))
}

/// Returns whether profiles of Legion say what their work waited for. The graph itself is not in a
/// database.
fn has_legion_graph(trace: &Trace) -> bool {
    match (
        &trace.links.critical_path,
        trace.quality.meta.get(LEGION_GRAPH),
    ) {
        (None, _) => !trace.work.events.triggers.is_empty(),
        (Some(_), Some(said)) => said == RECORDED,
        // Databases before version 2.4 do not say. A run with tasks and a graph has a path.
        (Some(path), None) => !path.is_empty(),
    }
}
