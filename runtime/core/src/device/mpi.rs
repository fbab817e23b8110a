//! Ranks over MPI, and the thread that sends and receives.
//!
//! Every message is a task: it waits for what it sends, or for who still reads what it overwrites. The thread takes those that are
//! ready, asks MPI for each without waiting, and ends them as MPI says that they are done: so no order of messages can
//! stop a run. Gathers, which all ranks take part in, are asked for in the program's order. A worker that has nothing else to do helps:
//! then it has what comes at once.

mod between;
mod clock;
mod control;
mod flight;
mod gather;
mod net;
mod patience;
mod request;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use weft_config::launch::Launch;
use weft_geometry::{Block, Ranks};
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

pub(crate) use self::between::Told;
use self::clock::Clocks;
use self::control::{ALL, Control};
use self::flight::Flight;
use self::gather::{Expected, InOrder};
use self::net::Net;
pub(crate) use self::patience::Patience;
use crate::device::{Party, Posted};
use crate::error::{Error, Failure};
use crate::runtime::Core;

/// The thread that sends and receives, in records.
const MESSAGES: ProcessorId = ProcessorId(u16::MAX);

/// The ranks of a run.
pub(crate) struct World {
    net: Net,
    control: Control,
    expected: Expected,
    service: Mutex<Service>,
    /// Messages under way.
    under_way: AtomicUsize,
    /// Whether a worker looks after messages.
    has_help: AtomicBool,
}

/// What whoever looks after messages works on.
#[derive(Default)]
struct Service {
    /// Messages whose elements are still on their way from GPUs, among them those that were just handed over.
    taken: Vec<Posted>,
    flights: Vec<Flight>,
    in_order: InOrder,
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
                "it is rank {} of {}, but this is {launch}: the program was built with a different MPI library than its launcher's",
                ranks.rank, ranks.size
            );
            return Err(Error::Mpi(why));
        }
        let clocks = Clocks::open(&net);
        Ok(Some(World {
            net,
            control: Control::new(clocks),
            expected: Expected::default(),
            service: Mutex::default(),
            under_way: AtomicUsize::new(0),
            has_help: AtomicBool::new(false),
        }))
    }

    /// Which rank this is.
    pub(crate) fn ranks(&self) -> Ranks {
        self.net.ranks()
    }

    /// Whether MPI says that it takes addresses in GPU memory.
    pub(crate) fn takes_device_memory(&self) -> bool {
        net::takes_device_memory()
    }

    /// A number that the first rank has, for all of them. To be called by all.
    pub(crate) fn common(&self, own: u128) -> u128 {
        let words = vec![own as u64, (own >> 64) as u64];
        match self.net.give_all(words, 0).finish()[..] {
            [low, high] => u128::from(high) << 64 | u128::from(low),
            _ => own,
        }
    }

    /// The least of every rank's numbers, place by place; none has more than 63 bits. To be called by all.
    pub(crate) fn least<const N: usize>(&self, own: [u64; N]) -> [u64; N] {
        let others = own.map(|number| ALL - number).to_vec();
        let most = self.net.most(others).finish();
        std::array::from_fn(|at| most.get(at).map_or(own[at], |most| ALL - most))
    }

    /// Says what goes from which rank to all in the gather of this number.
    pub(crate) fn expect(&self, number: u64, pieces: Arc<[(Block, u16)]>) {
        self.expected.add(number, pieces);
    }

    /// Waits until all ranks have come here; the first failure of any. With `is_end` it is for the last time.
    pub(crate) fn agree(
        &self,
        party: &Party<'_>,
        failure: Option<Arc<Failure>>,
        is_end: bool,
    ) -> Option<Error> {
        self.control.agree(&self.net, party, failure, is_end)
    }

    /// Waits until all ranks have come here; the least number of any.
    pub(crate) fn least_yet(&self, party: &Party<'_>, own: u64) -> u64 {
        self.control.least(&self.net, party, own)
    }

    /// Waits for the others for the last time.
    pub(crate) fn part(&self) {
        self.control.part(&self.net);
        self.net.close();
    }

    /// Sends and receives until the runtime stops.
    pub(crate) fn serve(&self, core: &Core) {
        core.enter_thread(MESSAGES, ProcessorKind::Utility, "Messages");
        if let Some(gpus) = &core.gpus {
            // Where that fails, so does the first look at what GPUs have done, which says why.
            drop(gpus.driver.enter_thread());
        }
        self.control.clocks.write_early(&core.observers.recorder);
        let mut patience = Patience::of_own_thread();
        while core.queues.messages.await_one(|| self.is_under_way()) {
            match self.look(core) {
                true => patience.reset(),
                false => {
                    if let Some(waited) = patience.sleep() {
                        self.control.look(&self.net, &core.program, waited);
                    }
                }
            }
        }
        core.observers.recorder.detach_thread();
    }

    /// Sends and receives in the place of a worker that has nothing to do; false once it may as well sleep. What comes for it
    /// then is there without a thread that wakes another.
    pub(crate) fn help(&self, core: &Core, patience: &mut Patience) -> bool {
        let is_needed = self.is_under_way() || !core.queues.messages.is_empty();
        if !is_needed || self.has_help.swap(true, Ordering::AcqRel) {
            return false;
        }
        let is_worth_it = match self.look(core) {
            true => {
                patience.reset();
                true
            }
            false => patience.spin(),
        };
        self.has_help.store(false, Ordering::Release);
        if !is_worth_it {
            patience.reset();
            core.queues.messages.nudge();
        }
        is_worth_it
    }

    fn is_under_way(&self) -> bool {
        self.under_way.load(Ordering::Acquire) > 0
    }

    /// Asks for the messages that are ready, and ends those that are done; false where there was nothing to do.
    fn look(&self, core: &Core) -> bool {
        let Ok(mut service) = self.service.try_lock() else {
            return false;
        };
        let Service {
            taken,
            flights,
            in_order,
        } = &mut *service;
        let executor = &core.executor();
        core.queues.messages.take(taken);
        let mut has_moved = false;
        for posted in taken.extract_if(.., |posted| posted.has_arrived(core.gpus.as_ref())) {
            has_moved = true;
            flights.extend(Flight::begin(self, executor, posted, in_order));
        }
        while let Some(posted) = in_order.next() {
            flights.extend(self.begin_gather(executor, posted));
        }
        let awaited = taken.len();
        self.under_way
            .store(awaited + flights.len(), Ordering::Release);
        let mut at = 0;
        while at < flights.len() {
            match flights[at].is_done() {
                true => {
                    has_moved = true;
                    let flight = flights.swap_remove(at);
                    if let Some(code) = flight.request.error() {
                        self.control
                            .fail(&self.net, &core.program, &flight.what(), code);
                        continue;
                    }
                    self.under_way
                        .store(awaited + flights.len(), Ordering::Release);
                    flight.end(executor, &core.uids);
                    if let Some(gpus) = &core.gpus {
                        gpus.host.tell();
                    }
                }
                false => at += 1,
            }
        }
        has_moved
    }
}
