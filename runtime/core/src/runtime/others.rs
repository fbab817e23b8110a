//! Agreement between the ranks of a run on the program and its failures.

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

/// Maximum time until an operation that was waited for counts as ended.
const ENDING: Duration = Duration::from_millis(100);

impl Core {
    /// Adds a request to the stream for comparison between ranks, if there are several. Returns the
    /// hash of the program up to it.
    pub(super) fn add_to_stream(&self, request: &Request, stream: &mut ProgramStream) -> u64 {
        match self.cutting.ranks().are_many() || stream.is_noted {
            true => stream.add(request),
            false => 0,
        }
    }

    /// Returns this rank's part in agreements with the others.
    fn party(&self) -> Party<'_> {
        Party {
            program: &self.program,
            recorder: &self.observers.recorder,
            health: &self.health,
        }
    }

    /// Announces the pieces and their ranks in the gather of this number.
    pub(crate) fn expect_gather(&self, number: u64, pieces: Arc<[(Block, u16)]>) {
        if let Some(world) = &self.world {
            world.expect(number, pieces);
        }
    }

    /// Processes messages on an idle worker; returns false once the worker may sleep.
    pub(crate) fn help(&self, patience: &mut Patience) -> bool {
        match &self.world {
            Some(world) => world.help(&self.message_work(), patience),
            None => false,
        }
    }

    /// Waits until the program of every rank has read the value that the operation `read` copied.
    /// Returns the first failure that any rank reports, so that the programs of all ranks get the
    /// same errors and continue in the same way.
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
        // The same operation may have failed here too, even if this rank's part of the value does
        // not depend on it.
        if let Some(operation) = agreed.as_ref().and_then(Error::failed_operation) {
            self.health.failures.tell(operation);
        }
        // A panic of a thread takes precedence: it releases all waiters.
        self.stop_error().or(agreed)
    }

    /// Notes that a failure has been reported to the program.
    fn tell(&self, failure: &Failure) {
        let failures = &self.health.failures;
        failures.tell(failure.uid);
        if let Some(cause) = failure.shared_cause() {
            failures.tell_shared(cause, self.uids.last_operation());
        }
    }

    /// Returns a failure as the error of the call that met it, in a run of one rank.
    pub fn failed(&self, failure: Arc<Failure>) -> Error {
        self.tell(&failure);
        Error::Failed(failure)
    }

    /// Returns the minimum of a number over all ranks, for decisions of the program. All ranks must
    /// call it.
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

    /// Whether nothing is under way, allowing for operations that are just ending.
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

    /// Agrees with the other ranks at the end of the program; returns the first failure that any
    /// rank reports. Only the first call does so.
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
