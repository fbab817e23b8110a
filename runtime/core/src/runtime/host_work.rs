//! Work of the program outside of the runtime: a front end's computations on the values of arrays.

use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::record::{self, List, ProcessorKind};
use weft_trace::time::{self, Timestamp};

use super::Runtime;
use crate::observe::processor;
use crate::scope::{Scope, Within};
use crate::site::Site;

/// Work on the program's own thread, as an operation of the profile. Operations that the thread
/// submits meanwhile, such as reads of the arrays involved, are part of it.
pub struct HostWork {
    runtime: Runtime,
    name: &'static str,
    task: TaskUid,
    uid: OperationUid,
    call: Site,
    created: Timestamp,
    work: Option<(Timestamp, Timestamp)>,
    _within: Within,
}

impl Runtime {
    /// Begins host work as an operation of this name. Nothing is recorded until
    /// [`HostWork::finish`].
    #[track_caller]
    pub fn host_work(&self, name: &'static str) -> HostWork {
        let uids = &self.core().uids;
        let uid = uids.next_operation();
        HostWork {
            runtime: self.clone(),
            name,
            task: TaskUid(uids.next()),
            uid,
            call: Site::caller(),
            created: time::now(),
            work: None,
            _within: Within::operation(uid),
        }
    }
}

impl HostWork {
    /// Runs the work itself, once its inputs are available.
    pub fn run<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let core = self.runtime.core();
        let range = core.observers.nvtx.as_ref().map(|nvtx| {
            let call = core.plan.provenance.then_some(self.call);
            let message = nvtx.message(self.name, call);
            nvtx.push(&message, ProcessorKind::Cpu, self.task.0.raw())
        });
        let start = time::now();
        let done = work();
        self.work = Some((start, time::now()));
        drop(range);
        done
    }

    /// Records the work as an operation whose kernel has this name and read and wrote `read` and
    /// `written` bytes. Work that never ran has no task.
    pub fn finish(self, kernel: &str, read: u64, written: u64) {
        let core = self.runtime.core();
        let recorder = &core.observers.recorder;
        if !recorder.is_on() {
            return;
        }
        let (name, kernel, provenance, stack, scope) = {
            let mut analysis = core.analysis();
            let names = analysis.names();
            let position = core.plan.provenance.then_some(self.call);
            (
                names.string(recorder, self.name),
                names.string(recorder, kernel),
                position.map(|call| names.position(recorder, call)),
                position.map(|call| names.stack(recorder, call)),
                names.scope(recorder, Scope::current()),
            )
        };
        let (start, end) = self.work.unwrap_or((self.created, self.created));
        let whole = record::Immediate {
            operation: self.uid,
            parent: None,
            task: self.task,
            name,
            provenance: provenance.unwrap_or_default(),
            kernel,
            processor: processor(),
            created: self.created,
            start,
            end,
            bytes: written,
            read: Some(read),
            scope,
            stack: stack.unwrap_or_default(),
            arithmetic: None,
            shape: List::Items(&[]),
        };
        // Not as one record: the time before the work is waiting and copying, not analysis.
        let (mut operation, mut task, launch, kernel) = whole.parts();
        if self.work.is_none() {
            operation.tasks = 0;
            return recorder.write(&operation);
        }
        task.ready = start;
        recorder.write(&operation);
        recorder.write(&task);
        recorder.write(&launch);
        recorder.write(&kernel);
    }
}
