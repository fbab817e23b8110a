//! A runtime: the threads, memories and counters of one run of a program.

mod analyse;
mod analysis;
mod around;
mod bandwidth;
mod crash;
mod current;
mod direct;
mod dropped;
mod end;
mod exit;
mod gpu_threads;
mod host_use;
mod host_work;
mod inline;
mod memories;
mod nested;
mod others;
mod profile;
mod status;
mod submit;
mod threads;
mod unused;
mod whole;
mod worker;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use weft_config::{Bytes, GpuMemory, Plan};
use weft_geometry::{Cuts, Tiling};
use weft_trace::file::{Counters, RunId};
use weft_trace::id::{MemoryId, NameId, OperationUid, ProcessorId, Rank};
use weft_trace::record::{self, MemoryKind, ProcessorKind, RuntimeCallKind};
use weft_trace::time;

pub use crate::at_exit::move_to_front as end_first_at_exit;
#[allow(unreachable_pub, reason = "`testing` names it")]
pub use crate::health::Trap;
pub use crate::health::note_interrupt;
use analysis::Analysis;
pub use around::until;
pub use around::{Around, Slice, around_waits};
pub use current::{abandon, abandon_interrupted, current, finish, start, start_with};
pub use direct::{Input, ProgramGuard};
pub use exit::{end_by_signal, heed_no_more};
use host_use::HostUses;
pub use host_work::HostWork;
pub(crate) use nested::InBody;
pub(crate) use nested::TaskLevel;
pub use nested::{check_body, check_outside_of_bodies, is_in_body};
pub use status::{pool_status, reclaim};
pub use whole::{TurnRequest, Waiting, Whole};

use crate::device::cpu;
use crate::device::cuda::{self, Driver, Gpus, Part};
use crate::device::{Executor, MESSAGES, MessageWork, Queues, World};
use crate::dtype::DType;
use crate::error::{CallError, Error};
use crate::health::Health;
use crate::identity::Uids;
use crate::memory::{Memories, Memory, Pool, Store, memory_nodes};
use crate::observe::{
    Cupti, Log, Names, Observers, PROGRAM, Recorder, Subsystem, processor, set_processor,
};
use crate::operation::Cutting;
use crate::rank::ProgramLock;
use crate::shape::Shape;
use crate::site::Site;

/// The thread that analyses operations.
const UTILITY: ProcessorId = ProcessorId(1);
/// The first CPU worker.
const FIRST_CPU: u16 = 2;

/// Arrays outlive their runtime, operations on them do not.
const FINISHED: CallError =
    CallError::Runtime("this array's runtime has finished; use arrays before `weft::finish()`");

/// The threads of a runtime belong to the process that started it.
const FORKED: CallError = CallError::Runtime(
    "this process was forked from one whose runtime it cannot use: a fork has none of its threads; fork before the first array, call \
     `weft::finish()` before the fork, or start a separate program",
);

/// An operation runs on the threads, in the memory and in the order of one runtime.
const OTHER_RUNTIME: CallError = CallError::Runtime(
    "these arrays belong to different runtimes; make all of them under one `Runtime::enter`, or copy one over with `to_ndarray` and \
     `from_ndarray`",
);

/// Returns the error for arrays of different runtimes, or of the program and the body of a task, in
/// one call.
fn other_runtime() -> CallError {
    match is_in_body() {
        true => nested::FROM_OUTSIDE,
        false => OTHER_RUNTIME,
    }
}

/// Returns the runtime of the arrays of one call, each given by its own runtime; `None` if there
/// are no arrays.
///
/// # Errors
/// Returns an error if the arrays belong to different runtimes, or some to the program and others
/// to the body of a task.
#[inline]
pub fn core_of<'a>(
    arrays: impl IntoIterator<Item = &'a Arc<Core>>,
) -> Result<Option<&'a Arc<Core>>, CallError> {
    let mut arrays = arrays.into_iter();
    let first = arrays.next();
    match first.is_some_and(|first| arrays.any(|other| !Arc::ptr_eq(first, other))) {
        true => Err(other_runtime()),
        false => Ok(first),
    }
}

