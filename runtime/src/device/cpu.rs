//! CPU workers: each takes ready tasks and runs their kernels over memory it can address.

mod execute;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use smallvec::SmallVec;
use weft_config::Level;
use weft_trace::id::{LaunchUid, ProcessorId};
use weft_trace::record::{self, ProcessorKind, Shares};
use weft_trace::time::Timestamp;

pub(crate) use execute::Tiles;

use crate::error::{Cause, Failure, HeldMemory};
use crate::memory::Holder;
use crate::observe::Subsystem;
use crate::operation::Operation;
use crate::runtime::Core;
use crate::task::Task;

/// Takes and runs tasks until the runtime stops.
pub(crate) fn serve(core: &Core, processor: ProcessorId, index: usize) {
    core.enter_thread(processor, ProcessorKind::Cpu, &format!("CPU {index}"));
    let mut next = None;
    while let Some(task) = next.take().or_else(|| core.ready.pop()) {
        next = run(core, &task, processor);
    }
    core.recorder.detach_thread();
}

/// Runs one task, and returns one that became ready by it: its data is still in this processor's cache.
fn run(core: &Core, task: &Task, processor: ProcessorId) -> Option<Arc<Task>> {
    let operation = task.take()?;
    let recorder = &core.recorder;
    let end = carry_out(core, &operation, task, processor, |start| {
        prepare(&operation, task, start)
    });
    let last = operation.task_ended();
    let latch = if last { operation.latch.clone() } else { None };
    if last {
        operation.end_uses();
    }
    // Stores that nobody else holds end here, before anyone can see that the operation has ended.
    recorder.at_moment(end, || drop(operation));
    let mut ready: SmallVec<[Arc<Task>; 4]> = task
        .end()
        .into_iter()
        .filter(|later| later.release(end))
        .collect();
    let next = if ready.is_empty() {
        None
    } else {
        Some(ready.remove(0))
    };
    if !ready.is_empty() {
        core.ready.push(ready);
    }
    if let Some(latch) = latch {
        latch.open();
    }
    if last {
        core.outstanding.end();
    }
    next
}

/// Runs a task's kernel over the tiles found for it at its start, and writes both down. What comes back is the end of it.
pub(crate) fn carry_out<'a>(
    core: &Core,
    operation: &Operation,
    task: &Task,
    processor: ProcessorId,
    tiles: impl FnOnce(Timestamp) -> Result<Tiles<'a>, Arc<Failure>>,
) -> Timestamp {
    let recorder = &core.recorder;
    let labels = operation.labels();
    let range = match (
        &core.nvtx,
        labels.and_then(|labels| labels.message.as_ref()),
    ) {
        (Some(nvtx), Some(message)) => Some(nvtx.push(message, ProcessorKind::Cpu, task.uid.raw())),
        _ => None,
    };
    core.log.say(
        Subsystem::Task,
        Level::Debug,
        format_args!(
            "{} {} point {} starts",
            operation.name(),
            task.uid,
            task.point
        ),
    );
    let start = recorder.now();
    let mut kernel_start = start;
    let mut bytes = 0;
    let outcome = tiles(start).and_then(|tiles| {
        kernel_start = recorder.now();
        bytes = tiles.bytes_written();
        catch_unwind(AssertUnwindSafe(|| tiles.run(task)))
            .unwrap_or_else(|panic| Err(Cause::Panicked(text_of(&*panic))))
            .map_err(|cause| operation.failure(cause))
    });
    let end = recorder.now();
    drop(range);
    if let Err(failure) = &outcome {
        core.fail(operation, failure);
    }
    if let Some(labels) = labels
        && recorder.is_on()
    {
        let launch = LaunchUid(task.uid.0);
        if outcome.is_ok() {
            let name = labels.kernel;
            let start = kernel_start;
            recorder.write(&record::Kernel {
                launch,
                processor,
                name,
                start,
                end,
                bytes,
            });
        }
        recorder.write(&record::Launch {
            uid: launch,
            processor,
            start,
            end,
            shares: Shares::Items(&[]),
        });
        recorder.write(&record::Task {
            uid: task.uid,
            operation: operation.uid,
            point: task.point,
            processor,
            created: task.created,
            ready: task.ready(),
            start,
            end,
        });
    }
    end
}

/// Finds the memory of every operand, making instances for what is written first.
fn prepare<'a>(
    operation: &'a Operation,
    task: &'a Task,
    start: Timestamp,
) -> Result<Tiles<'a>, Arc<Failure>> {
    if let Some(failure) = operation.failed_input() {
        return Err(failure.clone());
    }
    Tiles::new(operation, task, start).map_err(|full| {
        operation.failure(Cause::OutOfMemory {
            asked: full.asked,
            memory: weft_trace::record::MemoryKind::System.name(),
            used: full.used,
            capacity: full.capacity,
            holders: held_by(&full.holders),
        })
    })
}

/// The largest of those who hold a memory, in words.
pub(crate) fn held_by(holders: &[Holder]) -> Vec<HeldMemory> {
    let held = holders.iter().take(LARGEST).map(|holder| HeldMemory {
        store: holder.store,
        location: holder.location,
        bytes: holder.bytes,
    });
    held.collect()
}

/// How many of those who hold a memory an error names.
const LARGEST: usize = 5;

/// What a panic said.
pub(crate) fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned())
}
