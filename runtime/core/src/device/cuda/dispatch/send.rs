//! Issue of work into streams, and its reports: to the NVTX tool, the records, and the waiting
//! tasks.

#![allow(unsafe_code, reason = "hands addresses of instances to the driver")]

use std::sync::Arc;

use smallvec::SmallVec;
use weft_config::Level;
use weft_trace::id::{LaunchUid, OperationUid, TaskUid};
use weft_trace::record::{self, ProcessorKind, Shares};
use weft_trace::time::Timestamp;

use super::super::api::{FunctionId, GpuId};
use super::super::completion::{Finished, Risk};
use super::super::fault::Fault;
use super::super::gpus::Gpus;
use super::super::work::Work;
use super::Dispatcher;
use super::bundle::{Bundle, HeldLaunch, signature};
use super::issue::Parcel;
use super::member::Member;
use super::place::Places;
use super::prepare::Prepared;
use super::repeats::Verdict;
use crate::device::cpu::{self, Ran, TileTask};
use crate::error::{Cause, DriverError, Failure};
use crate::memory::Place;
use crate::observe::{Launched, Message, Recorder, Subsystem, Weights};
use crate::operation::Role;
use crate::task::Ended;
use crate::traffic::Traffic;

impl Dispatcher<'_> {
    /// Puts work into a stream, and reports it.
    pub(super) fn send(
        &mut self,
        parcel: Parcel,
        members: SmallVec<[Member; 4]>,
        mut start: Timestamp,
    ) {
        let Parcel {
            gpu,
            mut works,
            call,
            places,
            mut waits,
            mut fault,
            traffic,
        } = parcel;
        waits.merge(&places.waits);
        for member in &members {
            member.task.take_waits(&mut waits);
        }
        let launch = match members.as_slice() {
            [only] => LaunchUid(only.task.uid.0),
            _ => LaunchUid(self.uids.next()),
        };
        let observers = self.observers;
        let message = self.message(&members);
        let first = members.first().map(|member| member.operation.uid);
        let ticketed = self.open_tickets(gpu, &mut works, &members);
        let (prepared, unprepared) = match self.prepare_with_room(gpu, &works, (launch, first)) {
            Ok(prepared) => (prepared, Ok(())),
            Err(error) => (Prepared::default(), Err(error)),
        };
        // Compilation is not part of the issue.
        start = prepared.end.map_or(start, |end| end.max(start));
        let verdict = match &mut self.repeats {
            Some(repeats) => {
                let alone = places.transfers().next().is_none()
                    && !members.is_empty()
                    && call.is_none()
                    && unprepared.is_ok()
                    && ticketed.is_ok();
                repeats.next(if alone { signature(&works) } else { None })
            }
            None => Verdict::Issue,
        };
        if verdict == Verdict::Issue || self.bundle.as_ref().is_some_and(|held| held.gpu != gpu) {
            self.close_bundle(None);
        }
        let lane = match &self.bundle {
            Some(bundle) => bundle.lane,
            None => self.streams.choose(gpu, &waits),
        };
        self.hand_tickets((gpu, lane), &mut works, &mut waits);
        let opened = match verdict {
            Verdict::Issue => self.open_libraries((gpu, lane), &works, &members, &mut waits),
            Verdict::Hold | Verdict::Replay(_) => Ok(()),
        };
        let ordered = self.streams.order(lane, &waits);
        let gpus = self.gpus;
        let explain = |error| Cause::from(gpus.explain(gpu, error));
        let mut outcome = ordered.map_err(explain);
        let mut called = Ok(());
        let tasks: SmallVec<[(TaskUid, u64); 4]> = members
            .iter()
            .map(|Member { task, operation }| (task.uid, operation.bytes_written(&task.cut)))
            .collect();
        if verdict == Verdict::Issue {
            let range = observers.open_range(message.as_ref(), ProcessorKind::Gpu, launch);
            // Later work relies on the copies, even if the launch fails.
            outcome = outcome
                .and_then(|()| self.move_ahead((gpu, lane), &places).map_err(explain))
                .and_then(|()| self.transfer(lane, &places, first).map_err(explain))
                .and(unprepared.map_err(explain))
                .and(opened)
                .and(ticketed.clone().map(drop));
            let id = observers.external_id(launch);
            for (work, function) in prepared.with(&works) {
                outcome = outcome.and_then(|()| {
                    // SAFETY: the addresses are of instances that the members' operations hold, or
                    // of blocks that are given back with the point after this work. Both are reused
                    // only by work that waits for that point. The analysis orders tasks whose
                    // regions overlap, `waits` has the points of their predecessors, and streams
                    // keep that order.
                    let issued = unsafe { self.issue((gpu, lane), work, function, &members) };
                    Ok(issued?)
                });
            }
            if let (Ok(()), Some(call)) = (&outcome, &call) {
                called = self.gpus.driver.lend(self.streams.id(lane), &**call);
            }
            drop(id);
            drop(range);
            self.record_launch(gpu, launch, &tasks, [start, observers.recorder.now()]);
            if outcome.is_ok() {
                self.record_traffic(launch, traffic);
                self.record_work(launch, &works);
            }
        } else {
            let held = HeldLaunch {
                works,
                launch,
                message,
                tasks,
                traffic,
                times: [start, observers.recorder.now()],
            };
            let bundle = self.bundle.get_or_insert_with(|| Bundle {
                gpu,
                lane,
                held: Vec::new(),
            });
            bundle.held.push(held);
        }
        let end = self.observers.recorder.now();
        let point = match verdict {
            Verdict::Issue => self.streams.advance(lane),
            // All held launches precede one point.
            Verdict::Hold | Verdict::Replay(_) => self.streams.next_point(lane),
        };
        let used = self.note_copies(gpu, &places);
        places.issued(point);
        if let Ok(true) = ticketed {
            self.clear_tickets(gpu, point, outcome.is_err());
        }
        for (gpu, mut block) in self.lent.drain(..) {
            block.uses.add(point);
            self.gpus.memory(gpu).give_back(block);
        }
        self.record_tasks(gpu, &members, start, end);
        for member in &members {
            member.task.set_point(point);
        }
        let outcome = outcome.and(called).err();
        self.observers.recorder.at_moment(end, || {
            for member in members {
                if let Some(error) = &outcome {
                    let failure = member.operation.failure(error.clone());
                    self.health.fail(&member.operation, &failure);
                }
                self.finish(member, fault.take(), used.clone());
            }
        });
        if let Verdict::Replay(body) = verdict {
            self.close_bundle(Some(body));
        }
    }

    /// Puts work into a stream. If a library lacks memory, makes room and tries again: it allocates
    /// before it puts anything into the stream.
    ///
    /// # Safety
    /// As for [`Driver::issue`](super::super::api::Driver::issue).
    unsafe fn issue(
        &mut self,
        (gpu, lane): (GpuId, usize),
        work: &Work,
        function: Option<FunctionId>,
        members: &[Member],
    ) -> Result<(), DriverError> {
        let stream = self.streams.id(lane);
        loop {
            // SAFETY: as the caller guarantees.
            let error = match unsafe { self.gpus.driver.issue(stream, work, function) } {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            let has_room = error.lacks_memory()
                && match (work, members) {
                    (Work::Gemm(_) | Work::Fft(_) | Work::Factor(_), [member]) => {
                        self.make_room_for_libraries(gpu, &member.operation)
                    }
                    // A kernel may read an instance that making room would drop.
                    _ => self.gpus.memory(gpu).pool.reclaim() > 0,
                };
            if !has_room {
                return Err(self.gpus.explain(gpu, error));
            }
        }
    }

    /// Returns the message of a launch's NVTX range.
    fn message(&self, members: &[Member]) -> Option<Message> {
        let nvtx = self.observers.nvtx.as_ref()?;
        let operation = &members.first()?.operation;
        match members.len() {
            1 => operation.labels()?.message,
            more => {
                let location = operation.location(self.plan.provenance);
                Some(nvtx.fused(operation.name(), location, more - 1))
            }
        }
    }

    /// Issues the copies that a launch needs from another memory, or from an older instance.
    pub(super) fn transfer(
        &mut self,
        lane: usize,
        places: &Places,
        operation: Option<OperationUid>,
    ) -> Result<(), DriverError> {
        for (place, transfer) in places.transfers() {
            let start = self.observers.recorder.now();
            let uid = self.uids.next();
            let work = Work::Copy {
                from: transfer.from,
                to: transfer.to,
                bytes: transfer.bytes,
            };
            let _id = self.observers.external_id(LaunchUid(uid));
            // SAFETY: source and destination lie in instances of one store that live until the
            // point after this launch. The launch waits for the writer of the source.
            unsafe { self.gpus.driver.issue(self.streams.id(lane), &work, None) }?;
            let end = self.observers.recorder.now();
            let Some(operation) = operation else {
                continue;
            };
            if self.observers.recorder.is_on() {
                let [source, destination] = transfer.memories;
                let gpu = match place {
                    Place::HOST => transfer.source,
                    gpu => gpu,
                };
                self.observers.recorder.write(&record::Copy {
                    uid: TaskUid(uid),
                    operation,
                    source,
                    destination,
                    bytes: transfer.bytes as u64,
                    created: start,
                    ready: start,
                    start,
                    end,
                });
                self.observers.recorder.write(&record::Launch {
                    uid: LaunchUid(uid),
                    processor: self.gpus.processor(GpuId(gpu.0)),
                    start,
                    end,
                    measured: false,
                    shares: Shares::Items(&[]),
                });
                self.record_work(LaunchUid(uid), std::slice::from_ref(&work));
            }
        }
        Ok(())
    }

    /// Records a launch, and its tasks with the number of bytes that each writes, because their
    /// times on the GPU are not known.
    pub(super) fn record_launch(
        &self,
        gpu: GpuId,
        launch: LaunchUid,
        tasks: &[(TaskUid, u64)],
        [start, end]: [Timestamp; 2],
    ) {
        if !self.observers.recorder.is_on() || tasks.is_empty() {
            return;
        }
        let launched = Launched {
            uid: launch,
            processor: self.gpus.processor(gpu),
            start,
            end,
        };
        launched.record(&self.observers.recorder, tasks, Weights::Bytes);
    }

    /// Records the amount of work that a launch issued.
    pub(super) fn record_work(&self, launch: LaunchUid, works: &[Work]) {
        let mut issued = record::LaunchWork {
            launch,
            kernels: 0,
            copies: 0,
            fills: 0,
        };
        for work in works {
            match work {
                // A library may launch several kernels for one call.
                Work::Kernel(_) | Work::Gemm(_) | Work::Fft(_) | Work::Factor(_) => {
                    issued.kernels += 1;
                }
                Work::Copy { .. } => issued.copies += 1,
                Work::Fill { .. } => issued.fills += 1,
            }
        }
        self.observers.recorder.write(&issued);
    }

    /// Records the number of bytes that the kernels of a launch read and write.
    pub(super) fn record_traffic(&self, launch: LaunchUid, traffic: Option<Traffic>) {
        if let Some(Traffic { read, written }) = traffic {
            self.observers.recorder.write(&record::LaunchBytes {
                launch,
                read,
                written,
            });
        }
    }

    /// Records tasks that were issued. The times are those of the issuing thread; CUPTI reports the
    /// GPU's own.
    fn record_tasks(&self, gpu: GpuId, members: &[Member], start: Timestamp, end: Timestamp) {
        let recorder = &self.observers.recorder;
        let Some(first) = members.first() else { return };
        self.observers.log.say(
            Subsystem::Task,
            Level::Debug,
            format_args!(
                "{} [{}] {} point {} and {} more issued to GPU {}",
                first.operation.name(),
                first.operation.call(),
                first.task.uid,
                first.task.point,
                members.len() - 1,
                gpu.0,
            ),
        );
        if !recorder.is_on() {
            return;
        }
        let processor = self.gpus.processor(gpu);
        for Member { task, operation } in members {
            recorder.write(&record::Task {
                uid: task.uid,
                operation: operation.uid,
                point: task.point,
                processor,
                created: task.created,
                ready: task.ready().min(start),
                start,
                end,
                arithmetic: operation.arithmetic(&task.cut),
            });
        }
    }

    /// Ends a task that is in its stream, or never will be.
    fn finish(&mut self, member: Member, fault: Option<Fault>, gpus: SmallVec<[GpuId; 2]>) {
        let Member { task, operation } = member;
        let ended = Ended::end_task(&operation);
        // The program's values, and results that the program waits for, must stay until the work
        // has run.
        let stays = matches!(operation.body.role, Role::Load | Role::Read)
            || operation.latch.is_some()
            || fault.is_some();
        let may_fail = fault.is_some() || operation.has_doubtful_input();
        let doubt = may_fail.then(|| operation.inheritance());
        match &doubt {
            Some(doubt) => doubt.begin_doubt(),
            // It was issued before the failure was known.
            None => {
                if let Some(failure) = operation.failed_input() {
                    self.health.fail(&operation, &failure);
                }
            }
        }
        // With one GPU a later read fails too.
        let is_at_risk = self.gpus.count() > 1 && !stays;
        self.finished.push(Finished {
            task,
            doubt,
            risk: is_at_risk.then(|| Risk::from_operation(&operation)),
            operation: stays.then_some(operation),
            ended,
            gpus,
            fault,
        });
    }

    /// Ends a task that cannot run.
    pub(super) fn fail(&mut self, member: Member, failure: &Arc<Failure>) {
        let Member { task, operation } = &member;
        self.health.fail(operation, failure);
        record_undone(
            &self.observers.recorder,
            self.gpus,
            self.gpu_of(operation, task),
            &member,
        );
        task.forget_waits();
        self.finish(member, None, SmallVec::new());
        self.mark_if_many();
    }
}

/// Records a task that never reached its GPU. Like a task that fails on a CPU, it has a launch and
/// no kernel.
pub(super) fn record_undone(recorder: &Recorder, gpus: &Gpus, gpu: GpuId, member: &Member) {
    let at = recorder.now();
    let tile = TileTask::from_task(&member.task);
    let tile = TileTask {
        ready: tile.ready.min(at),
        ..tile
    };
    let ran = Ran {
        launched: at,
        start: at,
        end: at,
        bytes: 0,
        read: None,
        done: false,
    };
    cpu::record(
        recorder,
        &member.operation,
        &tile,
        gpus.processor(gpu),
        &ran,
    );
}
