//! The client's settings, and the queued records.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::activity::Timed;
use super::call::thread_number;
use super::layout::Version;
use crate::host::{Random, seed};

/// `CUpti_ActivityKind`.
pub(crate) mod kind {
    pub(crate) const MEMCPY: u32 = 1;
    pub(crate) const MEMSET: u32 = 2;
    pub(crate) const KERNEL: u32 = 3;
    pub(crate) const DRIVER: u32 = 4;
    pub(crate) const RUNTIME: u32 = 5;
    pub(crate) const CONCURRENT_KERNEL: u32 = 10;
    pub(crate) const OVERHEAD: u32 = 17;
    pub(crate) const MEMCPY2: u32 = 22;
    pub(crate) const UNIFIED_MEMORY_COUNTER: u32 = 25;
    pub(crate) const SYNCHRONIZATION: u32 = 38;
    pub(crate) const EXTERNAL_CORRELATION: u32 = 39;
    pub(crate) const MEMORY2: u32 = 49;
}

/// Requests the client's buffer: its address, its bytes, and the maximum number of records in it, 0
/// for as many as fit.
pub(super) type Requested = unsafe extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
/// Returns a buffer to the client: context, stream, address, bytes, used bytes.
pub(super) type Completed = unsafe extern "C" fn(*mut (), u32, *mut u8, usize, usize);

/// The state of CUPTI in this process.
pub(crate) struct Session {
    version: Version,
    pub(super) buffers: Option<(Requested, Completed)>,
    pub(super) enabled: BTreeSet<u32>,
    /// Kinds of counters of unified memory that are recorded while they are enabled.
    pub(super) counters: BTreeSet<u32>,
    /// Calls with their own setting, which overrides the kinds.
    pub(super) calls: BTreeMap<(u32, u32), bool>,
    pub(super) has_system_threads: bool,
    /// Groups of records that stay together and in order.
    pub(super) waiting: Vec<Vec<Vec<u8>>>,
    pub(super) dropped: u64,
    pub(super) flushes_wanted: u64,
    pub(super) flushes_done: u64,
    /// Milliseconds after which records are delivered without a request.
    pub(super) period: u32,
    pub(super) attributes: BTreeMap<u32, Vec<u8>>,
    pub(super) random: Random,
    drop_each: u64,
    untimed_each: u64,
    made: u64,
    kernels: u64,
}

/// Notified when the delivering thread has something to do, or has done it.
pub(super) static CHANGED: Condvar = Condvar::new();
static SESSION: Mutex<Option<Session>> = Mutex::new(None);

fn period_of(name: &str) -> u64 {
    env::var(name)
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0)
}

/// Returns the emulated version, from the environment.
pub(super) fn version() -> Version {
    let asked = env::var("WEFT_EMULATED_CUPTI").unwrap_or_default();
    if asked.starts_with("12") {
        Version::V12
    } else {
        Version::V13
    }
}

pub(super) struct SessionGuard(MutexGuard<'static, Option<Session>>);

impl std::ops::Deref for SessionGuard {
    type Target = Session;

    #[allow(clippy::expect_used, reason = "made when the guard was")]
    fn deref(&self) -> &Session {
        self.0.as_ref().expect("a session")
    }
}

impl std::ops::DerefMut for SessionGuard {
    #[allow(clippy::expect_used, reason = "made when the guard was")]
    fn deref_mut(&mut self) -> &mut Session {
        self.0.as_mut().expect("a session")
    }
}

impl SessionGuard {
    /// Waits until something has changed, or for this number of milliseconds.
    pub(super) fn wait(self, milliseconds: u64) -> SessionGuard {
        let time = std::time::Duration::from_millis(milliseconds);
        let waited = CHANGED.wait_timeout(self.0, time);
        SessionGuard(waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

pub(super) fn session() -> SessionGuard {
    let mut guard = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    guard.get_or_insert_with(|| Session {
        version: version(),
        buffers: None,
        enabled: BTreeSet::new(),
        counters: BTreeSet::new(),
        calls: BTreeMap::new(),
        has_system_threads: false,
        waiting: Vec::new(),
        dropped: 0,
        flushes_wanted: 0,
        flushes_done: 0,
        period: 0,
        attributes: BTreeMap::new(),
        random: Random::new(seed() ^ 0x000c_0971),
        drop_each: period_of("WEFT_EMULATED_DROP"),
        untimed_each: period_of("WEFT_EMULATED_UNTIMED"),
        made: 0,
        kernels: 0,
    });
    SessionGuard(guard)
}

/// The number of queued groups from which records are delivered without a flush.
const ENOUGH: usize = 500;

impl Session {
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    pub(super) fn is_enabled(&self, kind: u32) -> bool {
        self.enabled.contains(&kind)
    }

    pub(super) fn thread(&self) -> u32 {
        thread_number(self.has_system_threads)
    }

    /// Removes the times of some kernels.
    pub(super) fn maybe_untimed(&mut self, time: Timed) -> Timed {
        self.kernels += 1;
        if self.untimed_each > 0 && self.kernels.is_multiple_of(self.untimed_each) {
            return Timed {
                start: 0,
                end: 0,
                ..time
            };
        }
        time
    }

    /// Makes a record of the first of these kinds that is enabled.
    pub(super) fn record(kinds: &[u32], make: impl FnOnce(&mut Session, u32) -> Vec<u8>) {
        let mut session = session();
        let enabled = kinds.iter().copied().find(|&kind| session.is_enabled(kind));
        if let Some(kind) = enabled {
            let record = make(&mut session, kind);
            session.add(vec![record]);
        }
    }

    /// Makes the records of a call, if calls of this interface, or this one, are recorded.
    pub(super) fn record_call(kind: u32, cbid: u32, make: impl FnOnce(&Session) -> Vec<Vec<u8>>) {
        let mut session = session();
        let is_enabled = session.is_enabled(kind);
        if session
            .calls
            .get(&(kind, cbid))
            .copied()
            .unwrap_or(is_enabled)
        {
            let group = make(&session);
            session.add(group);
        }
    }

    fn add(&mut self, mut group: Vec<Vec<u8>>) {
        group.retain(|_| {
            self.made += 1;
            let is_kept = self.drop_each == 0 || !self.made.is_multiple_of(self.drop_each);
            self.dropped += u64::from(!is_kept);
            is_kept
        });
        if group.is_empty() {
            return;
        }
        self.waiting.push(group);
        if self.waiting.len() >= ENOUGH {
            CHANGED.notify_all();
        }
    }

    /// Returns whether the delivering thread has to deliver now.
    pub(super) fn is_due(&self) -> bool {
        self.flushes_wanted > self.flushes_done || self.waiting.len() >= ENOUGH
    }
}
