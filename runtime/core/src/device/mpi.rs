//! Ranks over MPI, and the thread that sends and receives.
//!
//! Every message is a task: it waits for the data that it sends, or for the last readers of the
//! data that it overwrites. The thread takes the messages that are ready, starts each without
//! waiting, and ends them as MPI finishes them. So no order of messages can stop a run. Gathers, in
//! which all ranks take part, are started in program order. An idle worker helps, because it can
//! then use a received message without delay.

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

pub(crate) use self::between::SentMessages;
use self::clock::Clocks;
use self::control::{ALL, Control};
use self::flight::Flight;
use self::gather::{Expected, InOrder};
use self::net::Net;
pub(crate) use self::patience::Patience;
use crate::device::{MessageWork, Party, Posted};
use crate::error::{Error, Failure};

/// The ranks of a run.
pub(crate) struct World {
    net: Net,
    control: Control,
    expected: Expected,
    service: Mutex<Service>,
    /// Number of messages under way.
    under_way: AtomicUsize,
    /// Whether a worker helps with messages.
    has_help: AtomicBool,
}

/// State of the thread that handles messages.
#[derive(Default)]
struct Service {
    /// Messages whose elements are still on their way from GPUs, including those just handed over.
    taken: Vec<Posted>,
    flights: Vec<Flight>,
    in_order: InOrder,
}

impl World {
    /// Joins the ranks of the launch that this process belongs to; `None` if it was not started as
    /// a rank. All ranks must call it in the same order.
    ///
    /// # Errors
    /// Returns an error if the launcher's variables contradict each other, or MPI reports other
    /// ranks than they do.
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

    /// Returns this rank and the number of ranks.
    pub(crate) fn ranks(&self) -> Ranks {
        self.net.ranks()
    }

    /// Returns whether MPI reports that it accepts addresses in GPU memory.
    pub(crate) fn takes_device_memory(&self) -> bool {
        net::takes_device_memory()
    }

    /// Returns the first rank's number on all ranks. All ranks must call it.
    pub(crate) fn common(&self, own: u128) -> u128 {
        let words = vec![own as u64, (own >> 64) as u64];
        match self.net.give_all(words, 0).finish()[..] {
            [low, high] => u128::from(high) << 64 | u128::from(low),
            _ => own,
        }
    }

    /// Returns the element-wise minimum of all ranks' numbers, of at most 63 bits each. All ranks
    /// must call it.
    pub(crate) fn least<const N: usize>(&self, own: [u64; N]) -> [u64; N] {
        let others = own.map(|number| ALL - number).to_vec();
        let most = self.net.most(others).finish();
        std::array::from_fn(|at| most.get(at).map_or(own[at], |most| ALL - most))
    }

    /// Declares the blocks of the gather of this number, and the ranks that send them.
    pub(crate) fn expect(&self, number: u64, pieces: Arc<[(Block, u16)]>) {
        self.expected.add(number, pieces);
    }

    /// Waits for all ranks and returns the first failure of any. `is_end` marks the last such call.
    pub(crate) fn agree(
        &self,
        party: &Party<'_>,
        failure: Option<Arc<Failure>>,
        is_end: bool,
    ) -> Option<Error> {
        self.control.agree(&self.net, party, failure, is_end)
    }

    /// Waits for all ranks and returns the minimum of their numbers.
    pub(crate) fn least_yet(&self, party: &Party<'_>, own: u64) -> u64 {
        self.control.least(&self.net, party, own)
    }

    /// Waits for the other ranks for the last time.
    pub(crate) fn part(&self) {
        self.control.part(&self.net);
        self.net.close();
    }

    /// Sends and receives until the runtime stops.
    pub(crate) fn serve(&self, work: &MessageWork<'_>) {
        if let Some(gpus) = work.gpus {
            // If it fails, the first check of a GPU's progress fails too, and reports the reason.
            drop(gpus.driver.enter_thread());
        }
        self.control
            .clocks
            .write_early(&work.executor.observers.recorder);
        let mut patience = Patience::for_own_thread();
        while work
            .executor
            .queues
            .messages
            .await_one(|| self.is_under_way())
        {
            match self.look(work) {
                true => patience.reset(),
                false => {
                    if let Some(waited) = patience.sleep() {
                        self.control.look(&self.net, work.program, waited);
                    }
                }
            }
        }
    }

    /// Sends and receives on an idle worker; false if the worker should sleep. A message that the
    /// worker waits for then arrives without a thread switch.
    pub(crate) fn help(&self, work: &MessageWork<'_>, patience: &mut Patience) -> bool {
        let is_needed = self.is_under_way() || !work.executor.queues.messages.is_empty();
        if !is_needed || self.has_help.swap(true, Ordering::AcqRel) {
            return false;
        }
        let is_worth_it = match self.look(work) {
            true => {
                patience.reset();
                true
            }
            false => patience.spin(),
        };
        self.has_help.store(false, Ordering::Release);
        if !is_worth_it {
            patience.reset();
            work.executor.queues.messages.nudge();
        }
        is_worth_it
    }

    fn is_under_way(&self) -> bool {
        self.under_way.load(Ordering::Acquire) > 0
    }

    /// Starts the messages that are ready, and ends those that are done. Returns false if there
    /// were none.
    fn look(&self, work: &MessageWork<'_>) -> bool {
        let Ok(mut service) = self.service.try_lock() else {
            return false;
        };
        let Service {
            taken,
            flights,
            in_order,
        } = &mut *service;
        let executor = &work.executor;
        work.executor.queues.messages.take(taken);
        let mut has_moved = false;
        for posted in taken.extract_if(.., |posted| posted.has_arrived(work.gpus)) {
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
                            .fail(&self.net, work.program, &flight.what(), code);
                        continue;
                    }
                    self.under_way
                        .store(awaited + flights.len(), Ordering::Release);
                    flight.end(executor, work.uids);
                    if let Some(gpus) = work.gpus {
                        gpus.host.tell();
                    }
                }
                false => at += 1,
            }
        }
        has_moved
    }
}
