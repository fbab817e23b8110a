//! Tasks that start tasks: operations of their bodies run in a separate runtime, one level below.
//!
//! A level has its own threads, analysis and stores. So a body that waits for a result waits for
//! threads that never wait for its own: however many bodies wait, something runs. UIDs, names,
//! memory, failures and the profile belong to the whole run. Below the program there are no other
//! ranks and no GPUs: a body runs where its tile runs.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use weft_config::Plan;

use weft_trace::id::TaskUid;

use super::analysis::Analysis;
use super::{Core, FINISHED, Parts, Runtime, Shared};
use crate::device::{Bodies, Run};
use crate::error::{CallError, Cause, Error};
use crate::health::Health;
use crate::identity::{BodyNumber, Uids};
use crate::memory::Store;
use crate::operation::{Cutting, Operation};
use crate::scope::Within;

/// Maximum number of levels below the program: each may take as many threads as the machine has
/// processors.
const DEEPEST: u32 = 16;

/// A body that waited for another task would keep the processor that is to run it.
const NOT_NESTED: CallError = CallError::Runtime(
    "the body of a task cannot make calls on arrays of Weft: it works on the parts that it is given; pass the array as an argument, make \
     the call outside of the task, or define the task as one that starts tasks (`nested`)",
);

/// The awaited operation could itself wait for the body.
pub(super) const FROM_OUTSIDE: CallError = CallError::Runtime(
    "the body of a task cannot make calls on arrays from outside of it: pass the array as an argument, and make arrays of the parts \
     that the body is given",
);

/// Arrays of a body end with it.
const FROM_INSIDE: CallError = CallError::Runtime(
    "this array was made in the body of a task and can only be used there: copy its values to an output of the task",
);

const TOO_DEEP: CallError = CallError::Runtime(
    "tasks that start tasks are more than 16 levels deep: let the deepest do their work themselves",
);

/// A level: the program, or a level below it.
pub(crate) struct TaskLevel {
    /// 0 for operations of the program, 1 for those of bodies of its tasks, and so on.
    pub(super) number: u32,
    /// The first CPU worker.
    pub(super) first_cpu: u16,
    /// Whether bodies run on guarded copies.
    verifies: bool,
    numbers: Arc<Numbers>,
    /// The core from which the level below is started.
    core: Weak<Core>,
    /// The level below, by the run of the body.
    below: [OnceLock<Runtime>; 2],
    /// Held while the level below is started.
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

    /// Creates the level of a program, whose processors have numbers below `end`.
    pub(super) fn for_program(first_cpu: u16, end: u16) -> TaskLevel {
        let numbers = Numbers {
            processors: AtomicU16::new(end),
            names: AtomicU32::new(1),
        };
        TaskLevel::new(0, first_cpu, Arc::new(numbers))
    }

    /// Returns a number for a table of names that no other table has.
    pub(super) fn next_names(&self) -> u32 {
        self.numbers.names.fetch_add(1, Ordering::Relaxed)
    }

    /// Attaches the level to a core and its plan.
    pub(super) fn attach(self, core: &Weak<Core>, plan: &Plan) -> TaskLevel {
        TaskLevel {
            core: core.clone(),
            verifies: plan.verify,
            ..self
        }
    }
}

/// Counters of the profile that all levels share.
struct Numbers {
    /// The first unused number of a processor.
    processors: AtomicU16,
    /// The next number of a table of names.
    names: AtomicU32,
}

/// The calls on arrays that a thread may make.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// Calls on arrays of this level: 0 for the program, 1 for bodies of its tasks, and so on.
    Level(u32),
    /// No calls.
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
    /// The body that the thread runs, if it starts tasks.
    static BODY: Cell<Option<Body>> = const { Cell::new(None) };
}

/// Returns the task whose body the calling thread runs, if that body starts tasks.
#[inline]
pub(super) fn task() -> Option<TaskUid> {
    BODY.get().map(|body| body.task)
}

/// Returns the body that the calling thread runs, if it starts tasks.
#[inline]
pub(super) fn body() -> Option<BodyNumber> {
    BODY.get().map(|body| body.number)
}

