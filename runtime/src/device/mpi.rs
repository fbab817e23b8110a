//! Ranks over MPI, and the thread that sends and receives.
//!
//! Every message is a task: it waits for what it sends, or for who still reads what it overwrites. The thread takes those that are
//! ready, asks MPI for each without waiting, and ends them as MPI says that they are done: so no order of messages can
//! stop a run.

mod clock;
mod control;
mod net;

use std::sync::Arc;
use std::time::Instant;

use smallvec::SmallVec;
use weft_config::launch::Launch;
use weft_geometry::Ranks;
use weft_trace::id::{LaunchUid, MemoryId, ProcessorId};
use weft_trace::record::{self, MessageSide, ProcessorKind, Shares};
use weft_trace::time::Timestamp;

use self::clock::Clocks;
use self::control::Control;
use self::net::{Net, Request};
use super::cpu::{self, Tile};
use crate::error::{Cause, Elsewhere, Error, Failure};
use crate::operation::{Body, Operation, Peer};
use crate::runtime::Core;
use crate::task::Task;

/// Looks for an end before the thread lets others have its core.
const LOOKS: u32 = 50;
/// The memory that messages are packed in: a rank's main memory is its first.
const MAIN: MemoryId = MemoryId(0);
/// Tags that MPI can tell apart on every machine.
const TAGS: u64 = 1 << 15;

/// The ranks of a run.
pub(crate) struct World {
    net: Net,
    control: Control,
}

/// A message under way.
struct Flight {
    task: Arc<Task>,
    operation: Arc<Operation>,
    request: Request,
    start: Timestamp,
    /// When MPI was asked for it.
    asked: Timestamp,
}

impl World {
    /// The ranks of the launch that this process is part of; `None` where nobody has started it as a rank. To be called by all
    /// ranks in one order.
    ///
    /// # Errors
    /// The launcher's variables contradict each other, or MPI knows of other ranks than they do.
    pub(crate) fn open() -> Result<Option<World>, Error> {
        let Some(launch) = Launch::detect()?.filter(Launch::is_shared) else {
            return Ok(None);
        };
        let net = Net::open()?;
        let ranks = net.ranks();
        if (ranks.rank, ranks.size) != (launch.rank, launch.size) {
            let why = format!(
                "it has rank {} of {}, but this is {launch}: the program was built with another MPI library than that of its launcher",
                ranks.rank, ranks.size
            );
            return Err(Error::Mpi(why));
        }
        let clocks = Clocks::open(&net);
        Ok(Some(World {
            net,
            control: Control::new(clocks),
        }))
    }

    /// Which rank this is.
    pub(crate) fn ranks(&self) -> Ranks {
        self.net.ranks()
    }

    /// Waits until all ranks have come here; the first failure of any, where that is on another.
    /// With `is_end` it is for the last time.
    pub(crate) fn agree(
        &self,
        core: &Core,
        failure: Option<&Failure>,
        is_end: bool,
    ) -> Option<Elsewhere> {
        self.control.agree(&self.net, core, failure, is_end)
    }

    /// Waits for the others for the last time.
    pub(crate) fn part(&self) {
        self.control.part(&self.net);
        self.net.close();
    }

    /// Sends and receives until the runtime stops.
    pub(crate) fn serve(&self, core: &Core) {
        let id = ProcessorId(u16::MAX);
        core.enter_thread(id, ProcessorKind::Utility, "Messages");
        self.control.clocks.write_early(&core.recorder);
        let mut taken: Vec<Arc<Task>> = Vec::new();
        let mut flights: Vec<Flight> = Vec::new();
        let mut idle = 0;
        let mut quiet: Option<Instant> = None;
        while core.messages.take_all(&mut taken, flights.is_empty()) {
            idle += 1;
            for task in taken.drain(..) {
                idle = 0;
                flights.extend(self.begin(core, task));
            }
            let mut at = 0;
            while at < flights.len() {
                match flights[at].request.test() {
                    Some(words) => {
                        idle = 0;
                        end(core, flights.swap_remove(at), words, id);
                    }
                    None => at += 1,
                }
            }
            match idle {
                0..=LOOKS => quiet = None,
                _ => {
                    std::thread::yield_now();
                    let since = quiet.get_or_insert_with(Instant::now);
                    self.control.look(&self.net, core, since.elapsed());
                }
            }
        }
        core.recorder.detach_thread();
    }

