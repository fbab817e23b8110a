//! Waits of the program and of tasks' bodies: their kinds, and the times of the awaited events.

use rustc_hash::FxHashMap;
use weft_model::{Recording, SourceIndex, WaitKind};
use weft_trace::id::Uid;
use weft_trace::record::RuntimeCallKind;
use weft_trace::time::Timestamp;

/// Returns the kind of wait for a recorded call; `None` if it is not a wait.
pub(super) fn kind(call: RuntimeCallKind, operation: Option<Uid>) -> Option<WaitKind> {
    match call {
        RuntimeCallKind::Wait if operation.is_some() => Some(WaitKind::Value),
        RuntimeCallKind::Wait => Some(WaitKind::All),
        RuntimeCallKind::Limit => Some(WaitKind::Limit),
        RuntimeCallKind::Agreement => Some(WaitKind::Agreement),
        RuntimeCallKind::Exchange => Some(WaitKind::Exchange),
        _ => None,
    }
}

/// Sets the times of the events that the program of a source, or the body of a task, waited for.
/// This is the end of the operation's last task, or of the last task that ended before the wait
/// did. If no such task is known, it is the end of the wait.
pub(super) fn find_ready(recording: &mut Recording, source: SourceIndex) {
    // For a task that waited for an event, the time is recorded.
    let is_ours =
        |wait: &&mut weft_model::Wait| wait.source == source && wait.kind != WaitKind::Event;
    if !recording.work.waits.iter_mut().any(|wait| is_ours(&wait)) {
        return;
    }
    let tasks = recording
        .work
        .tasks
        .iter()
        .filter(|task| task.source == source);
    let mut last: FxHashMap<Uid, Timestamp> = FxHashMap::default();
    let mut ends = Vec::new();
    for task in tasks {
        let end = last.entry(task.operation).or_insert(task.end);
        *end = task.end.max(*end);
        ends.push(task.end);
    }
    ends.sort_unstable();
    for wait in recording.work.waits.iter_mut().filter(is_ours) {
        let ready = match (wait.kind, wait.operation) {
            (WaitKind::Value, Some(operation)) => last.get(&operation).copied(),
            (WaitKind::All | WaitKind::Limit, _) => {
                let ended = ends.partition_point(|end| *end <= wait.end);
                ended.checked_sub(1).and_then(|at| ends.get(at)).copied()
            }
            _ => None,
        };
        // A clock that was set back can result in times out of order.
        let ready = ready.unwrap_or(wait.end).min(wait.end);
        wait.ready = ready.max(wait.start);
    }
}
