//! Calls that are several operations, and change arrays by what these held before.
//!
//! The lock of the program makes single operations whole: an operation that reads and writes an array does so before or after every other.
//! A call that first computes a result and then writes it would lose what another thread writes in between. While a thread has the turn
//! of a store, operations of other threads that write to the store wait. Operations that read it go on: they see it before the call.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use smallvec::SmallVec;
use weft_geometry::Access;

use super::{Core, around};
use crate::memory::Store;
use crate::operation::{Operand, Request};
use crate::rank::ProgramStream;

/// How long a thread sleeps until it looks again whether another one has ended its call.
const SLEEP: Duration = Duration::from_micros(20);

thread_local! {
    static THREAD: Cell<u64> = const { Cell::new(0) };
}

/// The number of the calling thread, above 0.
fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    match THREAD.get() {
        0 => {
            let own = NEXT.fetch_add(1, Ordering::Relaxed);
            THREAD.set(own);
            own
        }
        own => own,
    }
}

/// The number of the thread that has the turn of a store, or 0.
#[derive(Default)]
pub(crate) struct Turn(AtomicU64);

impl Turn {
    /// Whether another thread than the calling one has it.
    #[inline]
    pub(crate) fn is_of_another(&self) -> bool {
        match self.0.load(Ordering::Acquire) {
            0 => false,
            owner => owner != thread(),
        }
    }

    fn is_own(&self) -> bool {
        self.0.load(Ordering::Relaxed) == thread()
    }

    fn take(&self) -> bool {
        let taken = self
            .0
            .compare_exchange(0, thread(), Ordering::AcqRel, Ordering::Relaxed);
        taken.is_ok()
    }

    fn give_back(&self) {
        self.0.store(0, Ordering::Release);
    }
}

/// The turns of some stores, until it is dropped, on the thread that took them.
#[must_use = "the turns end with it"]
pub struct Whole(SmallVec<[Arc<Store>; 1]>);

impl Whole {
    /// Takes the turns of all stores that the calling thread does not have yet; `None` where another thread has one.
    pub fn begin(stores: impl IntoIterator<Item = Arc<Store>>) -> Option<Whole> {
        let mut own = Whole(SmallVec::new());
        for store in stores {
            if store.turn.is_own() {
                continue;
            }
            if !store.turn.take() {
                return None;
            }
            own.0.push(store);
        }
        Some(own)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.0.iter().for_each(|store| store.turn.give_back());
    }
}

/// The first store that a request writes to and whose turn another thread has.
fn taken(request: &Request) -> Option<&Arc<Store>> {
    let mut operands = request.operands.iter().zip(request.body.operands.iter());
    operands.find_map(|(operand, declared)| match operand {
        Operand::Array { store, .. }
            if declared.access != Access::Read && store.turn.is_of_another() =>
        {
            Some(store)
        }
        _ => None,
    })
}

/// Waits until no other thread has the turn of the store, or the time is over; says whether none has.
fn wait(store: &Store, most: Duration) -> bool {
    let until = Instant::now() + most;
    while store.turn.is_of_another() {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(SLEEP);
    }
    true
}

impl Core {
    /// Holds the program still, once no other thread has the turn of a store that the request writes to.
    #[inline]
    pub(super) fn lock_for(&self, request: &Request) -> MutexGuard<'_, ProgramStream> {
        loop {
            let locked = self.program.lock();
            let Some(store) = taken(request) else {
                return locked;
            };
            drop(locked);
            // With a front end another thread may have the turn again: it must not be waited for with the front end's lock.
            if !around::through(|most| wait(store, most)) {
                while !wait(store, Duration::from_secs(1)) {}
            }
        }
    }
}
