//! Rows that can only be completed once all files of a run are read: operations, and the rows that
//! belong to them.
//!
//! An index launch is one operation. Its slices and points have their own ids, and `SliceOwner`
//! leads from each to its owner. The owner may be in another file if the points ran on another node
//! than the launch.

use super::names::ObjectKind;
use super::rows::{File, OperationRow};
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{
    Launch, Operation, ProvenanceIndex, Recording, RunIndex, ShareOrigin, SourceIndex, StringIndex,
};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// The maximum number of steps from a point to its operation through nested slices. More indicates
/// a cycle.
const DEEPEST: usize = 64;

/// The time of an operation whose time is unknown.
const NEVER: Timestamp = Timestamp::from_nanos_since_legion_zero(i64::MAX);

/// The owners of slices and points.
struct Owners(FxHashMap<u64, u64>);

impl Owners {
    fn new(files: &mut [&mut File]) -> Self {
        let count = files.iter().map(|file| file.owners.len()).sum();
        let mut owners = FxHashMap::with_capacity_and_hasher(count, rustc_hash::FxBuildHasher);
        for file in files {
            owners.extend(std::mem::take(&mut file.owners));
        }
        Owners(owners)
    }

    fn is_part(&self, id: u64) -> bool {
        self.0.contains_key(&id)
    }

    /// Returns the operation of an id, which may be a slice or point of it.
    fn root(&self, mut id: u64) -> u64 {
        for _ in 0..DEEPEST {
            match self.0.get(&id) {
                Some(owner) => id = *owner,
                None => break,
            }
        }
        id
    }

    fn root_of(&self, uid: Uid) -> Uid {
        Uid::from_raw(self.root(uid.raw())).unwrap_or(uid)
    }
}

/// Completes the rows of the files of one run.
pub(super) fn run(recording: &mut Recording, run: RunIndex, files: &mut [&mut File]) {
    let owners = Owners::new(files);
    let mut operations = Operations {
        run,
        rows: FxHashMap::default(),
        named: FxHashSet::default(),
    };
    let mut parts = Vec::with_capacity(files.len());
    for file in files.iter_mut() {
        parts.push(operations.append(recording, file, &owners));
    }
    operations.append_unrecorded(recording, files, &owners, &parts);
    for file in files.iter_mut() {
        operations.take_tasks(recording, file, &owners);
        let roots = |id| owners.root(id);
        let first = recording.work.copies.len();
        let copies = &mut file.copies;
        copies.append(recording, file.source, &mut file.hardware.memories, roots);
        for copy in recording.work.copies.get(first..).unwrap_or_default() {
            operations.created(
                &mut recording.program.operations,
                copy.operation,
                copy.created,
            );
        }
        file.events
            .append(recording, file.source, |id| owners.root(id));
        let instances = recording.work.instances.get_mut(file.instances.clone());
        for instance in instances.unwrap_or_default() {
            instance.operation = instance.operation.map(|uid| owners.root_of(uid));
        }
        let partitionings = recording
            .work
            .partitionings
            .get_mut(file.partitionings.clone());
        for partitioning in partitionings.unwrap_or_default() {
            partitioning.operation = partitioning.operation.map(|uid| owners.root_of(uid));
            if let Some(uid) = partitioning.operation {
                operations.created(&mut recording.program.operations, uid, partitioning.created);
            }
        }
        let names = file.promised.resolve(recording, &mut file.names);
        let calls = recording.work.runtime_calls.get_mut(file.calls.clone());
        for call in calls.unwrap_or_default() {
            call.kind = names.get(call.kind.0 as usize).copied().unwrap_or_default();
            call.operation = call.operation.map(|uid| owners.root_of(uid));
            if let Some(uid) = call.operation {
                operations.created(&mut recording.program.operations, uid, call.start);
            }
        }
    }
    operations.date_the_rest(recording, files);
}

/// The operations of a run.
struct Operations {
    run: RunIndex,
    /// Rows of [`Program::operations`](weft_model::Program::operations).
    rows: FxHashMap<u64, u32>,
    /// Operations that are named after their task.
    named: FxHashSet<u64>,
}

impl Operations {
    /// Appends the operations of a file; returns its slices and points.
    fn append(
        &mut self,
        recording: &mut Recording,
        file: &mut File,
        owners: &Owners,
    ) -> Vec<OperationRow> {
        let mut launches: FxHashMap<u64, StringIndex> = FxHashMap::default();
        for (id, task) in std::mem::take(&mut file.index_launches) {
            if !owners.is_part(id) {
                launches.insert(id, file.names.name(recording, ObjectKind::Task, task));
            }
        }
        let mut steps = std::mem::take(&mut file.steps);
        let whole = steps.iter().filter(|step| !owners.is_part(step.id)).count();
        recording.program.operations.reserve_exact(whole);
        self.rows.reserve(whole);
        steps.retain(|step| {
            if owners.is_part(step.id) {
                return true;
            }
            let name = match launches.get(&step.id) {
                Some(name) => {
                    self.named.insert(step.id);
                    *name
                }
                None => (file.names).name(recording, ObjectKind::Operation, step.kind.into()),
            };
            let provenance = place(recording, file, step);
            let parent = Uid::from_raw(owners.root(step.parent));
            self.push(recording, file.source, step.id, (name, provenance, parent));
            false
        });
        steps
    }

