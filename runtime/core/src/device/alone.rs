//! Ranks, for a build without MPI: there is one.

use std::sync::Arc;

use weft_config::launch::Launch;
use weft_geometry::{Block, Ranks};

use super::Said;
use crate::device::Party;
use crate::error::{Error, Failure};
use crate::runtime::Core;

/// How long a worker has waited for messages. There are none.
#[derive(Default)]
pub(crate) struct Patience {}

/// What was told other ranks: nothing.
#[allow(dead_code, reason = "there is nobody to tell")]
pub(crate) struct Told(());

/// The ranks of a run. There is none of these without MPI.
pub(crate) enum World {}

impl World {
    /// The ranks of the launch that this process is part of.
    ///
    /// # Errors
    /// There are several: this build cannot reach the others.
    pub(crate) fn open() -> Result<Option<World>, Error> {
        match Launch::detect()? {
            Some(launch) if launch.is_shared() => Err(Error::NoMpi(launch)),
            _ => Ok(None),
        }
    }

    /// Which rank this is.
    pub(crate) fn ranks(&self) -> Ranks {
        match *self {}
    }

    /// Whether MPI takes addresses in GPU memory.
    pub(crate) fn takes_device_memory(&self) -> bool {
        match *self {}
    }

    /// A number that the first rank has.
    pub(crate) fn common(&self, _own: u128) -> u128 {
        match *self {}
    }

    /// The least of every rank's numbers.
    pub(crate) fn least<const N: usize>(&self, _own: [u64; N]) -> [u64; N] {
        match *self {}
    }

    /// Says what goes from which rank to all in a gather.
    pub(crate) fn expect(&self, _number: u64, _pieces: Arc<[(Block, u16)]>) {
        match *self {}
    }

    /// Looks after messages in the place of a worker.
    pub(crate) fn help(&self, _core: &Core, _patience: &mut Patience) -> bool {
        match *self {}
    }

    /// Waits for the others.
    pub(crate) fn agree(
        &self,
        _party: &Party<'_>,
        _failure: Option<Arc<Failure>>,
        _is_end: bool,
    ) -> Option<Error> {
        match *self {}
    }

    /// The least number of any rank.
    pub(crate) fn least_yet(&self, _party: &Party<'_>, _own: u64) -> u64 {
        match *self {}
    }

    /// The other ranks.
    pub(crate) fn other_ranks(&self) -> std::ops::Range<u16> {
        match *self {}
    }

    /// Tells another rank something.
    pub(crate) fn tell(&self, _number: u64, _to: u16, _said: Said) -> Told {
        match *self {}
    }

    /// Waits for what another rank tells.
    pub(crate) fn hear(
        &self,
        _number: u64,
        _from: u16,
        _is_stopped: impl Fn() -> bool,
    ) -> Option<Said> {
        match *self {}
    }

    /// Waits until what was told has been heard.
    pub(crate) fn finish(&self, _told: Vec<Told>, _is_stopped: impl Fn() -> bool) {
        match *self {}
    }

    /// Waits for the others for the last time.
    pub(crate) fn part(&self) {
        match *self {}
    }

    /// Sends and receives until the runtime stops.
    pub(crate) fn serve(&self, _core: &Core) {
        match *self {}
    }
}