/// The state that all threads of a runtime share.
pub struct Core {
    pub(crate) plan: Plan,
    pub(crate) uids: Arc<Uids>,
    pub(crate) observers: Observers,
    pub(crate) memories: Memories,
    pub(crate) queues: Queues,
    /// Held while an operation is submitted or runs inline: threads of the program submit
    /// operations in the order in which they hold it. With several ranks it contains the stream of
    /// submitted operations.
    pub(crate) program: ProgramLock,
    /// The cutting of operations, the same on all ranks, and the number of this rank.
    pub(crate) cutting: Cutting,
    /// The other ranks.
    world: Option<Arc<World>>,
    /// Present in runs with GPUs: then all tasks go to their dispatcher.
    pub(crate) gpus: Option<Gpus>,
    analysis: Mutex<Analysis>,
    pub(crate) health: Health,
    host_uses: HostUses,
    pub(crate) level: TaskLevel,
}

/// The parts from which a core is made; its other fields start empty.
struct Parts {
    plan: Plan,
    level: TaskLevel,
    uids: Arc<Uids>,
    observers: Observers,
    memories: Memories,
    cutting: Cutting,
    world: Option<Arc<World>>,
    gpus: Option<Gpus>,
    analysis: Analysis,
    health: Health,
}

impl Core {
    fn from_parts(mut parts: Parts) -> Arc<Core> {
        if parts.plan.profile_sources && parts.plan.provenance && parts.observers.recorder.is_on() {
            parts.analysis.names().keep_sources();
        }
        let queues = Queues::new(&parts.plan, parts.gpus.is_some(), parts.world.is_some());
        Arc::new_cyclic(|core| Core {
            level: parts.level.attach(core, &parts.plan),
            plan: parts.plan,
            uids: parts.uids,
            observers: parts.observers,
            memories: parts.memories,
            queues,
            program: ProgramLock::default(),
            cutting: parts.cutting,
            world: parts.world,
            gpus: parts.gpus,
            host_uses: HostUses::default(),
            analysis: Mutex::new(parts.analysis),
            health: parts.health,
        })
    }

    /// Registers the calling thread with the recorder, NVTX and the operating system.
    pub(crate) fn enter_thread(&self, id: ProcessorId, kind: ProcessorKind, name: &str) {
        if id != PROGRAM {
            self.observers.recorder.attach_thread();
            set_processor(id);
        }
        let thread = self.observers.name_thread(name);
        if self.observers.recorder.is_on() {
            let mut analysis = self.analysis();
            let name = analysis.names().string(&self.observers.recorder, name);
            self.observers.recorder.write(&record::Processor {
                id,
                kind,
                thread,
                name,
            });
        }
        self.health.threads.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn analysis(&self) -> std::sync::MutexGuard<'_, Analysis> {
        self.analysis.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts recording the GPUs, as planned; to be called before a kernel is loaded on one.
    fn record_gpus(self: &Arc<Self>) {
        if self.gpus.is_none() || !self.plan.cupti {
            return;
        }
        let core = Arc::downgrade(self);
        let names = move |text: &str| core.upgrade().map_or(NameId(0), |core| core.name(text));
        if let Some(cupti) = Cupti::start_or_say(self.observers.recorder.clone(), names) {
            if self.plan.gpu_memory == GpuMemory::Unified {
                cupti.record_pages();
            }
            drop(self.observers.cupti.set(cupti));
        }
    }

    /// Returns a UID for an operation that the analysis adds. With several ranks, each adds its
    /// own.
    pub(crate) fn own_operation(&self) -> OperationUid {
        match self.cutting.ranks().are_many() {
            true => OperationUid(self.uids.next()),
            false => self.uids.next_operation(),
        }
    }

    /// Returns the number of a string, for records of any thread.
    pub(crate) fn name(&self, text: &str) -> NameId {
        self.analysis()
            .names()
            .string(&self.observers.recorder, text)
    }

    /// Creates a table of names for the records of one thread.
    pub(crate) fn own_names(&self) -> Names {
        Names::numbered(self.level.next_names())
    }

    /// Returns the cuts of an operation of this shape into tasks, for all ranks.
    #[inline]
    pub fn cuts(&self, shape: &Shape, tiling: Tiling) -> Cuts {
        self.cutting.cuts(shape, tiling)
    }

    /// Whether operations run on CPUs of this rank only.
    #[inline]
    pub fn is_on_cpus_alone(&self) -> bool {
        self.gpus.is_none() && !self.cutting.ranks().are_many()
    }

    /// Whether operations run on GPUs.
    pub fn has_gpus(&self) -> bool {
        self.gpus.is_some()
    }

    /// Returns the other ranks, if any.
    pub(crate) fn world(&self) -> Option<&Arc<World>> {
        self.world
            .as_ref()
            .filter(|_| self.cutting.ranks().are_many())
    }

    /// Whether there are other ranks.
    pub fn has_ranks(&self) -> bool {
        self.cutting.ranks().are_many()
    }

    /// Whether this is the process that started the runtime, and not a fork of it.
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.observers.recorder.is_of_this_process()
    }

