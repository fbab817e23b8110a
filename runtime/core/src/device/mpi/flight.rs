//! A message under way, from a ready task to the end of the task.

#![allow(unsafe_code, reason = "lends the memory of stores to MPI")]

use std::sync::Arc;

use weft_trace::id::{LaunchUid, MemoryId};
use weft_trace::record::{self, MessageSide, Shares};
use weft_trace::time::Timestamp;

use super::World;
use super::gather::{Gathering, InOrder};
use super::request::{LentMemory, Request};
use crate::device::cpu::TileTask;
use crate::device::{Elements, Executor, MESSAGES, Posted};
use crate::error::{Cause, Failure};
use crate::identity::Uids;
use crate::observe::Recorder;
use crate::operation::{Operation, Peer, Role};
use crate::task::{Ended, Task};

/// Number of tags that every MPI library can tell apart.
const TAGS: u64 = 1 << 15;

/// A message under way.
pub(super) struct Flight {
    pub(super) task: Arc<Task>,
    pub(super) operation: Arc<Operation>,
    pub(super) elements: Elements,
    pub(super) request: Request,
    /// Work that remains when the message is done.
    pub(super) then: Then,
    pub(super) start: Timestamp,
    /// Time just before the data was passed to MPI.
    pub(super) asked: Timestamp,
}

/// Work that remains when a message is done.
pub(super) enum Then {
    /// None: the message was sent, or was received in place.
    Nothing,
    /// Unpack the received words into the store.
    Unpack,
    /// Fail: there was no memory for the received data.
    Fail(Arc<Failure>),
    /// Unpack the words received from all ranks into the store.
    Spread(Gathering),
}

impl Flight {
    /// Starts a message. A gather is queued until its turn.
    pub(super) fn begin(
        world: &World,
        executor: &Executor<'_>,
        posted: Posted,
        in_order: &mut InOrder,
    ) -> Option<Flight> {
        if let Role::Gather(number) = posted.operation.body.role {
            in_order.add(number, posted);
            return None;
        }
        let Posted {
            task,
            operation,
            elements,
        } = posted;
        let recorder = &executor.observers.recorder;
        let start = recorder.now();
        let tile = TileTask::from_task(&task);
        let bytes = bytes(&operation);
        let net = &world.net;
        let mut then = Then::Nothing;
        // Read before each call: the other rank may have the data before this thread reads a clock.
        let asked;
        let request = match operation.body.role {
            Role::Send(peer) => {
                let tag = tag(&operation, peer);
                match elements.tiles(executor, &operation, &tile, start) {
                    Ok(tiles) => match tiles.in_row() {
                        Some(start) => {
                            // SAFETY: the operation holds the store, whose instance stays in place.
                            // The data to send has been written. The next writer waits for the
                            // task, which ends after the request.
                            let from = unsafe { LentMemory::new(start, bytes, operation.clone()) };
                            asked = recorder.now();
                            net.send_in_place(from, peer.rank, tag)
                        }
                        None => {
                            let mut words = net.buffer(bytes.div_ceil(8));
                            tiles.pack_all(&mut words);
                            asked = recorder.now();
                            net.send(words, peer.rank, tag)
                        }
                    },
                    // An empty message tells the other rank that the values will never come.
                    Err(failure) => {
                        // Only this rank reports the failures that follow on other ranks.
                        executor.health.fail(&operation, &failure);
                        world.control.could_not_send(operation.recorded(), &failure);
                        asked = recorder.now();
                        net.send_nothing(bytes, peer.rank, tag)
                    }
                }
            }
            Role::Receive(peer) => {
                let tag = tag(&operation, peer);
                asked = recorder.now();
                let tiles = elements.tiles(executor, &operation, &tile, start);
                match tiles.map(|tiles| tiles.in_row()) {
                    Ok(Some(start)) => {
                        // SAFETY: as above. The task has waited for the users of the overwritten
                        // data, and the next user waits for the task.
                        let to = unsafe { LentMemory::new(start, bytes, operation.clone()) };
                        net.receive_in_place(to, peer.rank, tag)
                    }
                    Ok(None) => {
                        then = Then::Unpack;
                        net.receive(net.buffer(bytes.div_ceil(8)), peer.rank, tag)
                    }
                    Err(failure) => {
                        then = Then::Fail(failure);
                        net.receive(net.buffer(bytes.div_ceil(8)), peer.rank, tag)
                    }
                }
            }
            _ => return None,
        };
        Some(Flight {
            task,
            operation,
            elements,
            request,
            then,
            start,
            asked,
        })
    }

