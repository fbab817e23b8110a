//! Maps from UIDs to rows.

use super::{LaunchIndex, Message, Recording, RunIndex, SourceIndex};
use rustc_hash::FxHashMap;
use weft_trace::id::Uid;

/// A task or copy that a launch executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Served {
    /// A row of [`Work::tasks`](crate::Work::tasks).
    Task(u32),
    /// A row of [`Work::copies`](crate::Work::copies). Both sides of a message lead to the same
    /// row.
    Copy(u32),
}

/// Maps from UIDs, which are unique within a run, to rows.
#[derive(Debug, Default)]
pub struct Index {
    operations: FxHashMap<(RunIndex, Uid), u32>,
    served: FxHashMap<(RunIndex, Uid), Served>,
    launches: FxHashMap<(RunIndex, Uid), LaunchIndex>,
    runs: Vec<RunIndex>,
}

impl Index {
    /// Builds the index of a recording.
    pub fn new(recording: &Recording) -> Self {
        let run = |source: SourceIndex| recording.run_of(source);
        let rows = |length: usize| 0..length as u32;
        let mut served: FxHashMap<_, _> = recording
            .work
            .tasks
            .iter()
            .zip(rows(recording.work.tasks.len()))
            .map(|(task, row)| ((run(task.source), task.uid), Served::Task(row)))
            .collect();
        for (copy, row) in recording
            .work
            .copies
            .iter()
            .zip(rows(recording.work.copies.len()))
        {
            served.insert((run(copy.source), copy.uid), Served::Copy(row));
            let message = copy
                .message
                .and_then(|row| recording.work.messages.get(row.0 as usize));
            for (_, side) in message.into_iter().flat_map(Message::sides) {
                served.insert((run(side.source), side.uid), Served::Copy(row));
            }
        }
        Index {
            operations: (recording.program.operations.iter())
                .zip(rows(recording.program.operations.len()))
                .map(|(operation, row)| ((operation.run, operation.uid), row))
                .collect(),
            served,
            launches: (recording.work.launches.iter())
                .zip(rows(recording.work.launches.len()))
                .map(|(launch, row)| ((launch.run, launch.uid), LaunchIndex(row)))
                .collect(),
            runs: recording.sources.iter().map(|source| source.run).collect(),
        }
    }

    /// Returns the run of a source.
    pub fn run(&self, source: SourceIndex) -> RunIndex {
        let run = self.runs.get(source.0 as usize);
        run.copied().unwrap_or(RunIndex(u32::MAX))
    }

    /// Returns the row of an operation that a row of `source` refers to.
    pub fn operation(&self, source: SourceIndex, uid: Uid) -> Option<usize> {
        let row = self.operations.get(&(self.run(source), uid));
        row.map(|row| *row as usize)
    }

    /// Returns the task or copy that a row of `source` refers to.
    pub fn served(&self, source: SourceIndex, uid: Uid) -> Option<Served> {
        self.served.get(&(self.run(source), uid)).copied()
    }

    /// Returns the launch that a row of `source` refers to.
    pub fn launch(&self, source: SourceIndex, uid: Uid) -> Option<LaunchIndex> {
        self.launches.get(&(self.run(source), uid)).copied()
    }
}
