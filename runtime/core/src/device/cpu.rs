//! CPU workers and OMP groups. Each takes ready tasks and runs their kernels over memory that it
//! can address.

mod direct;
mod exchange;
mod execute;
pub(crate) mod fused;
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
use weft_trace::record::{self, Arithmetic};
use weft_trace::time::Timestamp;

pub use direct::Input;
pub(crate) use direct::{read as read_direct, run as run_direct, write as write_direct};
pub(crate) use exchange::{Contribution, Part};
pub(crate) use execute::Tiles;
pub(crate) use omp::{Processor, help};
pub(crate) use peak::measure as measure_floats;
pub(crate) use pin::{allowed, cores, pin, remember, unpin};
pub(crate) use team::Team;
use together::Turn;
pub(crate) use together::{Member, Turns};

use crate::device::{Bodies, Executor, Run};
use crate::error::{Cause, Failure};
use crate::observe::{Launched, Recorder, Subsystem, Weights};
use crate::operation::Operation;
use crate::task::Task;

/// A task of one operation: its tile and its times.
pub(crate) struct TileTask {
    pub(crate) uid: TaskUid,
    pub(crate) point: u32,
    pub(crate) cut: Cut,
    pub(crate) created: Timestamp,
    pub(crate) ready: Timestamp,
}

impl TileTask {
    /// Returns the data of a ready task.
    pub(crate) fn from_task(task: &Task) -> TileTask {
        TileTask {
            uid: task.uid,
            point: task.point,
            cut: task.cut,
            created: task.created,
            ready: task.ready(),
        }
    }
}

/// Runs one operation on one tile, and returns its end time.
pub(crate) fn run_one(
    executor: &Executor<'_>,
    operation: &Operation,
    tile: &TileTask,
    processor: &Processor,
) -> Timestamp {
    carry_out(executor, operation, tile, processor, |start| {
        prepare(executor, operation, tile, start)
    })
}

/// Runs a task's kernel over the tiles that `tiles` finds at its start, and records both. Returns
/// the end time.
pub(crate) fn carry_out<'a>(
    executor: &Executor<'_>,
    operation: &Operation,
    tile: &TileTask,
    processor: &Processor,
    tiles: impl FnOnce(Timestamp) -> Result<Tiles<'a>, Arc<Failure>>,
) -> Timestamp {
    let ran = perform(executor, operation, tile, processor, None, tiles);
    record(
        &executor.observers.recorder,
        operation,
        tile,
        processor.id,
        &ran,
    );
    ran.end
}

/// The run of a kernel.
pub(crate) struct Ran {
    /// Start of the launch.
    pub(crate) launched: Timestamp,
    /// Start of the kernel.
    pub(crate) start: Timestamp,
    /// End of the kernel.
    pub(crate) end: Timestamp,
    /// Number of bytes written.
    pub(crate) bytes: u64,
    /// Number of bytes read; `None` if nothing is recorded.
    pub(crate) read: Option<u64>,
    /// Whether the kernel succeeded.
    pub(crate) done: bool,
}

impl Ran {
    /// Returns the arithmetic of the kernel; `None` if it failed.
    pub(crate) fn arithmetic(&self, operation: &Operation, tile: &TileTask) -> Option<Arithmetic> {
        self.done.then(|| operation.arithmetic(&tile.cut)).flatten()
    }
}

/// Runs an operation's kernel over the tiles found for it. If that fails, the operation's outputs
/// are marked as failed. The launch starts at `at`, or else when its range is open.
pub(crate) fn perform<'a>(
    executor: &Executor<'_>,
    operation: &Operation,
    tile: &TileTask,
    processor: &Processor,
    at: Option<Timestamp>,
    tiles: impl FnOnce(Timestamp) -> Result<Tiles<'a>, Arc<Failure>>,
) -> Ran {
    let labels = operation.labels();
    let &Executor {
        observers, health, ..
    } = executor;
    let range = observers.open_range(
        labels.and_then(|labels| labels.message.as_ref()),
        processor.kind,
        LaunchUid(tile.uid.0),
    );
    observers.log.say(
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
    // Read within the range, so that the range contains the launch.
    let at = at.unwrap_or_else(|| observers.recorder.now());
    let mut start = at;
    let (mut bytes, mut read) = (0, None);
    let turn = Turn::for_operation(executor, operation);
    let outcome = tiles(at).and_then(|mut tiles| {
        start = observers.recorder.now();
        bytes = tiles.bytes_written();
        read = observers
            .recorder
            .is_on()
            .then(|| tiles.bytes_read(&tile.cut));
        processor
            .run(executor, operation, tile, &mut tiles, turn.as_ref())
            .map_err(|cause| operation.failure(cause))
    });
    if let (Some(turn), Err(failure)) = (&turn, &outcome) {
        turn.fail(operation, failure);
    }
    drop(turn);
    let end = observers.recorder.now();
    drop(range);
    if let Err(failure) = &outcome {
        health.fail(operation, failure);
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

/// Records a task, its launch and its kernel.
pub(crate) fn record(
    recorder: &Recorder,
    operation: &Operation,
    tile: &TileTask,
    processor: ProcessorId,
    ran: &Ran,
) {
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

/// Runs the kernel on one tile of a task. With `--verify` the body of a user's task runs on guarded
/// copies.
fn run_tile(
    bodies: &dyn Bodies,
    operation: &Operation,
    task: TaskUid,
    tiles: &mut Tiles<'_>,
    cut: &Cut,
) -> Result<(), Cause> {
    let run = || match bodies.verifies() && operation.body.kernels.is_body() {
        true => verify::run(bodies, operation, task, tiles, cut),
        false => bodies.run(operation, task, Run::First, || tiles.run(cut)),
    };
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| Err(Cause::Panicked(text_of(&*panic))))
}

/// Finds the memory of every operand, and creates missing instances for outputs.
pub(crate) fn prepare<'a>(
    executor: &Executor<'_>,
    operation: &'a Operation,
    tile: &TileTask,
    start: Timestamp,
) -> Result<Tiles<'a>, Arc<Failure>> {
    if let Some(failure) = operation.failed_input() {
        return Err(failure);
    }
    let memories = executor.memories;
    memories.move_store(operation, start)?;
    memories
        .with_room(|| execute::Tiles::new(executor.cutting, operation, &tile.cut, start))
        .map_err(|full| operation.failure(memories.out_of_memory(&full, operation)))
}

/// Returns the message of a panic.
pub(crate) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned())
}