    fn begin(&self, core: &Core, task: Arc<Task>) -> Option<Flight> {
        let operation = task.take_one()?;
        let start = core.recorder.now();
        let mut asked = start;
        let words = bytes(&operation).div_ceil(8);
        let request = match operation.body {
            Body::Send(peer) => {
                // Nothing at all tells the other rank that the values will never come.
                let packed = pack(core, &operation, &Tile::of(&task), start, words);
                asked = core.recorder.now();
                self.net
                    .send(packed.unwrap_or_default(), peer.rank, tag(&operation, peer))
            }
            Body::Receive(peer) => self.net.receive(words, peer.rank, tag(&operation, peer)),
            _ => return None,
        };
        Some(Flight {
            task,
            operation,
            request,
            start,
            asked,
        })
    }
}

/// Tells messages between two ranks apart while they are under way. Bits above the number are of the hash of the program: messages
/// of another program never arrive.
fn tag(operation: &Operation, peer: Peer) -> u32 {
    (peer.number % TAGS) as u32 | (operation.stream as u32).wrapping_mul(TAGS as u32)
}

/// Bytes of a message.
fn bytes(operation: &Operation) -> usize {
    operation.shape.len() * operation.dtype().size()
}

/// What a rank sends, one element after the other.
fn pack(
    core: &Core,
    operation: &Operation,
    tile: &Tile,
    start: Timestamp,
    words: usize,
) -> Result<Vec<u64>, Arc<Failure>> {
    let tiles = cpu::prepare(core, operation, tile, start)?;
    let mut packed = vec![0; words];
    tiles.pack(&mut packed);
    Ok(packed)
}

/// Puts what came where it belongs, and lets those who wait go on.
fn end(core: &Core, flight: Flight, words: usize, on: ProcessorId) {
    let Flight {
        task,
        operation,
        request,
        start,
        asked,
    } = flight;
    let tile = Tile::of(&task);
    let mut outcome = Ok(());
    let mut passed = asked;
    let mut moved = request.words().len();
    if let Body::Receive(Peer { rank, .. }) = operation.body {
        passed = core.recorder.now();
        moved = words;
        outcome = match words {
            0 => Err(operation.failure(Cause::Rank(rank))),
            _ => cpu::prepare(core, &operation, &tile, start)
                .map(|tiles| tiles.unpack(request.words())),
        };
    }
    if let Err(failure) = &outcome {
        core.fail(&operation, failure);
    }
    drop(request);
    let end = core.recorder.now();
    let bytes = match moved {
        0 => 0,
        _ => bytes(&operation) as u64,
    };
    record(core, &operation, &tile, on, [start, passed, end], bytes);
    operation.end_uses();
    core.recorder.at_moment(end, || drop(operation));
    let ready = task.end().into_iter().filter(|later| later.release(end));
    let ready: SmallVec<[Arc<Task>; 4]> = ready.collect();
    core.make_ready(ready);
    core.outstanding.end();
}

/// Writes down a side of a message, and its launch.
fn record(
    core: &Core,
    operation: &Operation,
    tile: &Tile,
    on: ProcessorId,
    [start, passed, end]: [Timestamp; 3],
    bytes: u64,
) {
    let (side, peer) = match operation.body {
        Body::Send(peer) => (MessageSide::Send, peer),
        Body::Receive(peer) => (MessageSide::Receive, peer),
        _ => return,
    };
    core.recorder.write(&record::Launch {
        uid: LaunchUid(tile.uid.0),
        processor: on,
        start,
        end,
        shares: Shares::Items(&[]),
    });
    core.recorder.write(&record::Message {
        uid: tile.uid,
        operation: operation.recorded(),
        peer: peer.rank,
        side,
        number: peer.number,
        memory: MAIN,
        bytes,
        created: tile.created,
        ready: tile.ready,
        start,
        passed,
        end,
    });
}
