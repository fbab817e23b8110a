//! The analysis: joins and cuts operations into tasks, names them, and finds dependences. Runs on
//! one thread at a time, in program order.

mod group;
mod lineage;
mod messages;
mod planning;
mod shared;
mod spares;

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;
use weft_config::{Level, Plan};
use weft_trace::id::{ProcessorId, StoreUid, TaskUid};
use weft_trace::record::{self, DependencyKind, Edges, loss};
use weft_trace::time::Timestamp;

use super::Core;
use crate::device::cpu;
use crate::fusion::{FOLDED, Group, Replays, SharedKernel, Whole};
use crate::memory::{AccessingTask, Accessor, Follows, Retention, Store};
use crate::observe::{CallLabels, Images, Names, Observers, Recorder, Subsystem, extents};
use crate::operation::{ArrayOperand, Labels, Operation};
use crate::task::{Ended, Task, Work};
use lineage::{Ancestors, Lineage};
use messages::Numbers;
use spares::Spares;
use weft_geometry::{Access, Cut, Cuts, Exchanges, Image, Ranks, Region, Tiling, words};

/// Maximum number of edges in one record; a task with more edges gets several records.
const EDGES: usize = 4096;

/// An access of a task that is being analysed.
struct Touch<'a> {
    store: &'a Store,
    access: Access,
    by: Accessor,
    /// Index of the operation within its group.
    member: u32,
    /// Returns the elements that are accessed, or `None` if there are none.
    region: &'a dyn Fn() -> Option<Region>,
}

/// A predecessor of a task.
struct Predecessor {
    uid: TaskUid,
    /// Address of the task that runs it; 0 if it has run.
    task: usize,
}

/// The predecessors of a task: the direct ones and, through these, their ancestors.
struct Following<'a> {
    followed: &'a [Predecessor],
    lineage: &'a Lineage,
    ancestors: Ancestors,
}

impl Follows for Following<'_> {
    fn has(&self, by: &Accessor) -> bool {
        let task = address(by.task.as_ref());
        let mut all = self.followed.iter();
        all.any(|known| known.uid == by.uid || (task != 0 && known.task == task))
            || self.lineage.has(self.ancestors, by.uid)
    }

    fn at_once(&self) -> impl ExactSizeIterator<Item = TaskUid> {
        self.followed.iter().map(|known| known.uid)
    }
}

fn address(task: Option<&Arc<dyn AccessingTask>>) -> usize {
    task.map_or(0, |task| Arc::as_ptr(task).cast::<()>().addr())
}

/// A dependence of a task on an earlier access.
struct Edge {
    earlier: Accessor,
    kind: DependencyKind,
    /// Index of the waiting operation within its group.
    member: u32,
    /// The store that both access, if known.
    store: Option<StoreUid>,
    /// Number of bytes of the store that both access; 0 if nothing is recorded.
    bytes: u64,
}

impl Edge {
    /// Adds another reason: an access of this kind to a store. Both tasks access `bytes` of it, and
    /// the earlier one accesses at most `most`.
    fn also(&mut self, kind: DependencyKind, store: Option<StoreUid>, bytes: u64, most: u64) {
        // A flow of data takes precedence over a mere order; among stores, the one with the most
        // bytes.
        let is_more = kind < self.kind || (kind == self.kind && bytes > self.bytes);
        if kind == self.kind && store == self.store {
            // Several views of one store: elements that they share count once in the end.
            self.bytes = (self.bytes + bytes).min(most.max(self.bytes));
        } else if is_more {
            (self.kind, self.store, self.bytes) = (kind, store, bytes);
        }
    }
}

/// The details of operations that are recorded, and their recipients.
#[derive(Clone, Copy, Default)]
struct Wanted {
    /// Whether to record lines of the program.
    provenance: bool,
    /// Whether to record how operations are cut and which operands they have.
    operands: bool,
    /// Whether tasks go to the dispatcher of GPUs, which needs their predecessors.
    has_gpus: bool,
}

impl Wanted {
    fn from_plan(plan: &Plan) -> Wanted {
        Wanted {
            provenance: plan.provenance,
            operands: plan.profile_operands,
            has_gpus: false,
        }
    }
}

