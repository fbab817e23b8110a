//! The moment from which the host may use memory that GPUs have worked on.

use super::api::{EventId, GpuId};
use super::gpus::Gpus;
use crate::error::DriverError;

/// An event after all GPU work that uses the memory.
pub(crate) struct Arrival(State);

enum State {
    /// The event, or the reason why it could not be set.
    Awaited(Result<(GpuId, EventId), DriverError>),
    Come,
}

impl Arrival {
    pub(super) fn new(mark: Result<(GpuId, EventId), DriverError>) -> Arrival {
        Arrival(State::Awaited(mark))
    }

    /// Returns whether the event is reached, without waiting for it.
    #[cfg_attr(
        not(feature = "mpi"),
        allow(
            dead_code,
            reason = "for messages between ranks, in builds that have them"
        )
    )]
    pub(crate) fn has_come(&mut self, gpus: &Gpus) -> Result<bool, DriverError> {
        match &self.0 {
            State::Come => return Ok(true),
            State::Awaited(Err(error)) => return Err(error.clone()),
            State::Awaited(Ok(mark)) => {
                let reached = gpus.driver.has_reached(mark.1);
                if !reached.map_err(|error| gpus.explain(mark.0, error))? {
                    return Ok(false);
                }
                gpus.events.give_back([*mark]);
            }
        }
        self.0 = State::Come;
        Ok(true)
    }

    /// Waits for the event.
    pub(super) fn wait(self, gpus: &Gpus) -> Result<(), DriverError> {
        match self.0 {
            State::Come => Ok(()),
            State::Awaited(mark) => {
                let mark = mark?;
                let reached = gpus.driver.synchronize(mark.1);
                gpus.events.give_back([mark]);
                reached.map_err(|error| gpus.explain(mark.0, error))
            }
        }
    }
}