    /// Returns whether MPI has finished the message.
    pub(super) fn is_done(&mut self) -> bool {
        self.request.is_done()
    }

    /// Describes the message and the call that it belongs to.
    pub(super) fn what(&self) -> String {
        let call = self.operation.call();
        let way = match self.operation.body.role {
            Role::Send(peer) => format!("to rank {}", peer.rank),
            Role::Receive(peer) => format!("from rank {}", peer.rank),
            _ => "between all ranks".to_owned(),
        };
        format!(
            "a message of {} bytes {way} for operation {} at {call:#}",
            bytes(&self.operation),
            self.operation.recorded(),
        )
    }

    /// Unpacks received data, records the message, and ends its task.
    pub(super) fn end(self, executor: &Executor<'_>, uids: &Uids) {
        let Flight {
            task,
            operation,
            elements,
            request,
            then,
            start,
            asked,
        } = self;
        let recorder = &executor.observers.recorder;
        let tile = TileTask::from_task(&task);
        let is_receive = matches!(operation.body.role, Role::Receive(_) | Role::Gather(_));
        let passed = match is_receive {
            true => recorder.now(),
            false => asked,
        };
        let outcome = match (&then, operation.body.role) {
            (Then::Spread(gathering), _) => {
                let tiles = elements.tiles(executor, &operation, &tile, start);
                tiles.and_then(|tiles| gathering.spread(&operation, &tiles, request.words()))
            }
            // The received data had no destination.
            (Then::Fail(failure), _) => Err(failure.clone()),
            (_, Role::Receive(Peer { rank, .. })) if request.moved() == 0 => {
                Err(operation.failure(Cause::Rank(rank)))
            }
            (Then::Unpack, _) => {
                let tiles = elements.tiles(executor, &operation, &tile, start);
                tiles.map(|tiles| tiles.unpack_all(request.words()))
            }
            (Then::Nothing, _) => Ok(()),
        };
        if let Err(failure) = &outcome {
            executor.health.fail(&operation, failure);
        }
        let memory = elements.memory();
        let bytes = match request.moved() {
            0 => 0,
            _ => bytes(&operation) as u64,
        };
        let end = recorder.now();
        recorder.write(&record::Launch {
            uid: LaunchUid(tile.uid.0),
            processor: MESSAGES,
            start,
            end,
            measured: false,
            shares: Shares::Items(&[]),
        });
        let times = [start, passed, end];
        match (operation.body.role, &then) {
            (Role::Send(peer), _) => {
                record(
                    recorder,
                    &operation,
                    &tile,
                    (MessageSide::Send, peer),
                    times,
                    (bytes, memory),
                );
            }
            (Role::Receive(peer), _) => {
                record(
                    recorder,
                    &operation,
                    &tile,
                    (MessageSide::Receive, peer),
                    times,
                    (bytes, memory),
                );
            }
            (_, Then::Spread(gathering)) if recorder.is_on() => {
                gathering.sides(uids, &operation, tile, |tile, side, bytes| {
                    // The network had the data of this rank from the start.
                    let passed = match side.0 {
                        MessageSide::Send => asked,
                        MessageSide::Receive => passed,
                    };
                    let what = (bytes, memory);
                    record(recorder, &operation, tile, side, [start, passed, end], what);
                });
            }
            _ => {}
        }
        drop(request);
        let ended = Ended::end_operation(&operation);
        recorder.at_moment(end, || drop(operation));
        executor.queues.end_task(&task, end, ended);
    }
}

/// Returns a tag that distinguishes the messages under way between two ranks. The upper bits are
/// part of the program's hash, so that messages of a different program never match.
fn tag(operation: &Operation, peer: Peer) -> u32 {
    (peer.number % TAGS) as u32 | (operation.stream as u32).wrapping_mul(TAGS as u32)
}

/// Returns the size of a message in bytes.
fn bytes(operation: &Operation) -> usize {
    operation.shape.len() * operation.dtype().size()
}

/// Records one side of a message.
fn record(
    recorder: &Recorder,
    operation: &Operation,
    tile: &TileTask,
    (side, peer): (MessageSide, Peer),
    [start, passed, end]: [Timestamp; 3],
    (bytes, memory): (u64, MemoryId),
) {
    recorder.write(&record::Message {
        uid: tile.uid,
        operation: operation.recorded(),
        peer: peer.rank,
        side,
        number: peer.number,
        memory,
        bytes,
        created: tile.created,
        ready: tile.ready,
        start,
        passed,
        end,
    });
}
