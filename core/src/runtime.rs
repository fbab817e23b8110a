//! A runtime: the threads, memories and counters that one run of a program uses.

mod analyse;
mod around;
mod bandwidth;
mod crash;
mod current;
mod cutting;
mod direct;
mod end;
mod exit;
mod failures;
mod health;
mod host_work;
mod inline;
mod memories;
mod nested;
mod others;
mod profile;
mod queues;
mod submit;
mod threads;
mod unused;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;

use weft_config::{Bytes, Plan};
use weft_geometry::Ranks;
use weft_trace::file::{Counters, RunId};
use weft_trace::id::{LaunchUid, MemoryId, NameId, OperationUid, ProcessorId, Rank};
use weft_trace::record::{self, MemoryKind, ProcessorKind, RuntimeCallKind};
use weft_trace::time;

pub use around::until;
pub use around::{Around, Slice, around_waits};
pub(crate) use crash::Stopped;
#[allow(unreachable_pub, reason = "`testing` names it")]
pub use crash::Trap;
pub use current::{abandon, abandon_interrupted, current, finish, start, start_with};
use cutting::Cutting;
pub use direct::{Held, Input};
use health::Health;
pub use host_work::HostWork;
use nested::Level;
pub(crate) use nested::{InBody, Run, set_processor};
pub use nested::{check_body, check_outside_of_bodies, is_in_body};
use queues::Queues;

use crate::device::cuda::{self, Driver, Gpus, Part};
use crate::device::{World, cpu};
use crate::dtype::DType;
use crate::error::{CallError, DriverError, Error, Failure};
use crate::identity::Uids;
use crate::memory::{Memory, Pool, Store, memory_nodes};
use crate::observe::nvtx::RangeGuard;
use crate::observe::{Cupti, Log, Message, Pushed, Ranges, Recorder, Subsystem};
use crate::operation::Operation;
use crate::rank::ProgramStream;
use crate::shape::Shape;
use crate::site::Site;
use crate::task::{Analysis, Outstanding};

/// The program's thread.
const PROGRAM: ProcessorId = ProcessorId(0);
/// The thread that analyses.
const UTILITY: ProcessorId = ProcessorId(1);
/// The first CPU worker.
const FIRST_CPU: u16 = 2;

/// Arrays outlive their runtime, operations on them do not.
const FINISHED: CallError =
    CallError::Runtime("this array's runtime has finished; use arrays before `weft::finish()`");

/// The threads of a runtime are those of the process that started it.
const FORKED: CallError = CallError::Runtime(
    "this process was forked from one whose runtime it cannot use: a fork has none of its threads; fork before the first array, call \
     `weft::finish()` before the fork, or start a program of its own",
);

/// An operation runs on the threads, in the memory and in the order of one runtime.
const OTHER_RUNTIME: CallError = CallError::Runtime(
    "these arrays belong to different runtimes; make all of them under one `Runtime::enter`, or copy one over with `to_ndarray` and \
     `from_ndarray`",
);

/// That arrays of one call belong to different runtimes, or some to the program and others to the body of a task.
pub fn other_runtime() -> CallError {
    match is_in_body() {
        true => nested::FROM_OUTSIDE,
        false => OTHER_RUNTIME,
    }
}

/// What all threads of a runtime share.
pub struct Core {
    pub(crate) plan: Plan,
    pub(crate) uids: Arc<Uids>,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) log: Arc<Log>,
    pub(crate) memory: Arc<Memory>,
    /// NVTX ranges, where a tool listens.
    pub(crate) nvtx: Option<Arc<Ranges>>,
    /// What CUPTI records of the GPUs, where it does.
    cupti: OnceLock<Cupti>,
    pub(crate) outstanding: Outstanding,
    pub(crate) queues: Queues,
    /// Held while an operation is handed over, or runs at once: the order in which threads of the program hold it is the order of
    /// their operations. Where there are ranks, what was asked for.
    stream: Mutex<ProgramStream>,
    /// Which rank this is.
    pub(crate) ranks: Ranks,
    /// How operations are cut, the same on all of them.
    cutting: Cutting,
    /// The others.
    world: Option<Arc<World>>,
    /// Present in runs with GPUs: then all tasks go to their dispatcher.
    pub(crate) gpus: Option<Gpus>,
    analysis: Mutex<Analysis>,
    /// Stores that may keep a second instance for their next swap.
    swapped: Arc<Mutex<Vec<Weak<Store>>>>,
    health: Health,
    level: Level,
}

