//! Ranks, for a build without MPI: there is one.

use weft_config::launch::Launch;
use weft_geometry::Ranks;

use crate::error::{Elsewhere, Error, Failure};
use crate::runtime::Core;

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

    /// Waits for the others.
    pub(crate) fn agree(
        &self,
        _core: &Core,
        _failure: Option<&Failure>,
        _is_end: bool,
    ) -> Option<Elsewhere> {
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