    /// Returns an error in a forked process, which has no threads of the runtime, and in the body
    /// of a task, which may use only its own arrays.
    pub fn check_process(&self) -> Result<(), CallError> {
        match self.is_of_this_process() {
            true => self.level.check_callable(),
            false => Err(FORKED),
        }
    }

    /// Returns the parts that executors of operations need.
    pub(crate) fn executor(&self) -> Executor<'_> {
        Executor {
            cutting: &self.cutting,
            memories: &self.memories,
            bodies: &self.level,
            world: self.world.as_ref(),
            queues: &self.queues,
            observers: &self.observers,
            health: &self.health,
        }
    }

    /// Returns the parts that messages between ranks need.
    pub(crate) fn message_work(&self) -> MessageWork<'_> {
        MessageWork {
            executor: self.executor(),
            gpus: self.gpus.as_ref(),
            program: &self.program,
            uids: &self.uids,
        }
    }

    /// Runs `wait` and records for how long the program, or the body of a task, waited, and for
    /// which operation.
    pub fn waiting<T>(
        &self,
        kind: RuntimeCallKind,
        operation: Option<OperationUid>,
        wait: impl FnOnce() -> T,
    ) -> T {
        let start = self.observers.recorder.now();
        let result = wait();
        self.observers.recorder.write(&record::RuntimeCall {
            kind,
            operation,
            processor: processor(),
            start,
            end: self.observers.recorder.now(),
            task: nested::task(),
        });
        result
    }

    /// Stops all threads after their current work.
    fn stop_threads(&self) {
        self.queues.stop();
        if let Some(gpus) = &self.gpus {
            gpus.host.stop();
        }
    }

    /// Creates a store without data for the current call.
    #[track_caller]
    pub fn store(&self, dtype: DType, shape: Shape) -> Arc<Store> {
        self.store_at(Site::caller(), dtype, shape)
    }

    /// Creates a store without data for the call at `location`.
    pub(crate) fn store_at(&self, location: Site, dtype: DType, shape: Shape) -> Arc<Store> {
        let uid = self.uids.next().into();
        let body = nested::body();
        Store::new(
            uid,
            dtype,
            shape,
            location,
            body,
            self.memories.main.clone(),
        )
    }
}

/// A running runtime. Clones are the same runtime.
///
/// Most programs need only the functions at the crate's root, which use the process's own runtime.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

