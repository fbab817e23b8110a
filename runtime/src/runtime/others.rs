//! What the ranks of a run have in common: the program, and how it fares.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

use super::Core;
use crate::error::Elsewhere;
use crate::error::Failure;
use crate::operation::Request;
use crate::rank::Stream;

impl Core {
    /// Holds still what threads of the program ask for.
    pub(crate) fn turn(&self) -> MutexGuard<'_, Stream> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the program asks for, where there are ranks to compare it with; the hash of the program up to it.
    pub(super) fn add_to_stream(&self, request: &Request, stream: &mut Stream) -> u64 {
        match self.ranks.are_many() {
            true => stream.add(request),
            false => 0,
        }
    }

    /// Waits until the program of every rank has come as far as this one's, and gives the first failure that any reports, where that
    /// is on another rank: so a program has the same errors on every rank, and goes on in the same way.
    pub(crate) fn agree(&self, failure: Option<&Failure>) -> Option<Elsewhere> {
        let world = self.world.as_ref().filter(|_| self.ranks.are_many())?;
        world.agree(self, failure, false)
    }

    /// The same at the end of the program, with the first failure of all; once.
    pub(super) fn end_together(&self) -> Option<Elsewhere> {
        let world = self.world.as_ref().filter(|_| self.ranks.are_many())?;
        if self.has_ended.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.turn().end();
        let elsewhere = world.agree(self, self.failure.get().map(|failure| &**failure), true);
        world.part();
        elsewhere
    }
}
