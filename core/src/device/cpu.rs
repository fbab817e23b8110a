//! CPU workers and OMP groups: each takes ready tasks and runs their kernels over memory it can address.

mod direct;
mod exchange;
mod execute;
mod fused;
mod omp;
mod peak;
mod pin;
mod team;
mod together;
mod verify;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use weft_config::Level;
use weft_geometry::Cut;
use weft_trace::id::{LaunchUid, ProcessorId, TaskUid};
use weft_trace::record::{self, Arithmetic, ProcessorKind};
use weft_trace::time::Timestamp;

pub use direct::Input;
pub(crate) use direct::run as run_direct;
pub use exchange::{ExchangeError, Remote};
pub(crate) use exchange::{Given, Part};
pub(crate) use execute::Tiles;
pub(crate) use omp::{Processor, help, lead};
pub(crate) use peak::measure as measure_floats;
pub(crate) use pin::{allowed, cores, pin, remember, unpin};
pub(crate) use team::Team;
use together::Turn;
pub(crate) use together::{Member, Turns};

use crate::device::Patience;
use crate::error::{Cause, Failure};
use crate::observe::{Launched, Subsystem, Weights};
use crate::operation::Operation;
use crate::runtime::{Core, Run, Trap};
use crate::task::{Ended, Task, Work};

/// Takes and runs tasks until the runtime stops.
pub(crate) fn serve(core: &Arc<Core>, processor: ProcessorId, name: &str) {
    core.enter_thread(processor, ProcessorKind::Cpu, name);
    let processor = Processor::cpu(processor);
    let queue = core.cpu_queue();
    let mut next = None;
    let mut patience = Patience::default();
    let mut pop = || queue.pop_or(|| core.help(&mut patience));
    while let Some(task) = next.take().or_else(&mut pop) {
        if task.turn > 0 {
            together::run_apart(core, task, &processor);
            continue;
        }
        next = run(core, &task, &processor);
        if let Some(other) = next.take_if(|next| !queue.goes_first(next.priority)) {
            core.make_ready([other]);
        }
        if core.is_abandoned() {
            break;
        }
    }
    core.recorder.detach_thread();
}

/// Runs one task, and returns one that became ready by it: its data is still in this processor's cache.
fn run(core: &Core, task: &Task, processor: &Processor) -> Option<Arc<Task>> {
    let recorder = &core.recorder;
    let work = task.take()?;
    core.trap(Trap::Worker);
    let (end, ended) = match work {
        Work::One(operation) => {
            let end = run_one(core, &operation, &TileTask::of(task), processor);
            // The analysis let go of it before its tiles could begin.
            (end, Ended::let_go(recorder, operation, end))
        }
        Work::Fused(fused) => {
            let run = fused::Run {
                core,
                task,
                fused: &fused,
                processor,
            };
            let end = run.run();
            let mut ended = Ended::default();
            if let Some(fused) = Arc::into_inner(fused) {
                for one in &fused.operations {
                    ended.add(one);
                }
                recorder.at_moment(end, || drop(fused));
            }
            (end, ended)
        }
    };
    core.end_task_for_next(task, end, ended)
}

/// The task of one operation: which tile, and since when.
pub(crate) struct TileTask {
    pub(crate) uid: TaskUid,
    pub(crate) point: u32,
    pub(crate) cut: Cut,
    pub(crate) created: Timestamp,
    pub(crate) ready: Timestamp,
}

impl TileTask {
    /// That of a task which is ready.
    pub(crate) fn of(task: &Task) -> TileTask {
        TileTask {
            uid: task.uid,
            point: task.point,
            cut: task.cut,
            created: task.created,
            ready: task.ready(),
        }
    }
}

/// Does one operation on one tile, and returns when it ended.
pub(crate) fn run_one(
    core: &Core,
    operation: &Operation,
    tile: &TileTask,
    processor: &Processor,
) -> Timestamp {
    carry_out(core, operation, tile, processor, |start| {
        prepare(core, operation, tile, start)
    })
}

/// Runs a task's kernel over the tiles found for it at its start, and writes both down. What comes back is the end of it.
pub(crate) fn carry_out<'a>(
    core: &Core,
    operation: &Operation,
    tile: &TileTask,
    processor: &Processor,
    tiles: impl FnOnce(Timestamp) -> Result<Tiles<'a>, Arc<Failure>>,
) -> Timestamp {
    let ran = perform(core, operation, tile, processor, None, tiles);
    record(core, operation, tile, processor.id, &ran);
    ran.end
}