struct Shared {
    core: Arc<Core>,
    workers: Mutex<Vec<JoinHandle<()>>>,
}

impl Runtime {
    /// Starts a runtime as planned. Several may run in one process, each with its own threads and
    /// memory.
    ///
    /// # Errors
    /// Returns an error if the profile cannot be created, or a thread cannot be started.
    pub fn new(plan: Plan) -> Result<Runtime, Error> {
        let world = World::open()?;
        let mut plan = plan;
        let mut cutting = Cutting::new(&plan);
        if let Some(world) = &world {
            cutting = cutting.agree(world.ranks(), |own| world.least(own));
            if plan.gpus > 0 && cutting.gpus() == 0 {
                plan.gpus = 0;
                let why = "another rank has no GPU: all run on their CPUs";
                plan.warnings.push(why.to_owned());
            }
            let run = world.common(u128::from_le_bytes(RunId::random().0));
            plan.run_id.get_or_insert(run.to_le_bytes());
        }
        let driver = cuda::open(&plan)?;
        let has_others = world.is_some();
        let runtime = Runtime::on_ranks(plan, cutting, driver, world, has_others)?;
        exit::watch(&runtime);
        runtime.core().record_gpus();
        if has_others {
            let core = runtime.core().clone();
            runtime.spawn("weft-messages".to_owned(), move || {
                if let Some(world) = &core.world {
                    core.enter_thread(MESSAGES, ProcessorKind::Utility, "Messages");
                    world.serve(&core.message_work());
                    core.observers.recorder.detach_thread();
                }
            })?;
        }
        Ok(runtime)
    }