/// What a core is made of; the rest begins empty.
struct Parts {
    plan: Plan,
    level: Level,
    uids: Arc<Uids>,
    recorder: Arc<Recorder>,
    log: Arc<Log>,
    memory: Arc<Memory>,
    nvtx: Option<Arc<Ranges>>,
    ranks: Ranks,
    cutting: Cutting,
    world: Option<Arc<World>>,
    gpus: Option<Gpus>,
    analysis: Analysis,
    swapped: Arc<Mutex<Vec<Weak<Store>>>>,
    health: Health,
}

impl Core {
    fn new(mut parts: Parts) -> Core {
        if parts.plan.profile_sources && parts.plan.provenance && parts.recorder.is_on() {
            parts.analysis.names().keep_sources();
        }
        Core {
            plan: parts.plan,
            uids: parts.uids,
            recorder: parts.recorder,
            log: parts.log,
            memory: parts.memory,
            nvtx: parts.nvtx,
            cupti: OnceLock::new(),
            outstanding: Outstanding::default(),
            queues: Queues::default(),
            stream: Mutex::default(),
            ranks: parts.ranks,
            cutting: parts.cutting,
            world: parts.world,
            gpus: parts.gpus,
            analysis: Mutex::new(parts.analysis),
            swapped: parts.swapped,
            health: parts.health,
            level: parts.level,
        }
    }

    /// Tells records, NVTX and the operating system who the calling thread is.
    pub(crate) fn enter_thread(&self, id: ProcessorId, kind: ProcessorKind, name: &str) {
        if id != PROGRAM {
            self.recorder.attach_thread();
            set_processor(id);
        }
        let thread = self.name_thread(name);
        if self.recorder.is_on() {
            let mut analysis = self.analysis();
            let name = analysis.names().string(&self.recorder, name);
            self.recorder.write(&record::Processor {
                id,
                kind,
                thread,
                name,
            });
        }
        self.health.threads.fetch_add(1, Ordering::Release);
    }

    /// Tells NVTX who the calling thread is, and gives its id.
    pub(crate) fn name_thread(&self, name: &str) -> u32 {
        let thread = os_thread();
        if let Some(nvtx) = &self.nvtx {
            nvtx.name_thread(thread, name);
        }
        thread
    }