/// How a kernel ran.
pub(crate) struct Ran {
    /// When its launch began.
    pub(crate) launched: Timestamp,
    /// When it began.
    pub(crate) start: Timestamp,
    /// When it ended.
    pub(crate) end: Timestamp,
    /// Bytes it wrote.
    pub(crate) bytes: u64,
    /// Bytes it read; `None` where nothing is recorded.
    pub(crate) read: Option<u64>,
    /// Whether it did what it was to do.
    pub(crate) done: bool,
}

impl Ran {
    /// What the kernel computed; not known of one that failed.
    pub(crate) fn arithmetic(&self, operation: &Operation, tile: &TileTask) -> Option<Arithmetic> {
        self.done.then(|| operation.arithmetic(&tile.cut)).flatten()
    }
}

/// Runs an operation's kernel over the tiles found for it; where that fails, whatever it would have written is never to be read.
/// The launch begins at the time `at`, or else when its range is open.
pub(crate) fn perform<'a>(
    core: &Core,
    operation: &Operation,
    tile: &TileTask,
    processor: &Processor,
    at: Option<Timestamp>,
    tiles: impl FnOnce(Timestamp) -> Result<Tiles<'a>, Arc<Failure>>,
) -> Ran {
    let labels = operation.labels();
    let range = core.open_range(
        labels.and_then(|labels| labels.message.as_ref()),
        processor.kind,
        LaunchUid(tile.uid.0),
    );
    core.log.say(
        Subsystem::Task,
        Level::Debug,
        format_args!(
            "{} [{}] {} point {} starts",
            operation.name(),
            operation.call(),
            tile.uid,
            tile.point
        ),
    );
    // Read within the range, so that the range holds the launch.
    let at = at.unwrap_or_else(|| core.recorder.now());
    let mut start = at;
    let (mut bytes, mut read) = (0, None);
    let turn = Turn::of(core, operation);
    let outcome = tiles(at).and_then(|mut tiles| {
        start = core.recorder.now();
        bytes = tiles.bytes_written();
        read = core.recorder.is_on().then(|| tiles.bytes_read());
        processor
            .run(core, operation, tile, &mut tiles, turn.as_ref())
            .map_err(|cause| operation.failure(cause))
    });
    if let (Some(turn), Err(failure)) = (&turn, &outcome) {
        turn.fail(operation, failure);
    }
    drop(turn);
    let end = core.recorder.now();
    drop(range);
    if let Err(failure) = &outcome {
        core.fail(operation, failure);
    }
    Ran {
        launched: at,
        start,
        end,
        bytes,
        read,
        done: outcome.is_ok(),
    }
}

/// Writes down a task, its launch and its kernel.
pub(crate) fn record(
    core: &Core,
    operation: &Operation,
    tile: &TileTask,
    processor: ProcessorId,
    ran: &Ran,
) {
    let recorder = &core.recorder;
    let Some(labels) = operation.labels().filter(|_| recorder.is_on()) else {
        return;
    };
    let launch = LaunchUid(tile.uid.0);
    let (start, end) = (ran.launched, ran.end);
    if ran.done {
        recorder.write(&record::Kernel {
            launch,
            processor,
            name: labels.kernel,
            start: ran.start,
            end,
            bytes: ran.bytes,
            read: ran.read,
        });
    }
    let launched = Launched {
        uid: launch,
        processor,
        start,
        end,
    };
    launched.record(recorder, &[(tile.uid, ran.bytes)], Weights::Bytes);
    recorder.write(&record::Task {
        uid: tile.uid,
        operation: operation.uid,
        point: tile.point,
        processor,
        created: tile.created,
        ready: tile.ready,
        start,
        end,
        arithmetic: ran.arithmetic(operation, tile),
    });
}

/// Runs the kernel on one tile of a task; of a body of a user's own, with `--verify`, on guarded copies.
fn run_tile(
    core: &Core,
    operation: &Operation,
    task: TaskUid,
    tiles: &mut Tiles<'_>,
    cut: &Cut,
) -> Result<(), Cause> {
    let run = || match core.plan.verify && operation.body.kernels.is_body() {
        true => verify::run(core, operation, task, tiles, cut),
        false => core.run_body(operation, task, Run::First, || tiles.run(cut)),
    };
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| Err(Cause::Panicked(text_of(&*panic))))
}

/// Finds the memory of every operand, making instances for what is written first.
pub(crate) fn prepare<'a>(
    core: &Core,
    operation: &'a Operation,
    tile: &TileTask,
    start: Timestamp,
) -> Result<Tiles<'a>, Arc<Failure>> {
    if let Some(failure) = operation.failed_input() {
        return Err(failure);
    }
    core.move_store(operation, start)?;
    core.with_room(|| execute::Tiles::new(core, operation, &tile.cut, start))
        .map_err(|full| operation.failure(core.out_of_memory(&full, operation)))
}

/// What a panic said.
pub(crate) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned())
}
