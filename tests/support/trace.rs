//! A `.prof` file as plain rows: a separate reader for tests, which shares nothing with the export.

use std::collections::HashMap;
use std::path::Path;

use weft_trace::file::{Losses, Prof};
use weft_trace::id::{InstanceUid, LaunchUid, OperationUid, ProcessorId, ProvenanceId, TaskUid};
use weft_trace::record::{self, Instance, Kernel, Processor, Provenance, Record, Task};
use weft_trace::time::Timestamp;

/// One run's records, by kind.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// The number of records that could be read.
    pub(crate) records: u64,
    pub(crate) losses: Losses,
    pub(crate) operations: Vec<Operation>,
    /// The tile of a task of a cut operation, by operation and point.
    pub(crate) tiles: HashMap<(OperationUid, u32), Vec<(u64, u64)>>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) kernels: Vec<Kernel>,
    /// The number of operations that ran inline on the program's thread, and left one record each.
    pub(crate) immediates: u64,
    /// Later task, earlier task.
    pub(crate) dependencies: Vec<(TaskUid, TaskUid)>,
    pub(crate) processors: HashMap<ProcessorId, Processor>,
    pub(crate) memories: Vec<u16>,
    /// Stores by UID, with the place of the call that made them.
    pub(crate) stores: HashMap<u64, ProvenanceId>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) instance_ends: Vec<(InstanceUid, Timestamp)>,
    names: HashMap<u32, String>,
    places: HashMap<ProvenanceId, Provenance>,
}

/// An operation.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) uid: OperationUid,
    pub(crate) name: u32,
    pub(crate) provenance: ProvenanceId,
    pub(crate) tasks: u32,
    pub(crate) shape: Vec<u64>,
}

/// A launch.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) uid: LaunchUid,
    pub(crate) processor: ProcessorId,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    /// The tasks it serves, each with its share.
    pub(crate) shares: Vec<(TaskUid, f64)>,
}

/// Returns the tasks that a launch serves. A launch without shares serves its own task.
fn served(launch: &record::Launch<'_>) -> Vec<(TaskUid, f64)> {
    match launch.shares.iter().collect::<Vec<_>>() {
        none if none.is_empty() => vec![(TaskUid(launch.uid.0), 1.0)],
        shares => shares,
    }
}

impl Trace {
    /// Reads a file, finished or not.
    pub(crate) fn read(path: &Path) -> Trace {
        let prof = Prof::open(path).expect("a .prof file");
        let mut trace = Trace {
            losses: prof.losses(),
            ..Trace::default()
        };
        for record in prof.records() {
            trace.records += 1;
            trace.add(record);
        }
        trace
    }

    fn add(&mut self, record: Record<'_>) {
        match record {
            Record::Name(name) => drop(self.names.insert(name.id.0, name.text.to_owned())),
            Record::Provenance(place) => drop(self.places.insert(place.id, place)),
            Record::Processor(processor) => {
                self.processors.insert(processor.id, processor);
            }
            Record::Memory(memory) => self.memories.push(memory.id.0),
            Record::Operation(operation) => self.operations.push(Operation {
                uid: operation.uid,
                name: operation.name.0,
                provenance: operation.provenance,
                tasks: operation.tasks,
                shape: operation.shape.iter().collect(),
            }),
            Record::Tile(tile) => {
                let key = (tile.operation, tile.point);
                let before = self.tiles.insert(key, tile.bounds.iter().collect());
                assert_eq!(before, None, "a tile of {key:?} is there twice");
            }
            Record::Task(task) => self.tasks.push(task),
            Record::Launch(launch) => self.launches.push(Launch {
                uid: launch.uid,
                processor: launch.processor,
                start: launch.start,
                end: launch.end,
                shares: served(&launch),
            }),
            Record::Kernel(kernel) => self.kernels.push(kernel),
            Record::Immediate(immediate) => {
                self.immediates += 1;
                let (operation, task, launch, kernel) = immediate.parts();
                self.add(Record::Operation(operation));
                self.add(Record::Task(task));
                self.add(Record::Launch(launch));
                self.add(Record::Kernel(kernel));
            }
            Record::Dependencies(edges) => {
                let edges = edges.on.iter().map(|(earlier, _)| (edges.task, earlier));
                self.dependencies.extend(edges);
            }
            Record::Store(store) => {
                self.stores.insert(store.uid.raw(), store.provenance);
            }
            Record::Instance(instance) => self.instances.push(instance),
            Record::InstanceEnd(end) => self.instance_ends.push((end.uid, end.destroyed)),
            _ => {}
        }
    }

    /// Returns the text of a name.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// Returns file and line of a place in the program.
    pub(crate) fn place(&self, id: ProvenanceId) -> Option<(&str, u32)> {
        let place = self.places.get(&id)?;
        Some((self.name(place.file.0), place.line))
    }

    /// Returns operations by UID.
    pub(crate) fn operations_by_uid(&self) -> HashMap<OperationUid, &Operation> {
        let operations = self.operations.iter();
        let by_uid: HashMap<_, _> = operations
            .map(|operation| (operation.uid, operation))
            .collect();
        assert_eq!(by_uid.len(), self.operations.len(), "UIDs are unique");
        by_uid
    }

    /// Returns tasks by UID.
    pub(crate) fn tasks_by_uid(&self) -> HashMap<TaskUid, &Task> {
        let by_uid: HashMap<_, _> = self.tasks.iter().map(|task| (task.uid, task)).collect();
        assert_eq!(by_uid.len(), self.tasks.len(), "UIDs are unique");
        by_uid
    }

    /// Returns the launch of each task; every task is served by one.
    pub(crate) fn launches_by_task(&self) -> HashMap<TaskUid, &Launch> {
        let mut by_task = HashMap::new();
        for launch in &self.launches {
            for (task, _) in &launch.shares {
                let before = by_task.insert(*task, launch);
                assert!(before.is_none(), "{task} has {before:?} and {launch:?}");
            }
        }
        by_task
    }

    /// Returns the number of launches that serve several tasks.
    pub(crate) fn fused(&self) -> usize {
        let launches = self.launches.iter();
        launches.filter(|launch| launch.shares.len() > 1).count()
    }

    /// Returns the largest number of tasks of an operation.
    pub(crate) fn most_tasks(&self) -> u32 {
        let tasks = self.operations.iter().map(|operation| operation.tasks);
        tasks.max().unwrap_or(0)
    }
}
