//! Ranks in a build without MPI: there is only one.

use std::sync::Arc;

use weft_config::launch::Launch;
use weft_geometry::{Block, Ranks};

use super::Said;
use crate::device::{MessageWork, Party};
use crate::error::{Error, Failure};

/// A worker's wait for messages. This build has no messages.
#[derive(Default)]
pub(crate) struct Patience {}

/// Messages being sent to other ranks. This build has none.
#[allow(dead_code, reason = "there are no other ranks")]
pub(crate) struct SentMessages(());

/// The ranks of a run. This build has no value of this type.
pub(crate) enum World {}

impl World {
    /// Checks that the launch of this process has one rank.
    ///
    /// # Errors
    /// Returns an error if it has several: this build cannot reach the others.
    pub(crate) fn open() -> Result<Option<World>, Error> {
        match Launch::detect()? {
            Some(launch) if launch.is_shared() => Err(Error::NoMpi(launch)),
            _ => Ok(None),
        }
    }

    /// Returns this rank and the number of ranks.
    pub(crate) fn ranks(&self) -> Ranks {
        match *self {}
    }

    /// Returns whether MPI takes addresses in GPU memory.
    pub(crate) fn takes_device_memory(&self) -> bool {
        match *self {}
    }

    /// Returns the first rank's number.
    pub(crate) fn common(&self, _own: u128) -> u128 {
        match *self {}
    }

    /// Returns the element-wise minimum of all ranks' numbers.
    pub(crate) fn least<const N: usize>(&self, _own: [u64; N]) -> [u64; N] {
        match *self {}
    }

    /// Declares the blocks of a gather, and the ranks that send them.
    pub(crate) fn expect(&self, _number: u64, _pieces: Arc<[(Block, u16)]>) {
        match *self {}
    }

    /// Handles messages on an idle worker.
    pub(crate) fn help(&self, _work: &MessageWork<'_>, _patience: &mut Patience) -> bool {
        match *self {}
    }

    /// Waits for all ranks and returns the first failure of any.
    pub(crate) fn agree(
        &self,
        _party: &Party<'_>,
        _failure: Option<Arc<Failure>>,
        _is_end: bool,
    ) -> Option<Error> {
        match *self {}
    }

    /// Waits for all ranks and returns the minimum of their numbers.
    pub(crate) fn least_yet(&self, _party: &Party<'_>, _own: u64) -> u64 {
        match *self {}
    }

    /// Returns the other ranks.
    pub(crate) fn other_ranks(&self) -> std::ops::Range<u16> {
        match *self {}
    }

    /// Sends a message to another rank.
    pub(crate) fn tell(&self, _number: u64, _to: u16, _said: Said) -> SentMessages {
        match *self {}
    }

    /// Waits for a message from another rank.
    pub(crate) fn hear(
        &self,
        _number: u64,
        _from: u16,
        _is_stopped: impl Fn() -> bool,
    ) -> Option<Said> {
        match *self {}
    }

    /// Waits until all messages in `_told` have been sent.
    pub(crate) fn finish(&self, _told: Vec<SentMessages>, _is_stopped: impl Fn() -> bool) {
        match *self {}
    }

    /// Waits for the other ranks for the last time.
    pub(crate) fn part(&self) {
        match *self {}
    }

    /// Sends and receives until the runtime stops.
    pub(crate) fn serve(&self, _work: &MessageWork<'_>) {
        match *self {}
    }
}
