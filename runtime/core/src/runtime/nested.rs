//! Tasks that start tasks: what their bodies ask for runs in a runtime of its own, one level below.
//!
//! A level has its own threads, its own analysis and its own stores. So a body that waits for a result waits for threads that never wait
//! for its own: however many bodies wait, something runs. UIDs, names, memory, failures and the profile are those of the whole run.
//! Below the program there is no other rank and no GPU: a body runs where its tile is.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use weft_config::Plan;

use weft_trace::id::{ProcessorId, TaskUid};

use super::health::Health;
use super::{Core, Cutting, FINISHED, PROGRAM, Parts, Runtime, Shared};
use crate::error::{CallError, Cause, Error};
use crate::identity::{BodyNumber, Uids};
use crate::memory::Store;
use crate::operation::Operation;
use crate::scope::Within;
use crate::task::Analysis;

/// Levels below the program: each may take as many threads as the machine has processors.
const DEEPEST: u32 = 16;

/// A body that waited for another task would keep the processor that is to run it.
const NOT_NESTED: CallError = CallError::Runtime(
    "the body of a task cannot make calls on arrays of Weft: it works on the parts that it is given; pass the array as an argument, make \
     the call outside of the task, or define the task as one that starts tasks (`nested`)",
);

/// What the body waited for could wait for the body.
pub(super) const FROM_OUTSIDE: CallError = CallError::Runtime(
    "the body of a task cannot make calls on arrays from outside of it: pass the array as an argument, and make arrays of the parts \
     that the body is given",
);

/// What a body makes ends with it.
const FROM_INSIDE: CallError = CallError::Runtime(
    "this array was made in the body of a task and can be used there alone: copy its values to an output of the task",
);

const TOO_DEEP: CallError = CallError::Runtime(
    "tasks that start tasks are more than 16 levels deep: let the deepest do their work themselves",
);

/// Which run of a body it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// The first, or the only one.
    First = 0,
    /// Another with `--verify`: what it starts has been verified in the first, and would be in four runs of each of four, and so on.
    Again = 1,
}

/// A level: that of the program, or one below.
pub(crate) struct TaskLevel {
    /// 0 for what the program asks for, 1 for what bodies of its tasks ask for, and so on.
    pub(super) number: u32,
    /// The first CPU worker.
    pub(super) first_cpu: u16,
    /// Whether bodies run on guarded copies.
    pub(crate) verifies: bool,
    numbers: Arc<Numbers>,
    /// What the level below is started from.
    core: Weak<Core>,
    /// The level below, by the run of the body.
    below: [OnceLock<Runtime>; 2],
    /// Held by who starts it.
    starting: Mutex<()>,
}

impl TaskLevel {
    fn new(number: u32, first_cpu: u16, numbers: Arc<Numbers>) -> TaskLevel {
        TaskLevel {
            number,
            first_cpu,
            verifies: false,
            numbers,
            core: Weak::new(),
            below: Default::default(),
            starting: Mutex::default(),
        }
    }

    /// That of a program, whose processors have numbers below `end`.
    pub(super) fn of_program(first_cpu: u16, end: u16) -> TaskLevel {
        let numbers = Numbers {
            processors: AtomicU16::new(end),
            names: AtomicU32::new(1),
        };
        TaskLevel::new(0, first_cpu, Arc::new(numbers))
    }

    /// A number for a table of names that no other table has.
    pub(super) fn next_names(&self) -> u32 {
        self.numbers.names.fetch_add(1, Ordering::Relaxed)
    }

    /// The same, as that of a core.
    pub(super) fn of_core(self, core: &Weak<Core>, plan: &Plan) -> TaskLevel {
        TaskLevel {
            core: core.clone(),
            verifies: plan.verify,
            ..self
        }
    }
}

/// Numbers in the profile that are given to one level each.
struct Numbers {
    /// The first that no processor has.
    processors: AtomicU16,
    /// Analyses that number names.
    names: AtomicU32,
}

/// Which calls on arrays a thread may make.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// On those of this level: 0 for the program, 1 for bodies of its tasks, and so on.
    Level(u32),
    /// None.
    Refused,
}

/// A body that starts tasks.
#[derive(Clone, Copy)]
struct Body {
    number: BodyNumber,
    task: TaskUid,
}

thread_local! {
    static CALLS: Cell<Calls> = const { Cell::new(Calls::Level(0)) };
    /// What the thread is in records.
    static PROCESSOR: Cell<ProcessorId> = const { Cell::new(PROGRAM) };
    /// The body that the thread runs, where that starts tasks.
    static BODY: Cell<Option<Body>> = const { Cell::new(None) };
}

/// The task whose body the calling thread runs, where that starts tasks.
#[inline]
pub(super) fn task() -> Option<TaskUid> {
    BODY.get().map(|body| body.task)
}

/// The body that the calling thread runs, where that starts tasks.
#[inline]
pub(super) fn body() -> Option<BodyNumber> {
    BODY.get().map(|body| body.number)
}

/// That the calling thread runs no body, or the one that made the store: which body another one could follow depends on chance, and on
/// ranks on where they run.
///
/// # Errors
/// Another body made it.
#[inline]
pub fn check_body(store: &Store) -> Result<(), CallError> {
    // Most stores are of no body, of which nothing must be asked.
    let Some(made) = store.body else {
        return Ok(());
    };
    match body() {
        Some(own) if own != made => {
            let location = store.location;
            Err(CallError::OtherBody { location })
        }
        _ => Ok(()),
    }
}

