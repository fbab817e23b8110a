//! The message of a launch's NVTX range, as in the runtime.

use crate::text::place;
use crate::{Index, Launch, Recording, Served};

/// A message and the name in it.
pub struct Message {
    /// The name of the first task.
    pub task: String,
    /// The text `<Task> <file:line>`, with `+N` if the launch serves N more tasks.
    pub text: String,
}

/// Returns the message of a launch.
pub fn compose(recording: &Recording, index: &Index, launch: &Launch) -> Message {
    let mut served = launch.served();
    let first = served.next();
    let more = served.count();
    let mut side = None;
    let operation = first.and_then(|(uid, _)| match index.served(launch.source, uid)? {
        Served::Task(row) => Some(recording.work.tasks.get(row as usize)?.operation),
        Served::Copy(row) => {
            let copy = recording.work.copies.get(row as usize)?;
            side = recording.side(copy, launch.source, uid);
            Some(copy.operation)
        }
    });
    let operation = operation.and_then(|uid| {
        recording
            .program
            .operations
            .get(index.operation(launch.source, uid)?)
    });
    let Some(operation) = operation else {
        return Message {
            task: "unknown".to_owned(),
            text: "unknown".to_owned(),
        };
    };
    let name = recording.strings.get(operation.name);
    let task = match side {
        Some(side) => side.name().to_owned(),
        None => name.to_owned(),
    };
    let mut text = task.clone();
    if let Some(place) = place(recording, operation.provenance) {
        text.push(' ');
        text.push_str(&place);
    }
    if more > 0 {
        text.push_str(&format!(" +{more}"));
    }
    Message { task, text }
}