    /// Appends an operation, unless it has a row.
    fn push(
        &mut self,
        recording: &mut Recording,
        source: SourceIndex,
        id: u64,
        (name, provenance, parent): (StringIndex, ProvenanceIndex, Option<Uid>),
    ) {
        let Some(uid) = Uid::from_raw(id) else {
            return;
        };
        let row = recording.program.operations.len() as u32;
        if *self.rows.entry(id).or_insert(row) == row {
            recording.program.operations.push(Operation {
                source,
                run: self.run,
                uid,
                parent,
                name,
                provenance,
                created: NEVER,
                tasks: 0,
                scope: Default::default(),
                stack: Default::default(),
                call: 0,
                shape: Box::default(),
            });
        }
    }

    /// Appends operations for tasks without a recorded one: the top-level task, and points whose
    /// launch is in a file that was not given.
    fn append_unrecorded(
        &mut self,
        recording: &mut Recording,
        files: &mut [&mut File],
        owners: &Owners,
        parts: &[Vec<OperationRow>],
    ) {
        for (file, parts) in files.iter_mut().zip(parts) {
            let steps: FxHashMap<u64, OperationRow> =
                self.of_unrecorded(recording, file, owners, parts);
            for row in 0..file.task_ids.len() {
                let (Some(task), Some(id)) = (
                    recording.work.tasks.get(file.tasks.start + row),
                    file.task_ids.get(row).copied(),
                ) else {
                    continue;
                };
                let point = task.uid.raw();
                let root = owners.root(point);
                if self.rows.contains_key(&root) {
                    continue;
                }
                let step = steps.get(&point);
                let name = file.names.name(recording, ObjectKind::Task, id);
                let provenance =
                    step.map_or(ProvenanceIndex(0), |step| place(recording, file, step));
                let parent = step.and_then(|step| Uid::from_raw(owners.root(step.parent)));
                self.push(recording, file.source, root, (name, provenance, parent));
            }
        }
    }

    /// Returns the slices and points of a file that are tasks of operations without a row.
    fn of_unrecorded(
        &self,
        recording: &Recording,
        file: &File,
        owners: &Owners,
        parts: &[OperationRow],
    ) -> FxHashMap<u64, OperationRow> {
        if parts.is_empty() {
            return FxHashMap::default();
        }
        let tasks = recording
            .work
            .tasks
            .get(file.tasks.clone())
            .unwrap_or_default();
        let points = tasks.iter().map(|task| task.uid.raw());
        let points: FxHashSet<u64> = points
            .filter(|point| !self.rows.contains_key(&owners.root(*point)))
            .collect();
        let steps = parts.iter().filter(|step| points.contains(&step.id));
        steps.map(|step| (step.id, *step)).collect()
    }

    /// Sets the operations of a file's tasks, and creates a launch for each task.
    fn take_tasks(&mut self, recording: &mut Recording, file: &mut File, owners: &Owners) {
        let mut names = FxHashMap::default();
        for id in &file.task_ids {
            if !names.contains_key(id) {
                names.insert(*id, file.names.name(recording, ObjectKind::Task, *id));
            }
        }
        let tasks = recording
            .work
            .tasks
            .get_mut(file.tasks.clone())
            .unwrap_or_default();
        recording.work.launches.reserve(tasks.len());
        for (task, id) in tasks.iter_mut().zip(&file.task_ids) {
            let root = owners.root(task.uid.raw());
            task.operation = Uid::from_raw(root).unwrap_or(task.uid);
            let row = self.rows.get(&root);
            if let Some(operation) =
                row.and_then(|row| recording.program.operations.get_mut(*row as usize))
            {
                if operation.tasks == 0 && !self.named.contains(&root) {
                    operation.name = names.get(id).copied().unwrap_or_default();
                }
                task.point = operation.tasks;
                operation.tasks += 1;
                operation.created = operation.created.min(task.created);
            }
            recording.work.launches.push(Launch {
                source: task.source,
                run: self.run,
                uid: task.uid,
                processor: task.processor,
                start: task.start,
                end: task.end,
                shares: Box::default(),
                split: ShareOrigin::Measured,
            });
        }
        file.task_ids = Vec::new();
    }

    /// Moves the creation of an operation to `at` if it is later: work for the operation shows that
    /// it existed.
    fn created(&self, operations: &mut [Operation], uid: Uid, at: Timestamp) {
        let row = self.rows.get(&uid.raw());
        if let Some(operation) = row.and_then(|row| operations.get_mut(*row as usize)) {
            operation.created = operation.created.min(at);
        }
    }

    /// Sets the creation of operations without any work to the start of their file's first task.
    fn date_the_rest(&self, recording: &mut Recording, files: &[&mut File]) {
        let first = |file: &&mut File| {
            let tasks = recording
                .work
                .tasks
                .get(file.tasks.clone())
                .unwrap_or_default();
            let first = tasks.iter().map(|task| task.created).min();
            (file.source, first.unwrap_or_default())
        };
        let first: FxHashMap<SourceIndex, Timestamp> = files.iter().map(first).collect();
        for operation in &mut recording.program.operations {
            if operation.created == NEVER
                && operation.run == self.run
                && let Some(first) = first.get(&operation.source)
            {
                operation.created = *first;
            }
        }
    }
}

fn place(recording: &mut Recording, file: &mut File, step: &OperationRow) -> ProvenanceIndex {
    if step.place == ProvenanceIndex(0) {
        file.names.place(recording, step.provenance)
    } else {
        step.place
    }
}