/// Returns an error if a body other than the calling thread's made the store. The order of bodies
/// depends on chance, and on ranks on where they run.
///
/// # Errors
/// Returns an error if another body made the store.
#[inline]
pub fn check_body(store: &Store) -> Result<(), CallError> {
    // Fast path: most stores do not belong to a body.
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

/// Guard: the thread runs the body of a task until this is dropped.
pub(crate) struct InBody {
    before: (Calls, Option<Body>),
    /// Bound to one thread.
    _thread: PhantomData<*const ()>,
}

impl InBody {
    /// Begins a body that makes no calls on arrays.
    pub(crate) fn begin() -> InBody {
        InBody::new(Calls::Refused, None)
    }

    fn new(calls: Calls, body: Option<Body>) -> InBody {
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

/// Returns an error in a body that starts no tasks.
///
/// # Errors
/// Returns an error if the calling thread runs a body that starts no tasks.
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

    /// Returns an error if the calling thread may not make calls on arrays of this runtime.
    pub(super) fn check_callable(&self) -> Result<(), CallError> {
        match CALLS.get() {
            Calls::Level(level) if level == self.number => Ok(()),
            Calls::Refused => Err(NOT_NESTED),
            Calls::Level(level) if level > self.number => Err(FROM_OUTSIDE),
            Calls::Level(_) => Err(FROM_INSIDE),
        }
    }

    /// Iterates over the levels below that have been started.
    pub(super) fn all_nested(&self) -> impl Iterator<Item = &Runtime> {
        self.below.iter().filter_map(OnceLock::get)
    }

    /// Returns the runtime of the level below, started on first use: preferably by the program,
    /// whose thread may run on every core.
    ///
    /// # Errors
    /// Returns an error if the level is too deep, or a thread cannot be started.
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
        // A core lives as long as its threads, which run bodies, and as its arrays, with which
        // tasks are called.
        let core = self.core.upgrade().ok_or(FINISHED)?;
        let started = Runtime::within(&core, run)?;
        Ok(known.get_or_init(|| started))
    }
}

impl Bodies for TaskLevel {
    fn verifies(&self) -> bool {
        self.verifies
    }

    fn run_nesting(
        &self,
        operation: &Operation,
        task: TaskUid,
        run: Run,
        body: &mut dyn FnMut() -> Result<(), Cause>,
    ) -> Result<(), Cause> {
        let nested = match self.nested(run) {
            Ok(nested) => nested,
            Err(error) => return Err(Cause::Body(Arc::new(error))),
        };
        let number = BodyNumber::next();
        let own = Body { number, task };
        let _calls = InBody::new(Calls::Level(self.number + 1), Some(own));
        let _within = Within::operation_in(operation.uid, operation.scope);
        nested.enter(body)
    }
}

impl Runtime {
    /// Starts the runtime one level below another.
    fn within(outer: &Core, run: Run) -> Result<Runtime, Error> {
        let mut plan = outer.plan.clone();
        plan.verify &= run == Run::First;
        if outer.observers.recorder.is_on() {
            // An inline operation would be recorded on the body's own processor, within the body.
            plan.max_inline_chunk = 0;
        }
        plan.cpus = (plan.cpus + plan.omps * plan.omp_threads).max(1);
        (plan.omps, plan.gpus, plan.utility) = (0, 0, 0);
        let number = outer.level.number + 1;
        let uids = Arc::new(Uids::within(outer.uids.clone()));
        let cutting = Cutting::new(&plan);
        let cpus = plan.cpus as u16;
        let first_cpu = outer
            .level
            .numbers
            .processors
            .fetch_add(cpus, Ordering::Relaxed);
        let names = outer.level.next_names();
        let core = Core::from_parts(Parts {
            level: TaskLevel::new(number, first_cpu, outer.level.numbers.clone()),
            cutting,
            memories: outer.memories.within(uids.clone()),
            uids,
            observers: outer.observers.within(),
            world: None,
            gpus: None,
            analysis: Analysis::with_names(names, &plan),
            health: Health::for_level(outer.health.failures.clone()),
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