/// The state of the analysis, kept between operations.
#[derive(Default)]
pub(crate) struct Analysis {
    wanted: Wanted,
    names: Names,
    images: Images,
    /// The open group, which the next operation may join.
    group: Option<Box<Group<Whole>>>,
    replays: Replays,
    exchanges: Exchanges,
    numbers: Numbers,
    tasks: Vec<Arc<Task>>,
    spares: Spares,
    edges: Vec<Edge>,
    /// The elements of each access of a task, in the order of the accesses. For a group that swaps
    /// the buffers of a store: the elements of all its tasks.
    regions: Vec<Option<Region>>,
    /// The predecessors of the task that is being analysed.
    followed: Vec<Predecessor>,
    /// Predecessors of the most recent tasks, if they are recorded.
    lineage: Lineage,
    written: Vec<(TaskUid, DependencyKind)>,
    /// End of the last operation's analysis, if the next one follows immediately; saves a reading
    /// of the clock.
    last: Option<Timestamp>,
}

impl Analysis {
    /// Creates the analysis of one of several ranks.
    pub(crate) fn for_ranks(ranks: Ranks, plan: &Plan, has_gpus: bool) -> Analysis {
        Analysis {
            wanted: Wanted {
                has_gpus,
                ..Wanted::from_plan(plan)
            },
            exchanges: Exchanges::of_rank(ranks),
            ..Analysis::default()
        }
    }

    /// Creates an analysis for the operations that bodies of tasks start. `number` keeps its names
    /// apart from those of other analyses in the profile.
    pub(crate) fn with_names(number: u32, plan: &Plan) -> Analysis {
        Analysis {
            wanted: Wanted::from_plan(plan),
            names: Names::numbered(number),
            images: Images::numbered(number),
            ..Analysis::default()
        }
    }

    /// Returns the number of operations whose messages were computed rather than found in the
    /// cache.
    pub(crate) fn exchanges_found(&self) -> u64 {
        self.exchanges.worked_out()
    }

    /// Returns the strings and positions numbered so far.
    pub(crate) fn names(&mut self) -> &mut Names {
        &mut self.names
    }

    /// Returns the number of groups that reused the plan of an earlier, equal group.
    pub(crate) fn replayed(&self) -> u64 {
        self.replays.replayed()
    }

    /// Marks a pause since the last operation, whose end is then no longer used as a start time.
    pub(crate) fn begin_batch(&mut self) {
        self.last = None;
    }

    /// Turns an operation into tasks and queues those that are ready.
    fn analyse(&mut self, core: &Core, operation: Arc<Operation>, on: ProcessorId) {
        operation.bind();
        if let Some(gpus) = &core.gpus {
            gpus.foresee(&operation, core.plan.verify);
        }
        self.analyse_bound(core, operation, on);
    }

    /// Like [`analyse`](Self::analyse), for an operation whose operands are already bound.
    fn analyse_bound(&mut self, core: &Core, operation: Arc<Operation>, on: ProcessorId) {
        self.make_tasks(core, operation, None, on);
        self.release_tasks(core);
    }

