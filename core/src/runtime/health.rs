//! How a run fares: what has failed, and whether it goes on.

use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};

use super::crash::Crashes;
use super::failures::Failures;
use crate::error::{DriverError, Failure};

/// What is known of it.
#[derive(Default)]
pub(super) struct Health {
    /// Operations that failed, of all levels.
    pub(super) failures: Arc<Failures>,
    /// An operation that a GPU found to be wrong while others that depend on it were under way.
    pub(super) fault: OnceLock<Arc<Failure>>,
    /// Why a GPU does nothing any more.
    pub(super) lost: OnceLock<DriverError>,
    /// Panics of threads.
    pub(super) crashes: Arc<Crashes>,
    /// Threads that have said who they are.
    pub(super) threads: AtomicU32,
    /// Whether the run has ended, in whatever way.
    pub(super) has_finished: AtomicBool,
    /// Whether the ranks have agreed on how it ended.
    pub(super) has_agreed: AtomicBool,
    /// Set where the process exits without finishing: what has not begun never runs, and is not waited for.
    pub(super) is_abandoned: Arc<AtomicBool>,
}

impl Health {
    /// That of another level of the same run.
    pub(super) fn of_level(failures: Arc<Failures>) -> Health {
        Health {
            failures,
            ..Health::default()
        }
    }
}
