//! From operations to tasks: cutting, naming, finding dependences. One thread at a time, in program order.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_config::Level;
use weft_trace::id::{ProcessorId, TaskUid};
use weft_trace::record::{self, DependencyKind, Edges};
use weft_trace::time::Timestamp;

use super::{Access, Task};
use crate::memory::{Region, Store};
use crate::observe::{Names, Subsystem};
use crate::operation::{Labels, Operand, Operation};
use crate::partition::{Cut, Cuts};
use crate::runtime::Core;

/// Edges in one record; a task with more gets several.
const EDGES: usize = 4096;

/// What the analysis remembers between operations.
#[derive(Default)]
pub(crate) struct Analysis {
    names: Names,
    tasks: Vec<Arc<Task>>,
    edges: Vec<(Arc<Task>, DependencyKind)>,
    written: Vec<(TaskUid, DependencyKind)>,
    /// When the last operation's analysis ended, where the next one follows at once: one reading of the clock less.
    last: Option<Timestamp>,
}

impl Analysis {
    /// The strings and positions numbered so far.
    pub(crate) fn names(&mut self) -> &mut Names {
        &mut self.names
    }

    /// Says that time has passed since the last operation.
    pub(crate) fn begin_batch(&mut self) {
        self.last = None;
    }

    /// Turns an operation into tasks and queues those that wait for nothing.
    pub(crate) fn analyse(&mut self, core: &Core, operation: Arc<Operation>, on: ProcessorId) {
        let recorder = &core.recorder;
        let start = self.last.unwrap_or_else(|| recorder.now());
        let cuts = core.cuts(&operation.shape, operation.body.grain());
        operation.begin(cuts.count());
        operation.bind();
        // Not to cut takes no time worth reading the clock for.
        core.log.say(
            Subsystem::Analysis,
            Level::Debug,
            format_args!(
                "{} {}:{} of shape {:?}: operation {}, {} tasks",
                operation.name(),
                operation.call().file(),
                operation.call().line(),
                operation.shape,
                operation.uid,
                cuts.count(),
            ),
        );
        let partitioned = if cuts.count() > 1 {
            recorder.now()
        } else {
            start
        };
        if recorder.is_on() || core.nvtx.is_some() {
            self.describe(core, &operation, &cuts);
        }
        let created = recorder.now();
        for point in 0..cuts.count() {
            let uid = TaskUid(core.uids.next());
            let cut = cuts.get(point);
            self.tasks.push(Task::new(
                uid,
                operation.clone(),
                point as u32,
                cut,
                created,
                core.gpus.is_some(),
            ));
        }
        let tasks = std::mem::take(&mut self.tasks);
        for task in &tasks {
            self.connect(core, &operation, task);
        }
        let uid = operation.uid;
        drop(operation);
        // Read after the last look at what the tasks must wait for: none of that ended later and was passed over.
        let ended = recorder.now();
        core.ready_queue()
            .push(tasks.iter().filter(|task| task.release(ended)).cloned());
        self.tasks = tasks;
        self.tasks.clear();
        if recorder.is_on() {
            recorder.write(&record::Planning {
                operation: uid,
                processor: on,
                start,
                partitioned,
                mapped: created,
                end: ended,
            });
            self.last = Some(ended);
        }
    }

    /// Writes down what the operation is, and gives it the labels its tasks will carry.
    fn describe(&mut self, core: &Core, operation: &Operation, cuts: &Cuts) {
        let recorder = &core.recorder;
        let names = &mut self.names;
        let call = names.call(recorder, operation, core.plan.provenance);
        let message = core
            .nvtx
            .as_ref()
            .map(|nvtx| nvtx.message(operation.name(), operation.location(core.plan.provenance)));
        operation.label(Labels {
            kernel: call.kernel,
            message,
        });
        let shape = operation.shape.dims().iter().map(|extent| *extent as u64);
        recorder.write(&record::Operation {
            uid: operation.uid,
            parent: operation.parent,
            name: call.name,
            provenance: call.provenance,
            created: operation.created,
            tasks: cuts.count() as u32,
            shape: record::List::Items(&shape.collect::<SmallVec<[u64; 8]>>()),
        });
        if cuts.count() > 1 {
            for point in 0..cuts.count() {
                tile(core, operation, point, &cuts.get(point));
            }
        }
        for operand in &operation.operands {
            if let Operand::Array { store, access, .. } = operand
                && *access != Access::Read
                && store.first_seen()
            {
                self.describe_store(core, store);
            }
        }
    }

    fn describe_store(&mut self, core: &Core, store: &Store) {
        let recorder = &core.recorder;
        let dtype = self.names.dtype(recorder, store.dtype);
        let provenance = if core.plan.provenance {
            self.names.position(recorder, store.location)
        } else {
            Default::default()
        };
        let shape = store.shape.dims().iter().map(|extent| *extent as u64);
        recorder.write(&record::Store {
            uid: store.uid,
            dtype,
            provenance,
            shape: record::List::Items(&shape.collect::<SmallVec<[u64; 8]>>()),
        });
    }

    /// Makes a task wait for all it must wait for.
    fn connect(&mut self, core: &Core, operation: &Operation, task: &Arc<Task>) {
        let edges = &mut self.edges;
        for (index, operand) in operation.operands.iter().enumerate() {
            let Operand::Array { store, access, .. } = operand else {
                continue;
            };
            let Some(part) = operation.part(index, &task.cut, task.point) else {
                continue;
            };
            let Some(region) = Region::of(&part, &store.shape) else {
                continue;
            };
            store
                .accesses()
                .add(region, task, *access, |earlier, kind| {
                    match edges.iter_mut().find(|(known, _)| known.uid == earlier.uid) {
                        // That data flows says more than that an order must be kept.
                        Some((_, known)) => *known = (*known).min(kind),
                        None => edges.push((earlier.clone(), kind)),
                    }
                });
        }
        if core.recorder.is_on() {
            self.written
                .extend(edges.iter().map(|(earlier, kind)| (earlier.uid, *kind)));
            for on in self.written.chunks(EDGES) {
                core.recorder.write(&record::Dependencies {
                    task: task.uid,
                    on: Edges::Items(on),
                });
            }
            self.written.clear();
        }
        if core.gpus.is_some() {
            task.follow(edges.iter().map(|(earlier, _)| earlier.clone()));
        }
        for (earlier, _) in edges.drain(..) {
            earlier.precede(task);
        }
    }
}

fn tile(core: &Core, operation: &Operation, point: usize, cut: &Cut) {
    let bounds: SmallVec<[(u64, u64); 8]> = operation
        .shape
        .dims()
        .iter()
        .enumerate()
        .map(|(axis, extent)| {
            let (first, end) = cut.bounds(axis, *extent);
            (first as u64, end as u64)
        })
        .collect();
    core.recorder.write(&record::Tile {
        operation: operation.uid,
        point: point as u32,
        bounds: record::List::Items(&bounds),
    });
}