/// What the calling thread is in records: a processor of the runtime, or the program.
#[inline]
pub(super) fn processor() -> ProcessorId {
    PROCESSOR.get()
}

/// Says what the calling thread is in records.
pub(crate) fn set_processor(id: ProcessorId) {
    PROCESSOR.set(id);
}

/// The thread runs the body of a task until this is dropped.
pub(crate) struct InBody {
    before: (Calls, Option<Body>),
    /// Of one thread.
    _thread: PhantomData<*const ()>,
}

impl InBody {
    /// One that makes no calls on arrays.
    pub(crate) fn begin() -> InBody {
        InBody::of(Calls::Refused, None)
    }

    fn of(calls: Calls, body: Option<Body>) -> InBody {
        InBody {
            before: (CALLS.replace(calls), BODY.replace(body)),
            _thread: PhantomData,
        }
    }
}

impl Drop for InBody {
    fn drop(&mut self) {
        let (calls, body) = self.before;
        CALLS.set(calls);
        BODY.set(body);
    }
}

/// Whether the calling thread runs the body of a task.
#[inline]
pub fn is_in_body() -> bool {
    CALLS.get() != Calls::Level(0)
}

/// That calls are refused in a body that starts no tasks.
///
/// # Errors
/// The calling thread runs such a body.
#[inline]
pub fn check_outside_of_bodies() -> Result<(), CallError> {
    match CALLS.get() {
        Calls::Refused => Err(NOT_NESTED),
        Calls::Level(_) => Ok(()),
    }
}

impl TaskLevel {
    /// Whether the calling thread may make calls on arrays of this runtime.
    #[inline]
    pub(super) fn is_callable(&self) -> bool {
        CALLS.get() == Calls::Level(self.number)
    }

    /// The same, with the reason.
    pub(super) fn check_callable(&self) -> Result<(), CallError> {
        match CALLS.get() {
            Calls::Level(level) if level == self.number => Ok(()),
            Calls::Refused => Err(NOT_NESTED),
            Calls::Level(level) if level > self.number => Err(FROM_OUTSIDE),
            Calls::Level(_) => Err(FROM_INSIDE),
        }
    }

    /// The levels below that have been started.
    pub(super) fn all_nested(&self) -> impl Iterator<Item = &Runtime> {
        self.below.iter().filter_map(OnceLock::get)
    }

    /// The runtime of what bodies of tasks ask for, which is started by the first who needs it: best by the program, whose thread may run
    /// on every core.
    ///
    /// # Errors
    /// It is too deep, or a thread cannot be started.
    pub(crate) fn nested(&self, run: Run) -> Result<&Runtime, Error> {
        let known = &self.below[run as usize];
        if let Some(nested) = known.get() {
            return Ok(nested);
        }
        if self.number == DEEPEST {
            return Err(TOO_DEEP.into());
        }
        let _one = self.starting.lock();
        if let Some(nested) = known.get() {
            return Ok(nested);
        }
        // A core lives as long as its threads, which run bodies, and as its arrays, with which tasks are called.
        let core = self.core.upgrade().ok_or(FINISHED)?;
        let started = Runtime::within(&core, run)?;
        Ok(known.get_or_init(|| started))
    }

    /// Runs the body of an operation for a task; the tasks that it starts, if it is one of those that do, are part of it.
    pub(crate) fn run_body(
        &self,
        operation: &Operation,
        task: TaskUid,
        run: Run,
        body: impl FnOnce() -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        if !operation.body.kernels.starts_tasks() {
            return body();
        }
        self.run_nesting(operation, task, run, body)
            .unwrap_or_else(|error| Err(Cause::Body(Arc::new(error))))
    }

    fn run_nesting<R>(
        &self,
        operation: &Operation,
        task: TaskUid,
        run: Run,
        body: impl FnOnce() -> R,
    ) -> Result<R, Error> {
        let nested = self.nested(run)?;
        let number = BodyNumber::next();
        let own = Body { number, task };
        let _calls = InBody::of(Calls::Level(self.number + 1), Some(own));
        let _within = Within::operation_in(operation.uid, operation.scope);
        Ok(nested.enter(body))
    }
}

impl Runtime {
    /// Starts the runtime one level below another.
    fn within(outer: &Core, run: Run) -> Result<Runtime, Error> {
        let mut plan = outer.plan.clone();
        plan.verify &= run == Run::First;
        if outer.observers.recorder.is_on() {
            // What ran at once would be recorded on the body's own processor, within the body.
            plan.max_inline_chunk = 0;
        }
        plan.cpus = (plan.cpus + plan.omps * plan.omp_threads).max(1);
        (plan.omps, plan.gpus, plan.utility) = (0, 0, 0);
        let number = outer.level.number + 1;
        let uids = Arc::new(Uids::within(outer.uids.clone()));
        let cutting = Cutting::of(&plan);
        let cpus = plan.cpus as u16;
        let first_cpu = outer
            .level
            .numbers
            .processors
            .fetch_add(cpus, Ordering::Relaxed);
        let names = outer.level.next_names();
        let core = Core::of(Parts {
            level: TaskLevel::new(number, first_cpu, outer.level.numbers.clone()),
            cutting,
            memories: outer.memories.within(uids.clone()),
            uids,
            observers: outer.observers.within(),
            world: None,
            gpus: None,
            analysis: Analysis::with_names(names, &plan),
            health: Health::of_level(outer.health.failures.clone()),
            plan,
        });
        let runtime = Runtime {
            shared: Arc::new(Shared {
                core,
                workers: Mutex::default(),
            }),
        };
        runtime.start_threads()?;
        Ok(runtime)
    }
}
