//! Ranks over MPI, and the thread that sends and receives.
//!
//! Every message is a task: it waits for what it sends, or for who still reads what it overwrites. The thread takes those that are
//! ready, asks MPI for each without waiting, and ends them as MPI says that they are done: so no order of messages can
//! stop a run. Gathers, which all ranks take part in, are asked for in the program's order.

mod clock;
mod control;
mod flight;
mod gather;
mod net;
mod patience;
mod request;

use std::sync::Arc;

use weft_config::launch::Launch;
use weft_geometry::{Block, Ranks};
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

use self::clock::Clocks;
use self::control::Control;
use self::flight::Flight;
use self::gather::{Expected, InOrder};
use self::net::Net;
use self::patience::Patience;
use crate::error::{Error, Failure};
use crate::runtime::Core;
use crate::task::Task;

/// The thread that sends and receives, in records.
const MESSAGES: ProcessorId = ProcessorId(u16::MAX);

/// The ranks of a run.
pub(crate) struct World {
    net: Net,
    control: Control,
    expected: Expected,
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
            expected: Expected::default(),
        }))
    }

    /// Which rank this is.
    pub(crate) fn ranks(&self) -> Ranks {
        self.net.ranks()
    }

    /// Says what goes from which rank to all in the gather of this number.
    pub(crate) fn expect(&self, number: u64, pieces: Arc<[(Block, u16)]>) {
        self.expected.add(number, pieces);
    }

    /// Waits until all ranks have come here; the first failure of any. With `is_end` it is for the last time.
    pub(crate) fn agree(
        &self,
        core: &Core,
        failure: Option<Arc<Failure>>,
        is_end: bool,
    ) -> Option<Error> {
        self.control.agree(&self.net, core, failure, is_end)
    }

    /// Waits for the others for the last time.
    pub(crate) fn part(&self) {
        self.control.part(&self.net);
        self.net.close();
    }

    /// Sends and receives until the runtime stops.
    pub(crate) fn serve(&self, core: &Core) {
        core.enter_thread(MESSAGES, ProcessorKind::Utility, "Messages");
        self.control.clocks.write_early(&core.recorder);
        let mut taken: Vec<Arc<Task>> = Vec::new();
        let mut flights: Vec<Flight> = Vec::new();
        let mut in_order = InOrder::default();
        let mut patience = Patience::new();
        while core.messages.take_all(&mut taken, flights.is_empty()) {
            let mut is_quiet = taken.is_empty();
            for task in taken.drain(..) {
                flights.extend(Flight::begin(self, core, task, &mut in_order));
            }
            while let Some((task, operation)) = in_order.next() {
                flights.extend(self.begin_gather(core, task, operation));
            }
            let mut at = 0;
            while at < flights.len() {
                match flights[at].is_done() {
                    true => {
                        is_quiet = false;
                        flights.swap_remove(at).end(core);
                    }
                    false => at += 1,
                }
            }
            match is_quiet {
                true => {
                    if let Some(waited) = patience.wait(|| core.is_idle()) {
                        self.control.look(&self.net, core, waited);
                    }
                }
                false => patience.renew(),
            }
        }
        core.recorder.detach_thread();
    }
}
