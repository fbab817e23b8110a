//! Tasks without GPU code: their operands are copied to main memory, and a CPU worker runs them.
//!
//! Successors of such a task wait for its end, unlike those of work in streams. Other tasks
//! continue, unless they use one of its stores: validity is kept in intervals of a store, which may
//! contain the elements of both tasks.

use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::Access;
use weft_trace::id::StoreUid;
use weft_trace::record::MemoryKind;
use weft_trace::time::Timestamp;

use super::super::api::{EventId, GpuId};
use super::super::arrival::Arrival;
use super::super::completion::HostWork;
use super::super::host::HostTask;
use super::Dispatcher;
use super::member::Member;
use super::place::{Places, Want};
use super::repeats::Repeats;
use crate::device::{Elements, Posted, StagedMemory};
use crate::error::DriverError;
use crate::error::{Cause, Failure};
use crate::memory::{Place, Point, Span, Uses};
use crate::operation::{ArrayOperand, Operand, Operation, Role};
use crate::scope::Scope;
use crate::task::Task;

/// A task that was handed to a CPU worker.
pub(super) struct OnHost {
    task: Arc<Task>,
    /// The stores that it uses, and whether it writes them.
    stores: SmallVec<[(StoreUid, bool); 4]>,
}

/// Returns the stores of an operation, and whether it writes them.
fn stores(operation: &Operation) -> impl Iterator<Item = (StoreUid, bool)> {
    operation
        .arrays()
        .map(|array| (array.store.uid, array.declared.access != Access::Read))
}

/// Returns whether an operation must wait for a host task because both use a store that one of them
/// writes.
fn collide(on_host: &OnHost, operation: &Operation) -> bool {
    stores(operation).any(|(store, writes)| {
        let mut same = on_host.stores.iter().filter(|(other, _)| *other == store);
        same.any(|(_, other)| writes || *other)
    })
}

/// Returns whether the data that the program reads is in main memory.
fn is_at_hand(operation: &Operation) -> bool {
    match operation.operands.first() {
        Some(Operand::Array { store, layout, .. }) => {
            Span::from_layout(layout).is_some_and(|span| store.residence().holds(Place::HOST, span))
        }
        _ => false,
    }
}