    /// Makes the tasks of an operation and connects them with their predecessors. `shared` is set
    /// in a group on GPUs: the shared kernel and the operation's number in it. The tasks do not
    /// start until they are [released](Self::release_tasks).
    fn make_tasks(
        &mut self,
        core: &Core,
        operation: Arc<Operation>,
        shared: Option<(&Arc<SharedKernel>, usize)>,
        on: ProcessorId,
    ) {
        let observers = &core.observers;
        let recorder = &observers.recorder;
        let start = self.last.unwrap_or_else(|| recorder.now());
        let tiling = match shared {
            Some((kernel, _)) if kernel.is_cut_as_fold => FOLDED,
            _ => operation.body.tiling,
        };
        let cuts = core
            .cutting
            .own_cuts(&operation.shape, tiling, operation.is_shared());
        operation.begin(cuts.count());
        if matches!(tiling, Tiling::Together { .. }) && core.world().is_some() {
            operation.set_turn(core.queues.turns.number());
        }
        // An uncut operation takes too little time for a reading of the clock.
        observers.log.say(
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
        if recorder.is_on() || observers.nvtx.is_some() {
            self.describe(observers, &operation, &cuts);
        }
        let created = recorder.now();
        let first = self.tasks.len();
        for point in 0..cuts.count() {
            let uid = TaskUid(core.uids.next());
            let cut = cuts.get(point);
            let task = Task::new(
                uid,
                Work::One(operation.clone()),
                point as u32,
                cut,
                created,
                self.wanted.has_gpus,
            );
            let task = match shared {
                Some((kernel, number)) => task.sharing(kernel.clone(), number),
                None => task,
            };
            self.tasks.push(self.spares.make(task));
        }
        let uid = operation.uid;
        if self.tasks.len() == first {
            if operation.turn() > 0 {
                core.queues.queue(core.queues.turns.pass(operation.turn()));
            }
            Ended::end_operation(&operation).tell(&core.queues.outstanding);
            let times = [start, partitioned, created, recorder.now()];
            return self.planned(recorder, on, &[uid], times);
        }
        let tasks = std::mem::take(&mut self.tasks);
        for task in &tasks[first..] {
            self.connect(recorder, &operation, task);
        }
        self.tasks = tasks;
        let uid = operation.recorded();
        let ended = recorder.now();
        self.planned(recorder, on, &[uid], [start, partitioned, created, ended]);
    }

    /// Queues those of the new tasks that are ready.
    fn release_tasks(&mut self, core: &Core) {
        // Read after the last check of predecessors: no predecessor that was skipped as ended did
        // end later.
        let ended = core.observers.recorder.now();
        let tasks = std::mem::take(&mut self.tasks);
        core.queues
            .make_ready(tasks.iter().filter(|task| task.release(ended)).cloned());
        self.tasks = tasks;
        self.tasks.clear();
    }

    /// Records the outputs and dependences of an operation that is about to run inline, and sets
    /// its labels. The operation itself is recorded with its task.
    pub(crate) fn note(
        &mut self,
        observers: &Observers,
        operation: &Operation,
        tile: &cpu::TileTask,
    ) -> CallLabels {
        let recorder = &observers.recorder;
        let call = self.label(observers, operation);
        if recorder.is_on() {
            self.describe_outputs(recorder, operation);
            self.describe_operands(recorder, operation);
            self.touch(recorder, Some(tile.uid), |visit| {
                each_access(operation, tile.uid, None, &tile.cut, visit);
            });
            self.record_edges(recorder, |_| tile.uid);
            self.edges.clear();
        }
        call
    }

    /// Sets the labels that the tasks of an operation carry.
    fn label(&mut self, observers: &Observers, operation: &Operation) -> CallLabels {
        let provenance = self.wanted.provenance;
        let call = self.names.call(&observers.recorder, operation, provenance);
        let message = observers
            .nvtx
            .as_ref()
            .map(|nvtx| nvtx.message(operation.name(), operation.location(provenance)));
        operation.label(Labels {
            kernel: call.kernel,
            message,
        });
        call
    }

    /// Records stores that are written for the first time.
    fn describe_outputs(&mut self, recorder: &Recorder, operation: &Operation) {
        for array in operation.arrays() {
            if array.declared.access != Access::Read && array.store.first_seen() {
                self.describe_store(recorder, array.store);
            }
        }
    }

    /// Records an operation and sets the labels that its tasks carry.
    fn describe(&mut self, observers: &Observers, operation: &Operation, cuts: &Cuts) {
        let recorder = &observers.recorder;
        let call = self.label(observers, operation);
        if operation.body.role.is_message() {
            // A message belongs to the operation for which it is sent.
            return self.describe_outputs(recorder, operation);
        }
        recorder.write(&record::Operation {
            uid: operation.uid,
            parent: operation.parent,
            name: call.name,
            provenance: call.provenance,
            created: operation.created,
            tasks: cuts.count() as u32,
            scope: call.scope,
            stack: call.stack,
            shape: record::List::Items(&extents(&operation.shape)),
        });
        if cuts.count() > 1 {
            for point in 0..cuts.count() {
                tile(recorder, operation, point, &cuts.get(point));
            }
        }
        self.describe_outputs(recorder, operation);
        self.describe_operands(recorder, operation);
    }

    /// Records how an operation of the program is cut and which operands it has, if wanted.
    fn describe_operands(&mut self, recorder: &Recorder, operation: &Operation) {
        if !self.wanted.operands || operation.is_added() || !recorder.is_on() {
            return;
        }
        let mut words: SmallVec<[u64; 32]> = SmallVec::new();
        for view in operation.views() {
            let number = |image: &Arc<Image>| self.images.number(recorder, image).0;
            view.put(number, |word| words.push(word));
        }
        let body = &operation.body;
        let mut rest = &words[..];
        loop {
            let (words, behind) = rest.split_at(rest.len().min(record::VIEWS));
            recorder.write(&record::Operands {
                operation: operation.uid,
                grain: words::from_tiling(body.tiling, body.role.can_be_shared()),
                views: record::List::Items(words),
            });
            // A reader expects another record after a full one.
            if words.len() < record::VIEWS {
                break;
            }
            rest = behind;
        }
    }

    fn describe_store(&mut self, recorder: &Recorder, store: &Store) {
        let dtype = self.names.dtype(recorder, store.dtype);
        let provenance = if self.wanted.provenance {
            self.names.position(recorder, store.location)
        } else {
            Default::default()
        };
        recorder.write(&record::Store {
            uid: store.uid,
            dtype,
            provenance,
            shape: record::List::Items(&extents(&store.shape)),
        });
    }

    /// Connects a task with all its predecessors.
    fn connect(&mut self, recorder: &Recorder, operation: &Operation, task: &Arc<Task>) {
        self.touch(recorder, Some(task.uid), |visit| {
            each_access(operation, task.uid, Some(task), &task.cut, visit);
        });
        self.record_edges(recorder, |_| task.uid);
        self.follow_edges(task);
    }

    /// Finds the predecessors of a task and adds its accesses; `uid` is set for a task of a single
    /// operation.
    fn touch(
        &mut self,
        recorder: &Recorder,
        uid: Option<TaskUid>,
        each: impl Fn(&mut dyn FnMut(Touch<'_>)),
    ) {
        self.find(recorder, &each);
        let (mut regions, followed) = (0..self.regions.len(), 0..self.followed.len());
        // Without a profile, accesses are forgotten when their tasks have ended.
        let remembered = uid.filter(|_| recorder.is_on());
        let ancestors = match remembered {
            Some(_) => self
                .lineage
                .ancestors(self.followed.iter().map(|known| known.uid)),
            None => Ancestors::default(),
        };
        self.put(recorder, &mut regions, followed, ancestors, &each);
        if let Some(uid) = remembered {
            self.lineage.add(uid, ancestors);
        }
        self.forget_touches();
    }

    /// Finds the predecessors of a task.
    fn find(&mut self, recorder: &Recorder, each: impl Fn(&mut dyn FnMut(Touch<'_>))) {
        // A profile names tasks that have ended as well.
        let forgets = !recorder.is_on() && !self.wanted.has_gpus;
        each(&mut |touch| {
            let region = (touch.region)();
            if let Some(region) = &region {
                self.find_one(region, &touch, recorder.is_on(), forgets);
            }
            self.regions.push(region);
        });
        self.followed
            .extend(self.edges.iter().map(|edge| Predecessor {
                uid: edge.earlier.uid,
                task: address(edge.earlier.task.as_ref()),
            }));
    }

    /// Finds the predecessors of one access to a store and, if recorded, the number of bytes that
    /// both access.
    fn find_one(&mut self, region: &Region, touch: &Touch<'_>, is_recorded: bool, forgets: bool) {
        let edges = &mut self.edges;
        let member = touch.member;
        let (store, element) = (Some(touch.store.uid), touch.store.dtype.size() as u64);
        let depends = |earlier: &Accessor, kind, theirs: &Region| {
            let shared = |other: &Region| match is_recorded {
                true => theirs.shared(other) as u64 * element,
                false => 0,
            };
            let bytes = shared(region);
            let known = edges
                .iter_mut()
                .find(|edge| edge.earlier.uid == earlier.uid && edge.member == member);
            match known {
                Some(edge) => edge.also(kind, store, bytes, shared(theirs)),
                None => edges.push(Edge {
                    earlier: earlier.clone(),
                    kind,
                    member,
                    store,
                    bytes,
                }),
            }
        };
        let mut accesses = touch.store.accesses();
        accesses.find(region, &touch.by, touch.access, forgets, depends);
    }

    /// Adds the accesses of a task to its stores. `regions` are the indices of its next regions;
    /// `followed` is the range of its direct predecessors, and `ancestors` are those reached
    /// through them.
    fn put(
        &mut self,
        recorder: &Recorder,
        regions: &mut Range<usize>,
        followed: Range<usize>,
        ancestors: Ancestors,
        each: impl Fn(&mut dyn FnMut(Touch<'_>)),
    ) {
        let follows = Following {
            followed: &self.followed[followed],
            lineage: &self.lineage,
            ancestors,
        };
        let kept = match recorder.is_on() {
            true => Retention::Many,
            false => Retention::Few,
        };
        let mut forgotten = 0;
        each(&mut |touch| {
            let at = regions.next();
            if let Some(region) = at.and_then(|at| self.regions.get_mut(at)?.take()) {
                let mut accesses = touch.store.accesses();
                forgotten += accesses.put(region, touch.by, touch.access, kept, &follows);
            }
        });
        if forgotten > 0 {
            // Does nothing without a profile, where forgotten accesses are not missed.
            recorder.write(&record::Loss {
                value: forgotten as u64,
                name: loss::ACCESSES_FORGOTTEN.name,
            });
        }
    }

    /// Clears the regions and predecessors of the accesses that have been added.
    fn forget_touches(&mut self) {
        self.regions.clear();
        self.followed.clear();
    }

    /// Records the dependences found, for the task of each member of the group.
    fn record_edges(&mut self, recorder: &Recorder, task: impl Fn(u32) -> TaskUid) {
        if !recorder.is_on() {
            return;
        }
        let key = |edge: &Edge| (edge.member, edge.store, edge.bytes);
        self.edges.sort_by_key(key);
        for edges in self.edges.chunk_by(|a, b| key(a) == key(b)) {
            let (member, store, bytes) = key(&edges[0]);
            self.written
                .extend(edges.iter().map(|edge| (edge.earlier.uid, edge.kind)));
            for on in self.written.chunks(EDGES) {
                recorder.write(&record::Dependencies {
                    task: task(member),
                    store,
                    bytes: store.map(|_| bytes),
                    on: Edges::Items(on),
                });
            }
            self.written.clear();
        }
    }

    /// Makes a task wait for the predecessors found.
    fn follow_edges(&mut self, task: &Arc<Task>) {
        let earlier = |edge: &Edge| edge.earlier.task.clone().and_then(own_task);
        if self.wanted.has_gpus {
            task.follow(self.edges.iter().filter_map(earlier));
        }
        let mut last = None;
        for edge in self.edges.drain(..) {
            let Some(earlier) = edge.earlier.task else {
                continue;
            };
            // The operations of a group have UIDs of their own, but share one task for each tile.
            let address = Arc::as_ptr(&earlier).cast::<()>();
            if last.replace(address) != Some(address)
                && let Some(earlier) = own_task(earlier)
            {
                earlier.precede(task);
            }
        }
    }
}

/// Returns the task of an access. All accesses to stores are made by tasks of this type.
fn own_task(task: Arc<dyn AccessingTask>) -> Option<Arc<Task>> {
    let task: Arc<dyn Any + Send + Sync> = task;
    task.downcast().ok()
}

/// Calls `visit` with each access of an operation on one tile.
fn each_access(
    operation: &Operation,
    uid: TaskUid,
    task: Option<&Arc<Task>>,
    cut: &Cut,
    visit: &mut dyn FnMut(Touch<'_>),
) {
    let is_whole = cut.is_all() && operation.body.is_of_elements();
    for array in operation.arrays() {
        let ArrayOperand {
            index,
            store,
            layout,
            declared,
        } = array;
        let region = || match is_whole {
            true => Region::of(layout, &store.shape),
            false => operation.region(index, cut),
        };
        visit(Touch {
            store,
            access: declared.access,
            by: Accessor {
                uid,
                whole: operation.uid,
                task: task.map(|task| task.clone() as Arc<dyn AccessingTask>),
            },
            member: 0,
            region: &region,
        });
    }
}

fn tile(recorder: &Recorder, operation: &Operation, point: usize, cut: &Cut) {
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
    recorder.write(&record::Tile {
        operation: operation.uid,
        point: point as u32,
        bounds: record::List::Items(&bounds),
    });
}
