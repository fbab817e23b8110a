//! Calls of several operations that change arrays based on their previous content.
//!
//! The lock of the program makes single operations atomic: an operation that reads and writes an
//! array runs before or after every other. A call that first computes a result and then writes it
//! could lose what another thread writes in between. While a thread has the turn of a store,
//! operations of other threads that write to the store wait. Operations that read it continue: they
//! see the state before the call.
//!
//! A thread that has turns may wait for more, so threads may wait for each other in a circle. The
//! table of waits finds such a circle: every thread in it is blocked until the one that found it
//! continues.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use smallvec::SmallVec;
use weft_geometry::Access;

use super::{Core, around};
use crate::error::CallError;
use crate::memory::{Store, thread, use_turns_of};
use crate::operation::{Operand, Request};
use crate::rank::ProgramStream;

/// Sleep between two checks whether another thread has ended its call.
const SLEEP: Duration = Duration::from_micros(20);

/// For each thread that waits, the store whose turn it waits for.
static WAITS: Mutex<BTreeMap<u64, Arc<Store>>> = Mutex::new(BTreeMap::new());

fn waits() -> MutexGuard<'static, BTreeMap<u64, Arc<Store>>> {
    WAITS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The turns of some stores, held by the calling thread until this is dropped.
#[must_use = "the turns end with it"]
pub struct Whole {
    stores: SmallVec<[Arc<Store>; 1]>,
    /// The thread whose turns the calling one used before as its own, if this changed it.
    before: Option<u64>,
}

/// The result of a request for turns.
pub enum TurnRequest {
    /// The calling thread has all of them.
    All(Whole),
    /// Another thread has one.
    Busy,
    /// Another thread has one, and waits for a turn of the calling thread, directly or through
    /// other threads.
    Circle,
}

impl Whole {
    /// Takes the turns of all stores that the calling thread does not have yet, or none of them.
    pub fn begin(stores: &[Arc<Store>]) -> Option<Whole> {
        Whole::take(stores).ok()
    }

    /// Takes the turns. If another thread has one, notes that the calling thread waits for it until
    /// `waiting` is dropped.
    pub fn begin_or_wait(stores: &[Arc<Store>], waiting: &Waiting) -> TurnRequest {
        let mut waits = waits();
        waits.remove(&waiting.thread);
        let busy = match Whole::take(stores) {
            Ok(whole) => return TurnRequest::All(whole),
            Err(busy) => busy,
        };
        if !is_circle(&waits, busy) {
            waits.insert(waiting.thread, busy.clone());
            return TurnRequest::Busy;
        }
        match waiting.may_act {
            true => Whole::take_instead(stores, busy.turn.owner())
                .map_or(TurnRequest::Busy, TurnRequest::All),
            false => TurnRequest::Circle,
        }
    }

    /// Takes the turns; treats those of another thread in a circle of waits as the calling thread's
    /// own. That thread is blocked until the calling one gives up the turns that it had before.
    fn take_instead(stores: &[Arc<Store>], other: u64) -> Option<Whole> {
        let before = use_turns_of(other);
        let taken = Whole::take(stores);
        if taken.is_err() {
            use_turns_of(before);
        }
        let mut whole = taken.ok()?;
        whole.before = Some(before);
        Some(whole)
    }

    fn take(stores: &[Arc<Store>]) -> Result<Whole, &Arc<Store>> {
        let mut own = Whole {
            stores: SmallVec::new(),
            before: None,
        };
        for store in stores {
            if store.turn.is_own() {
                continue;
            }
            if !store.turn.take() {
                return Err(store);
            }
            own.stores.push(store.clone());
        }
        Ok(own)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.stores.iter().for_each(|store| store.turn.give_back());
        if let Some(before) = self.before {
            use_turns_of(before);
        }
    }
}

/// Whether the owner of a store's turn waits for the calling thread, directly or through others. No
/// thread of such a circle continues before the calling one gives up a turn.
fn is_circle(waits: &BTreeMap<u64, Arc<Store>>, busy: &Store) -> bool {
    let mut owner = busy.turn.owner();
    // A chain is no longer than the table, unless it runs into a circle without the calling thread.
    for _ in 0..=waits.len() {
        match waits.get(&owner) {
            Some(store) => owner = store.turn.owner(),
            None => return false,
        }
        if owner == thread() {
            return true;
        }
    }
    false
}

/// A wait of the calling thread for turns. Until it is dropped, other threads can find that they
/// wait for this one.
pub struct Waiting {
    thread: u64,
    may_act: bool,
}

impl Waiting {
    /// Begins a wait for turns.
    ///
    /// With `may_act`, a thread in a circle uses the turns of the thread that it waits for as its
    /// own. This is correct only for a call that does the same as the other thread would, such as
    /// updating a copy.
    pub fn new(may_act: bool) -> Waiting {
        let thread = thread();
        Waiting { thread, may_act }
    }

    /// Begins a wait for the turn of one store.
    fn begin(store: &Arc<Store>) -> Waiting {
        let waiting = Waiting::new(false);
        waits().insert(waiting.thread, store.clone());
        waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        waits().remove(&self.thread);
    }
}

/// Returns the first store that a request writes to and whose turn another thread has.
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

/// Waits until no other thread has the turn of the store, for at most `most`; returns whether none
/// has.
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
    /// Locks the program once no other thread has the turn of a store that the request writes to.
    ///
    /// # Errors
    /// Returns an error if the front end gave up the wait.
    #[inline]
    pub(super) fn lock_unless_interrupted(
        &self,
        request: &Request,
    ) -> Result<MutexGuard<'_, ProgramStream>, CallError> {
        self.lock_once(request, |store| {
            around::until(|most| wait(store, most)).map_err(|_| CallError::Interrupted)
        })
    }

    /// Like [`lock_unless_interrupted`](Self::lock_unless_interrupted), for a request that is
    /// already counted: it waits to the end.
    #[inline]
    pub(super) fn lock_for(&self, request: &Request) -> MutexGuard<'_, ProgramStream> {
        let locked = self.lock_once(request, |store| {
            around::through(|most| wait(store, most));
            Ok::<(), Infallible>(())
        });
        match locked {
            Ok(locked) => locked,
            Err(never) => match never {},
        }
    }

    /// Locks the program once no other thread has such a turn; `wait_for` waits as the front end
    /// requires.
    #[inline]
    fn lock_once<E>(
        &self,
        request: &Request,
        wait_for: impl Fn(&Store) -> Result<(), E>,
    ) -> Result<MutexGuard<'_, ProgramStream>, E> {
        loop {
            let locked = self.program.lock();
            let Some(store) = taken(request) else {
                return Ok(locked);
            };
            let store = store.clone();
            drop(locked);
            let _waiting = Waiting::begin(&store);
            wait_for(&store)?;
            // With a front end another thread may have taken the turn again. It must not be waited
            // for here, with the front end's lock held.
            if !around::is_there() {
                while !wait(&store, Duration::from_secs(1)) {}
            }
        }
    }
}
