//! The threads that take tasks and run them on CPUs.

use std::sync::Arc;

use weft_trace::id::LaunchUid;
use weft_trace::time::Timestamp;

use super::Core;
use crate::device::Patience;
use crate::device::cpu::{Processor, TileTask, fused, run_one, unpin};
use crate::fusion::Fused;
use crate::health::Trap;
use crate::observe::{Recorder, set_processor};
use crate::task::{Ended, Task, Work};

/// Takes and runs tasks until the runtime stops: the tasks of CPU workers, or those of OMP groups
/// as the leader of one.
pub(crate) fn serve(core: &Arc<Core>, processor: &Processor, name: &str) {
    core.enter_thread(processor.id, processor.kind, name);
    let stop = processor.stop_team();
    let queue = core.queues.get(processor.kind);
    let mut next = None;
    let mut patience = Patience::default();
    let mut pop = || queue.pop_or(|| core.help(&mut patience));
    while let Some(task) = next.take().or_else(&mut pop) {
        if task.turn > 0 {
            run_apart(core, task, processor);
            continue;
        }
        next = match core
            .health
            .is_unneeded(&task, &core.uids, core.queues.have_ranks())
        {
            true => drop_task(core, &task),
            false => run(core, &task, processor),
        };
        if let Some(other) = next.take_if(|next| !queue.goes_first(next.priority)) {
            core.queues.make_ready([other]);
        }
        if core.health.is_abandoned() {
            break;
        }
    }
    drop(stop);
    core.observers.recorder.detach_thread();
}

/// Runs a task on its own thread, because it waits for its counterparts on other ranks. These
/// may wait for tasks that this processor must run meanwhile.
fn run_apart(core: &Arc<Core>, task: Arc<Task>, processor: &Processor) {
    let (own, own_task, apart) = (core.clone(), task.clone(), processor.alone());
    let body = move || {
        own.run_thread("weft-tiles", || {
            unpin(own.plan.pin_cpus);
            own.observers.recorder.attach_thread();
            set_processor(apart.id);
            if let Some(next) = run(&own, &own_task, &apart) {
                own.queues.make_ready([next]);
            }
            own.observers.recorder.detach_thread();
        });
    };
    let thread = std::thread::Builder::new().name("weft-tiles".to_owned());
    match thread.spawn(body) {
        Ok(thread) => core.queues.turns.keep(thread),
        Err(_) => {
            // Without a new thread the task runs on this one, and may wait for itself. Failing it
            // would leave the other ranks waiting.
            if let Some(next) = run(core, &task, processor) {
                core.queues.make_ready([next]);
            }
        }
    }
}

/// Ends a task without running it, and returns a task that became ready by it.
fn drop_task(core: &Core, task: &Task) -> Option<Arc<Task>> {
    let recorder = &core.observers.recorder;
    let at = recorder.now();
    let ended = match task.take()? {
        Work::One(operation) => {
            core.health.drop_operation(&operation);
            Ended::let_go(recorder, operation, at)
        }
        Work::Fused(fused) => {
            let operations = fused.operations.iter();
            operations.for_each(|operation| core.health.drop_operation(operation));
            let_go_of(recorder, fused, at)
        }
    };
    core.queues.end_task_for_next(task, at, ended)
}

/// Releases the operations of a group for one of their tasks, like [`Ended::let_go`].
fn let_go_of(recorder: &Recorder, fused: Arc<Fused>, at: Timestamp) -> Ended {
    let mut ended = Ended::default();
    if let Some(fused) = Arc::into_inner(fused) {
        for one in &fused.operations {
            ended.add(one);
        }
        recorder.at_moment(at, || drop(fused));
    }
    ended
}

/// Runs one task, and returns a task that became ready by it, whose data is still in this
/// processor's cache.
fn run(core: &Core, task: &Task, processor: &Processor) -> Option<Arc<Task>> {
    let executor = &core.executor();
    let recorder = &core.observers.recorder;
    let work = task.take()?;
    core.health.trap(Trap::Worker);
    let (end, ended) = match work {
        Work::One(operation) => {
            let end = run_one(executor, &operation, &TileTask::from_task(task), processor);
            // The analysis released the operation before its tiles could begin.
            (end, Ended::let_go(recorder, operation, end))
        }
        Work::Fused(fused) => {
            let run = fused::Run {
                executor,
                launch: LaunchUid(core.uids.next()),
                task,
                fused: &fused,
                processor,
            };
            let end = run.run();
            (end, let_go_of(recorder, fused, end))
        }
    };
    core.queues.end_task_for_next(task, end, ended)
}