    /// Starts a runtime of one rank whose operations run on the GPUs of `driver`.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn with_driver(
        plan: Plan,
        driver: Option<Arc<dyn Driver>>,
    ) -> Result<Runtime, Error> {
        let gpus = driver.as_ref().map_or(0, |driver| driver.gpus().len());
        let cutting = Cutting::new(&plan).with_gpus(gpus);
        Runtime::on_ranks(plan, cutting, driver, None, false)
    }

    /// Starts a runtime of one rank that holds its stores in parts, like a rank of many.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn in_parts(plan: Plan) -> Result<Runtime, Error> {
        let cutting = Cutting::new(&plan);
        Runtime::on_ranks(plan, cutting, None, None, true)
    }

    /// Starts the runtime of one of several ranks, whose operations run on the GPUs of `driver`, if
    /// given. With `in_parts`, large stores take memory only for the elements that this rank
    /// touches.
    fn on_ranks(
        mut plan: Plan,
        cutting: Cutting,
        driver: Option<Arc<dyn Driver>>,
        world: Option<World>,
        in_parts: bool,
    ) -> Result<Runtime, Error> {
        cpu::remember();
        let ranks = cutting.ranks();
        let rank = Rank::new(ranks.rank).unwrap_or_default();
        let profile = profile::create(&mut plan, rank, ranks.size, world.as_ref())?;
        let shortened = profile
            .as_ref()
            .and_then(|made| profile::shortened(&plan, made));
        plan.warnings.extend(shortened);
        let log = Arc::new(Log::new(&plan.logging, rank.get()));
        for warning in &plan.warnings {
            log.say(Subsystem::Runtime, weft_config::Level::Warn, warning);
        }
        let recorder = Arc::new(Recorder::new(profile));
        let uids = Arc::new(Uids::new(rank));
        let pool = |capacity: Bytes| match &driver {
            Some(driver) => {
                let supply = cuda::Pageable::new(driver.clone());
                Pool::supplied(capacity.0, Box::new(supply))
            }
            None => Pool::new(capacity.0),
        };
        let main = |id: usize, kind, pool, nearer| {
            Arc::new(Memory {
                id: MemoryId(id as u16),
                kind,
                pool: Arc::new(pool),
                is_nested: false,
                machine: plan.machine_memory.0,
                nearer,
                recorder: recorder.clone(),
                uids: uids.clone(),
                log: log.clone(),
            })
        };
        let nodes = match plan.numamem {
            Bytes(0) => 0,
            _ => memory_nodes(),
        };
        // Numbers 1 and up belong to pinned memory and the GPUs.
        let first = 2 + driver.as_ref().map_or(0, |driver| driver.gpus().len());
        let nearer = (0..nodes)
            .map(|node| {
                main(
                    first + node,
                    MemoryKind::Numa,
                    pool(plan.numamem),
                    Vec::new(),
                )
            })
            .collect();
        let mut pool = pool(plan.sysmem).with_soft_limit(plan.sysmem_soft.0);
        // Stores held in parts stay in one memory.
        if in_parts && driver.is_none() && nodes == 0 {
            pool = pool.with_reservations();
        }
        let memory = main(0, MemoryKind::System, pool, nearer);
        let first_gpu = ProcessorId(FIRST_CPU + plan.cpus as u16);
        let part = match &world {
            None => Part::All,
            Some(world) => Part::Some {
                is_mpi_aware: plan
                    .cuda_aware_mpi
                    .unwrap_or_else(|| world.takes_device_memory()),
            },
        };
        let gpus = driver.map(|driver| {
            let pools = (&recorder, &uids, &log);
            Gpus::new(driver, &plan, first_gpu, part, pools)
        });
        let of_gpus = gpus
            .iter()
            .flat_map(|gpus| std::iter::once(&gpus.pinned).chain(&gpus.memories));
        let of_gpus = of_gpus.cloned().collect();
        let unified = gpus.as_ref().map(|gpus| gpus.unified.clone());
        let unified = unified.unwrap_or_default();
        let count = gpus.as_ref().map_or(0, Gpus::count);
        let processors = plan.cpus + plan.omps + count;
        let core = Core::from_parts(Parts {
            level: TaskLevel::for_program(FIRST_CPU, FIRST_CPU + processors as u16),
            memories: Memories::new(memory, of_gpus, unified, plan.spill),
            analysis: Analysis::for_ranks(ranks, &plan, gpus.is_some()),
            gpus,
            uids,
            observers: Observers::new(recorder, log),
            cutting,
            world: world.map(Arc::new),
            health: Health::default(),
            plan,
        });
        core.memories.describe();
        sample_clocks(&core.observers.recorder);
        if core.observers.recorder.is_on() && core.plan.profile_operands {
            core.observers.recorder.write(&core.cutting.described());
        }
        core.enter_thread(PROGRAM, ProcessorKind::Program, "Program");
        let runtime = Runtime {
            shared: Arc::new(Shared {
                core,
                workers: Mutex::default(),
            }),
        };
        runtime.start_threads()?;
        let core = runtime.core();
        core.observers.log.say(
            Subsystem::Runtime,
            weft_config::Level::Info,
            format_args!(
                "{} CPU workers, {} OMP groups, {} for analysis, {} bytes of memory, profile {}",
                core.plan.cpus,
                core.plan.omps,
                core.plan.utility,
                core.memories.main.pool.capacity(),
                if core.observers.recorder.is_on() {
                    "on"
                } else {
                    "off"
                },
            ),
        );
        Ok(runtime)
    }

    /// Returns the state that its threads share.
    pub fn core(&self) -> &Arc<Core> {
        &self.shared.core
    }

    /// Returns the plan of this runtime.
    pub fn plan(&self) -> &Plan {
        &self.shared.core.plan
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime")
            .field("plan", self.plan())
            .finish_non_exhaustive()
    }
}

/// Summary of a finished run.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// Counters of the profile's records; `None` without a profile.
    pub records: Option<Counters>,
}

/// Records one instant on both clocks.
fn sample_clocks(recorder: &Recorder) {
    if recorder.is_on() {
        recorder.write(&time::sample_clocks());
    }
}
