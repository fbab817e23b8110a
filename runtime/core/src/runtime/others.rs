//! What the ranks of a run have in common: the program, and how it fares.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use weft_geometry::Block;
use weft_trace::id::OperationUid;
use weft_trace::record::RuntimeCallKind;

use super::Core;
use crate::device::{Party, Patience};
use crate::error::{Error, Failure};
use crate::operation::Request;
use crate::rank::ProgramStream;

/// How long it takes at most until an operation that was waited for counts as ended.
const ENDING: Duration = Duration::from_millis(100);

impl Core {
    /// Notes what the program asks for, where there are ranks to compare it with; the hash of the program up to it.
    pub(super) fn add_to_stream(&self, request: &Request, stream: &mut ProgramStream) -> u64 {
        match self.cutting.ranks().are_many() || stream.is_noted {
            true => stream.add(request),
            false => 0,
        }
    }

    /// This rank, as it agrees with the others.
    fn party(&self) -> Party<'_> {
        Party {
            program: &self.program,
            recorder: &self.observers.recorder,
            health: &self.health,
        }
    }

    /// Says what goes from which rank to all in the gather of this number.
    pub(crate) fn expect_gather(&self, number: u64, pieces: Arc<[(Block, u16)]>) {
        if let Some(world) = &self.world {
            world.expect(number, pieces);
        }
    }

    /// Looks after messages in the place of a worker that has nothing to do; false once it may as well sleep.
    pub(crate) fn help(&self, patience: &mut Patience) -> bool {
        match &self.world {
            Some(world) => world.help(self, patience),
            None => false,
        }
    }

    /// Waits until the program of every rank has read the value that the operation `read` copied, and gives the first failure that any
    /// reports: so a program has the same errors on every rank, and goes on in the same way.
    pub fn agree(&self, read: OperationUid, failure: Option<Arc<Failure>>) -> Option<Error> {
        if let Some(failure) = &failure {
            self.tell(failure);
        }
        let agreed = match self
            .world
            .as_ref()
            .filter(|_| self.cutting.ranks().are_many())
        {
            Some(world) if self.crashed().is_none() => {
                self.waiting(RuntimeCallKind::Agreement, Some(read), || {
                    world.agree(&self.party(), failure, false)
                })
            }
            _ => failure.map(Error::Failed),
        };
        // The same operation may have failed here too, where this rank's part of the value does not depend on it.
        if let Some(operation) = agreed.as_ref().and_then(Error::failed_operation) {
            self.health.failures.tell(operation);
        }
        // Who waits for a thread that has panicked is let go.
        self.stop_error().or(agreed)
    }

    /// Notes that the program has been told of a failure.
    fn tell(&self, failure: &Failure) {
        let failures = &self.health.failures;
        failures.tell(failure.uid);
        if let Some(memory) = failure.full_memory() {
            failures.tell_full(memory, self.uids.last_operation());
        }
    }

    /// A failure as the error of the call that met it, in a run of one rank.
    pub fn failed(&self, failure: Arc<Failure>) -> Error {
        self.tell(&failure);
        Error::Failed(failure)
    }

    /// The least of the numbers that all ranks have, for what the program decides by. Asked for by all.
    pub(crate) fn least_of_all(&self, own: usize) -> usize {
        match self
            .world
            .as_ref()
            .filter(|_| self.cutting.ranks().are_many())
        {
            Some(world) => self.waiting(RuntimeCallKind::Agreement, None, || {
                world.least_yet(&self.party(), own as u64) as usize
            }),
            None => own,
        }
    }

    /// Whether nothing is under way, or what a read has waited for is just ending.
    pub(super) fn is_done_soon(&self) -> bool {
        let start = Instant::now();
        while !self.queues.outstanding.is_none() {
            if !self.cutting.ranks().are_many() || start.elapsed() > ENDING {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    /// The same at the end of the program where there are ranks, with the first of the failures that they give; once.
    pub(super) fn end_together(&self, failure: Option<Arc<Failure>>) -> Option<Error> {
        let world = self
            .world
            .as_ref()
            .filter(|_| self.cutting.ranks().are_many())?;
        if self.health.has_agreed.swap(true, Ordering::AcqRel) {
            return None;
        }
        if self.crashed().is_some() {
            return self.stop_error();
        }
        self.program.lock().end();
        let error = self.waiting(RuntimeCallKind::Agreement, None, || {
            let error = world.agree(&self.party(), failure, true);
            if self.crashed().is_none() {
                world.part();
            }
            error
        });
        self.stop_error().or(error)
    }
}