    pub(crate) fn analysis(&self) -> std::sync::MutexGuard<'_, Analysis> {
        self.analysis.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the range of a launch, where a tool listens; it closes when what comes back is dropped, on the same thread.
    #[inline]
    pub(crate) fn open_range(
        &self,
        message: Option<&Message>,
        variant: ProcessorKind,
        launch: LaunchUid,
    ) -> Option<RangeGuard<'_>> {
        let nvtx = self.nvtx.as_ref()?;
        Some(nvtx.push(message?, variant, launch.0.raw()))
    }

    /// Tells CUPTI which launch the calling thread's next calls of CUDA are for, until what comes back is dropped.
    #[inline]
    pub(crate) fn external_id(&self, launch: LaunchUid) -> Option<Pushed<'_>> {
        Some(self.cupti.get()?.push(launch))
    }

    /// Records what the GPUs do, as planned; to be called before a kernel is loaded on one.
    fn record_gpus(self: &Arc<Self>) {
        if self.gpus.is_none() || !self.plan.cupti {
            return;
        }
        let core = Arc::downgrade(self);
        let names = move |text: &str| core.upgrade().map_or(NameId(0), |core| core.name(text));
        if let Some(cupti) = Cupti::start_or_say(self.recorder.clone(), names) {
            drop(self.cupti.set(cupti));
        }
    }

    /// A UID for an operation that the analysis adds: where there are many ranks, each adds its own.
    pub(crate) fn own_operation(&self) -> OperationUid {
        match self.ranks.are_many() {
            true => OperationUid(self.uids.next()),
            false => self.uids.next_operation(),
        }
    }

    /// The number of a string, for records of any thread.
    pub(crate) fn name(&self, text: &str) -> NameId {
        self.analysis().names().string(&self.recorder, text)
    }

    /// Poisons what an operation would have written, and remembers the failure for [`finish`] and the end of the process.
    pub(crate) fn fail(&self, operation: &Operation, failure: &Arc<Failure>) {
        operation.poison(failure);
        self.health.failures.add(failure);
    }

    /// Remembers that a GPU was lost, where nobody knows which operation met it first.
    pub(crate) fn lost(&self, error: &DriverError) {
        self.health.lost.get_or_init(|| error.clone());
    }

    /// Remembers an operation that a GPU found to be wrong while others that depend on it were under way.
    pub(crate) fn found_fault(&self, failure: &Arc<Failure>) {
        self.health.fault.get_or_init(|| failure.clone());
    }

    /// That operation's failure: whatever is read later may depend on it.
    pub(crate) fn fault(&self) -> Option<&Arc<Failure>> {
        self.health.fault.get()
    }

    /// Remembers a store that has a second instance.
    pub(crate) fn remember_renewed(&self, store: &Arc<Store>) {
        let mut swapped = self.swapped.lock().unwrap_or_else(PoisonError::into_inner);
        if swapped
            .iter()
            .all(|known| !std::ptr::eq(known.as_ptr(), Arc::as_ptr(store)))
        {
            swapped.retain(|known| known.strong_count() > 0);
            swapped.push(Arc::downgrade(store));
        }
    }

    /// Gives up instances that are kept for renewals which are not under way. True where that freed memory.
    pub(crate) fn give_up_spares(&self) -> bool {
        let mut swapped = self.swapped.lock().unwrap_or_else(PoisonError::into_inner);
        let mut freed = false;
        swapped.retain(|known| match known.upgrade() {
            Some(store) if !store.is_pending() => {
                freed |= store.give_up_spare();
                false
            }
            other => other.is_some(),
        });
        freed
    }

    /// Whether operations run on GPUs.
    pub fn has_gpus(&self) -> bool {
        self.gpus.is_some()
    }

    /// The other ranks, where there are any.
    pub(crate) fn world(&self) -> Option<&Arc<World>> {
        self.world.as_ref().filter(|_| self.ranks.are_many())
    }

    /// Whether there are other ranks.
    pub fn has_ranks(&self) -> bool {
        self.ranks.are_many()
    }

    /// Whether this is the process that started the runtime, and not one forked from it.
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.recorder.is_of_this_process()
    }

    /// Whether the process exits without finishing: what has not begun never runs.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.health.is_abandoned.load(Ordering::Relaxed)
    }

    /// That a forked process has no threads of the runtime, and that bodies of tasks make calls on their own arrays alone, as the error of a
    /// call.
    pub fn check_process(&self) -> Result<(), CallError> {
        match self.is_of_this_process() {
            true => self.check_callable(),
            false => Err(FORKED),
        }
    }

    /// Runs `wait` and records how long the program, or the body of a task, waited in it, and for what.
    pub fn waiting<T>(
        &self,
        kind: RuntimeCallKind,
        operation: Option<OperationUid>,
        wait: impl FnOnce() -> T,
    ) -> T {
        let start = self.recorder.now();
        let result = wait();
        self.recorder.write(&record::RuntimeCall {
            kind,
            operation,
            processor: nested::processor(),
            start,
            end: self.recorder.now(),
            task: nested::task(),
        });
        result
    }

    /// Sends all threads away after what they are doing.
    fn stop_threads(&self) {
        self.queues.stop();
        if let Some(gpus) = &self.gpus {
            gpus.ready.stop();
            gpus.host.stop();
        }
    }

    /// A store without data, made by the call at `location`.
    pub fn store(&self, dtype: DType, shape: Shape, location: Site) -> Arc<Store> {
        let uid = self.uids.next().into();
        let body = nested::body();
        Store::new(uid, dtype, shape, location, body, self.memory.clone())
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
    /// Starts a runtime as planned. Several may run in one process, each with its own threads and memory.
    ///
    /// # Errors
    /// The profile cannot be created, or a thread cannot be started.
    pub fn new(plan: Plan) -> Result<Runtime, Error> {
        let world = World::open()?;
        let mut plan = plan;
        let mut cutting = Cutting::of(&plan);
        if let Some(world) = &world {
            cutting = cutting.of_all(world);
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
                    world.serve(&core);
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
        let cutting = Cutting::of(&plan).with_gpus(gpus);
        Runtime::on_ranks(plan, cutting, driver, None, false)
    }

    /// Starts a runtime of one rank that holds parts of its stores, as each of many does.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn in_parts(plan: Plan) -> Result<Runtime, Error> {
        let cutting = Cutting::of(&plan);
        Runtime::on_ranks(plan, cutting, None, None, true)
    }

    /// Starts the runtime of one of several ranks, whose operations run on the GPUs of `driver`, if there is one. With `in_parts` large
    /// stores take as much memory as this rank touches of them.
    fn on_ranks(
        mut plan: Plan,
        cutting: Cutting,
        driver: Option<Arc<dyn Driver>>,
        world: Option<World>,
        in_parts: bool,
    ) -> Result<Runtime, Error> {
        cpu::remember();
        let ranks = world.as_ref().map_or_else(Ranks::default, World::ranks);
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
        // Numbers 1 and on are those of pinned memory and of the GPUs.
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
        // What is held in parts stays in one memory.
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
        let count = gpus.as_ref().map_or(0, Gpus::count);
        let processors = plan.cpus + plan.omps + count;
        let core = Arc::new(Core::new(Parts {
            level: Level::of_program(FIRST_CPU, FIRST_CPU + processors as u16),
            gpus,
            uids,
            recorder,
            log,
            memory,
            nvtx: Ranges::listening().map(Arc::new),
            ranks,
            cutting,
            world: world.map(Arc::new),
            analysis: Analysis::of_rank(ranks),
            swapped: Arc::default(),
            health: Health::default(),
            plan,
        }));
        core.memory.describe();
        core.memory
            .nearer
            .iter()
            .for_each(|memory| memory.describe());
        if let Some(gpus) = &core.gpus {
            gpus.pinned.describe();
            gpus.memories.iter().for_each(|memory| memory.describe());
        }
        sample_clocks(&core.recorder);
        core.describe_processors();
        core.enter_thread(PROGRAM, ProcessorKind::Program, "Program");
        let runtime = Runtime {
            shared: Arc::new(Shared {
                core,
                workers: Mutex::default(),
            }),
        };
        runtime.start_threads()?;
        let core = runtime.core();
        core.log.say(
            Subsystem::Runtime,
            weft_config::Level::Info,
            format_args!(
                "{} CPU workers, {} OMP groups, {} for analysis, {} bytes of memory, profile {}",
                core.plan.cpus,
                core.plan.omps,
                core.plan.utility,
                core.memory.pool.capacity(),
                if core.recorder.is_on() { "on" } else { "off" },
            ),
        );
        Ok(runtime)
    }

    /// What its threads share.
    pub fn core(&self) -> &Arc<Core> {
        &self.shared.core
    }

    /// The plan this runtime runs by.
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

/// What a finished run has to say of itself.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// Records of the profile; `None` where none was written.
    pub records: Option<Counters>,
}

/// Records one instant on both clocks.
fn sample_clocks(recorder: &Recorder) {
    if recorder.is_on() {
        recorder.write(&time::sample_clocks());
    }
}

/// The operating system's id of the calling thread.
#[allow(unsafe_code, reason = "a system call without arguments")]
fn os_thread() -> u32 {
    // SAFETY: takes no pointers and cannot fail.
    (unsafe { libc::syscall(libc::SYS_gettid) }) as u32
}