impl Dispatcher<'_> {
    /// Returns whether a task is for the CPU workers.
    pub(super) fn is_for_host(&mut self, operation: &Operation) -> bool {
        if let Role::Move { to, .. } = operation.body.role {
            return !matches!(to, MemoryKind::Framebuffer | MemoryKind::Managed);
        }
        let is_work = matches!(operation.body.role, Role::Compute | Role::Copy);
        if is_work && operation.scope.is_some_and(Scope::is_on_cpus) {
            return true;
        }
        let has_code = self.gpus.has_code(&operation.body, &operation.operands);
        if operation.body.role != Role::Read {
            return !has_code;
        }
        // The location of the data decides, and open groups may write it.
        self.flush();
        is_at_hand(operation) || !has_code
    }

    /// Returns whether a task on the host uses a store.
    pub(super) fn is_on_host(&self, store: StoreUid) -> bool {
        let running = self.on_host.iter().filter(|one| !one.task.has_ended());
        running
            .flat_map(|one| &one.stores)
            .any(|(other, _)| *other == store)
    }

    /// Waits for the tasks on the host that use the same stores. Returns false if the runtime stops
    /// first.
    pub(super) fn wait_for_host(&mut self, operation: &Operation) -> bool {
        let on_host = &mut self.on_host;
        if on_host.is_empty() {
            return true;
        }
        self.gpus.host.wait_until(|| {
            on_host.retain(|one| !one.task.has_ended());
            !on_host.iter().any(|one| collide(one, operation))
        })
    }

    /// Hands a task to the CPU workers, or a message to the message thread.
    pub(super) fn give_to_host(&mut self, member: Member) {
        self.flush();
        if let Some(failure) = member.operation.failed_input() {
            return self.fail_on_host(member, failure);
        }
        if self.bundle.is_some() {
            self.close_bundle(None);
        }
        self.repeats.iter_mut().for_each(Repeats::interrupt);
        if member.operation.body.role == Role::Read {
            // The ends of all earlier work are then known before its own.
            self.mark();
        }
        let start = self.observers.recorder.now();
        let (addresses, places) = match self.addresses(&member, start) {
            Ok(found) => found,
            Err(cause) => {
                let failure = member.operation.failure(cause);
                return self.fail_on_host(member, failure);
            }
        };
        let mut waits = Uses::default();
        member.task.take_waits(&mut waits);
        if let (Role::Read, [_, Operand::Array { store, .. }]) = (
            member.operation.body.role,
            member.operation.operands.as_slice(),
        ) {
            store.add_uses_to(store.slot(), &mut waits);
        }
        let (point, arrival) = self.arrive(&places, waits, &member.operation);
        let memory = places.memory().unwrap_or(self.memories.main.id);
        self.note_copies(self.living(), &places);
        places.issued(point);
        let Member { task, operation } = member;
        self.on_host.retain(|one| !one.task.has_ended());
        self.on_host.push(OnHost {
            task: task.clone(),
            stores: stores(&operation).collect(),
        });
        let arrival = Arrival::new(arrival);
        if operation.body.role.is_message() {
            let elements = Elements::At(StagedMemory {
                start: addresses.first().copied().unwrap_or(0),
                memory,
                arrival,
            });
            return self.hand_over(HostWork::Message(Posted {
                task,
                operation,
                elements,
            }));
        }
        self.hand_over(HostWork::Task(HostTask {
            task,
            operation,
            addresses,
            arrival,
        }));
    }

    /// Hands work to the host: at once, unless one of its inputs may still fail.
    fn hand_over(&mut self, work: HostWork) {
        match work.is_doubtful() {
            true => self.mark_before(Some(work)),
            false => work.push(self.gpus, self.queues),
        }
    }

    /// Finds the addresses of the operands' stores in main memory, and the copies to make there.
    /// For messages they may be addresses in GPU memory, if MPI accepts those.
    fn addresses(
        &mut self,
        member: &Member,
        at: Timestamp,
    ) -> Result<(SmallVec<[u64; 4]>, Places), Cause> {
        let Member { task, operation } = member;
        let mut wants: SmallVec<[Want<'_>; 4]> = SmallVec::new();
        let mut known: SmallVec<[Option<u64>; 4]> = SmallVec::new();
        let role = operation.body.role;
        for array in operation.arrays() {
            let ArrayOperand {
                index,
                store,
                layout,
                declared,
            } = array;
            if role == Role::Read && index == 1 {
                // The program reads the result there, and no other task uses it.
                known.push(Some(self.host(store, operation, at)?.0));
                continue;
            }
            known.push(None);
            wants.push(Want {
                store,
                layout: operation.part(index, &task.cut).unwrap_or(*layout),
                use_of: declared.access.into(),
            });
        }
        let kind = match role {
            Role::Move { to, .. } => Some(to),
            _ => None,
        };
        // The message thread packs and unpacks gathers, so they stay in main memory.
        let is_direct = matches!(role, Role::Send(_) | Role::Receive(_));
        if self.gpus.is_mpi_aware && is_direct {
            let gpu = self.gpu_with(&wants);
            let places = self.places(gpu, &wants, operation, at)?;
            let found = places.tiles.iter().map(|tile| tile.start);
            return Ok((found.collect(), places));
        }
        let (places, full) = Places::find_on_host(
            self.gpus,
            &self.memories.main,
            &wants,
            kind,
            operation.maker(),
            at,
        );
        drop(wants);
        if let Some(full) = full {
            self.abandon(self.living(), places);
            return Err(self.memories.out_of_memory(&full, operation));
        }
        let mut found = places.tiles.iter().map(|tile| tile.start);
        let addresses = known
            .into_iter()
            .map(|known| known.or_else(|| found.next()).unwrap_or(0))
            .collect();
        Ok((addresses, places))
    }

    /// Returns the GPU that holds all wanted views, or the first one.
    fn gpu_with(&self, wants: &[Want<'_>]) -> GpuId {
        let has_all = |gpu: &u8| {
            wants.iter().all(|want| {
                let span = Span::from_layout(&want.layout);
                span.is_none_or(|span| want.store.residence().holds(Place(*gpu), span))
            })
        };
        let gpus = 0..self.gpus.count() as u8;
        { gpus }.find(has_all).map_or_else(|| self.living(), GpuId)
    }

    /// Copies missing elements to main memory, and sets an event after these copies and all points
    /// to wait for.
    fn arrive(
        &mut self,
        places: &Places,
        mut waits: Uses,
        operation: &Operation,
    ) -> (Point, Result<(GpuId, EventId), DriverError>) {
        waits.merge(&places.waits);
        let gpu = places.transfers().next();
        let gpu = gpu.map_or(self.living(), |(place, transfer)| match place {
            Place::HOST => GpuId(transfer.source.0),
            gpu => GpuId(gpu.0),
        });
        let lane = self.streams.choose(gpu, &waits);
        let arrival = self
            .streams
            .order(lane, &waits)
            .and_then(|()| self.transfer(lane, places, Some(operation.uid)));
        let point = self.streams.advance(lane);
        let arrival = arrival.and_then(|()| {
            let event = match self.gpus.events.take(gpu) {
                Some(event) => event,
                None => self.gpus.driver.event(gpu)?,
            };
            self.gpus.driver.record(event, self.streams.id(lane))?;
            Ok((gpu, event))
        });
        let arrival = arrival.map_err(|error| self.gpus.explain(gpu, error));
        (point, arrival)
    }

    /// Ends a task that was for the host and cannot run, and releases its successors. A failed
    /// message is still posted, since the other rank must learn of the failure.
    fn fail_on_host(&mut self, member: Member, failure: Arc<Failure>) {
        if member.operation.body.role.is_message() {
            let Member { task, operation } = member;
            task.forget_waits();
            return self.queues.messages.push([Posted {
                task,
                operation,
                elements: Elements::Nowhere(failure),
            }]);
        }
        let ready = member.task.hand_over();
        let now = self.observers.recorder.now();
        self.taken
            .extend(ready.into_iter().filter(|later| later.release(now)));
        self.fail(member, &failure);
    }
}
