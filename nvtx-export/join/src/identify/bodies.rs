//! The tasks that the message of a range may refer to.

use super::text;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{
    Index, ProvenanceIndex, RangeRow, Recording, SourceIndex, SourceKind, StringIndex, process_of,
};
use weft_trace::id::ProcessorId;
use weft_trace::time::Timestamp;

/// Rows of tasks by processor, each sorted by start.
pub(crate) type Pool = Vec<(ProcessorId, Vec<u32>)>;

/// Tasks of profiles, by the messages of ranges around them.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    texts: FxHashMap<StringIndex, Vec<(SourceIndex, Pool)>>,
    files: FxHashMap<StringIndex, Vec<SourceIndex>>,
}

impl Candidates {
    /// Collects the tasks of Legion Prof profiles in a trace that match messages of its ranges.
    pub(crate) fn new(recording: &Recording, index: &Index) -> Self {
        let is_legion = |source: SourceIndex| {
            let row = recording.sources.get(source.0 as usize);
            row.is_some_and(|row| row.kind == SourceKind::LegionProf)
        };
        let mut bodies = Candidates::default();
        let sources = (0..recording.sources.len() as u32).map(SourceIndex);
        if !sources.into_iter().any(is_legion) {
            return bodies;
        }
        let eligible = recording
            .work
            .ranges
            .iter()
            .filter(|range| is_eligible(range));
        let messages: FxHashSet<StringIndex> = eligible.map(|range| range.text).collect();
        if messages.is_empty() {
            return bodies;
        }
        let mut groups: FxHashMap<Group, Vec<u32>> = FxHashMap::default();
        for (row, task) in (0..).zip(&recording.work.tasks) {
            if !is_legion(task.source) {
                continue;
            }
            let operation = index.operation(task.source, task.operation);
            if let Some(operation) = operation.and_then(|row| recording.program.operations.get(row))
            {
                let group = (task.source, operation.name, operation.provenance);
                groups.entry(group).or_default().push(row);
            }
        }
        let named = GroupsByMessage::new(recording, &groups);
        for message in messages {
            for group in named.groups(recording.strings.get(message)) {
                if let Some(rows) = groups.get(group) {
                    bodies.add(recording, message, group.0, rows);
                }
            }
        }
        bodies.sort(recording);
        bodies
    }

    fn add(
        &mut self,
        recording: &Recording,
        message: StringIndex,
        file: SourceIndex,
        rows: &[u32],
    ) {
        let pools = self.texts.entry(message).or_default();
        let at = pools.iter().position(|(known, _)| *known == file);
        let at = at.unwrap_or_else(|| {
            pools.push((file, Pool::new()));
            self.files.entry(message).or_default().push(file);
            pools.len() - 1
        });
        let Some((_, pool)) = pools.get_mut(at) else {
            return;
        };
        for &row in rows {
            let Some(task) = recording.work.tasks.get(row as usize) else {
                continue;
            };
            match pool.iter_mut().find(|(id, _)| *id == task.processor) {
                Some((_, rows)) => rows.push(row),
                None => pool.push((task.processor, vec![row])),
            }
        }
    }

    fn sort(&mut self, recording: &Recording) {
        for (_, pool) in self.texts.values_mut().flatten() {
            pool.sort_by_key(|(processor, _)| *processor);
            for (_, rows) in pool {
                rows.sort_by_key(|row| {
                    let task = recording.work.tasks.get(*row as usize);
                    task.map(|task| (task.start, task.end))
                });
            }
        }
    }

    /// Returns the profiles with a task that matches this range.
    pub(crate) fn files(&self, range: &RangeRow) -> &[SourceIndex] {
        if !is_eligible(range) {
            return &[];
        }
        self.files.get(&range.text).map_or(&[], |files| files)
    }

    /// Returns all profiles with tasks that match ranges.
    pub(crate) fn sources(&self) -> impl Iterator<Item = SourceIndex> {
        let mut sources: Vec<SourceIndex> = self.files.values().flatten().copied().collect();
        sources.sort_unstable();
        sources.dedup();
        sources.into_iter()
    }

    fn pool(&self, file: SourceIndex, message: StringIndex) -> &[(ProcessorId, Vec<u32>)] {
        let pools = self.texts.get(&message).map_or(&[][..], |pools| pools);
        let pool = pools.iter().find(|(known, _)| *known == file);
        pool.map_or(&[], |(_, pool)| pool)
    }
}

/// Tasks of one file with one name and provenance.
type Group = (SourceIndex, StringIndex, ProvenanceIndex);

/// Groups by message.
struct GroupsByMessage {
    whole: FxHashMap<String, Vec<Group>>,
    /// Groups by name only, for programs whose ranges have no provenance.
    bare: FxHashMap<String, Vec<Group>>,
}

impl GroupsByMessage {
    fn new(recording: &Recording, groups: &FxHashMap<Group, Vec<u32>>) -> Self {
        let mut named = GroupsByMessage {
            whole: FxHashMap::default(),
            bare: FxHashMap::default(),
        };
        for group in groups.keys() {
            for text in text::messages(recording, group.1, group.2) {
                named.whole.entry(text).or_default().push(*group);
            }
            let name = recording.strings.get(group.1).to_owned();
            named.bare.entry(name).or_default().push(*group);
        }
        named
    }

    fn groups(&self, message: &str) -> &[Group] {
        let groups = self.whole.get(message).or_else(|| self.bare.get(message));
        groups.map_or(&[], |groups| groups)
    }
}

/// Returns whether a range may be Legate's: pushed in the default domain and without a payload.
fn is_eligible(range: &RangeRow) -> bool {
    range.domain == StringIndex::default() && range.launch.is_none() && range.end_thread.is_none()
}

/// The ranges of one process that match tasks of one file.
pub(crate) struct Case<'a> {
    recording: &'a Recording,
    bodies: &'a Candidates,
    file: SourceIndex,
    /// Rows of ranges, sorted by start.
    rows: Vec<u32>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(
        recording: &'a Recording,
        bodies: &'a Candidates,
        file: SourceIndex,
        session: SourceIndex,
        process: i64,
    ) -> Self {
        let ranges = (0..).zip(&recording.work.ranges);
        let mut rows: Vec<u32> = ranges
            .filter(|(_, range)| {
                range.source == session
                    && process_of(range.thread) == process
                    && bodies.files(range).contains(&file)
            })
            .map(|(row, _)| row)
            .collect();
        rows.sort_by_key(|row| {
            let range = recording.work.ranges.get(*row as usize);
            range.map(|range| (range.start, range.end))
        });
        Case {
            recording,
            bodies,
            file,
            rows,
        }
    }

    /// Returns the rows of the ranges, sorted by start.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the number of ranges.
    pub(crate) fn ranges(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of tasks that match at least one range.
    pub(crate) fn tasks(&self) -> usize {
        let messages: FxHashSet<StringIndex> =
            self.rows.iter().filter_map(|row| self.text(*row)).collect();
        let tasks: FxHashSet<u32> = messages
            .into_iter()
            .flat_map(|message| self.bodies.pool(self.file, message))
            .flat_map(|(_, rows)| rows.iter().copied())
            .collect();
        tasks.len()
    }

    /// Returns the thread of a range.
    pub(crate) fn thread(&self, row: u32) -> Option<i64> {
        Some(self.recording.work.ranges.get(row as usize)?.thread)
    }

    /// Returns the times of a range.
    pub(crate) fn range(&self, row: u32) -> Option<(Timestamp, Timestamp)> {
        let range = self.recording.work.ranges.get(row as usize)?;
        Some((range.start, range.end))
    }

    /// Returns the times of a task.
    pub(crate) fn task(&self, row: u32) -> Option<(Timestamp, Timestamp)> {
        let task = self.recording.work.tasks.get(row as usize)?;
        Some((task.start, task.end))
    }

    /// Returns the tasks that a range may refer to.
    pub(crate) fn pool(&self, row: u32) -> &[(ProcessorId, Vec<u32>)] {
        let message = self.text(row);
        message.map_or(&[], |message| self.bodies.pool(self.file, message))
    }

    fn text(&self, row: u32) -> Option<StringIndex> {
        Some(self.recording.work.ranges.get(row as usize)?.text)
    }
}
