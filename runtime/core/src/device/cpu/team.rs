//! Threads that share the tiles of a task: one leads, the others help.
//!
//! The leader opens a round, all members take tiles, and the leader continues when no helper is at
//! work. Each member begins with a share of neighbouring tiles. The share is the same for
//! operations of one shape, so the member finds data that it used before. A member that is done
//! takes the rest of the others' shares. The leader does not wait for helpers that are still asleep
//! when all tiles are taken.

#![allow(
    unsafe_code,
    reason = "lends the body of a round to threads that outlive it"
)]

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, spin};

/// Number of times that a member checks for the next round, or the leader for the end of one,
/// before it sleeps.
const SPINS: u32 = 1000;

/// A counter on a cache line of its own.
#[repr(align(64))]
struct Next(AtomicUsize);

/// A team of threads; member 0 leads.
pub(crate) struct Team {
    state: Mutex<State>,
    /// Number of the last round opened, and number of helpers at work; read without the lock.
    round: AtomicU64,
    busy: AtomicUsize,
    begun: Condvar,
    ended: Condvar,
    /// For each member, the first tile of its share that is not taken.
    next: Box<[Next]>,
}

#[derive(Default)]
struct State {
    /// The job of the open round, if any.
    job: Option<Job>,
    /// Number of rounds opened so far.
    round: u64,
    /// Number of helpers at work.
    busy: usize,
    /// Number of helpers asleep.
    asleep: usize,
    /// Whether a helper has panicked, so that its tile is not done.
    panicked: bool,
    stopped: bool,
}

/// The work of a round.
#[derive(Clone, Copy)]
struct Job {
    body: *const (dyn Fn(usize) + Sync),
    count: usize,
}

// SAFETY: the body may be called by several threads, and lives until the round has ended: the
// leader waits for every helper that has taken the job.
unsafe impl Send for Job {}

impl Team {
    /// Creates a team of `members` members, at least 1.
    pub(crate) fn new(members: usize) -> Team {
        Team {
            state: Mutex::default(),
            round: AtomicU64::new(0),
            busy: AtomicUsize::new(0),
            begun: Condvar::default(),
            ended: Condvar::default(),
            next: (0..members.max(1))
                .map(|_| Next(AtomicUsize::new(0)))
                .collect(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `body` once with each number below `count`, on helpers and on the calling thread,
    /// which leads. Only one thread may call this at a time.
    ///
    /// # Panics
    /// Panics if `body` panics on any thread.
    #[allow(clippy::panic, reason = "hands on a panic of another thread")]
    pub(crate) fn each(&self, count: usize, body: &(dyn Fn(usize) + Sync)) {
        if count < 2 || self.next.len() < 2 {
            return (0..count).for_each(body);
        }
        // SAFETY: only the lifetime changes. No thread has the body when the round has ended, see
        // `Round`.
        let body = unsafe {
            std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const (dyn Fn(usize) + Sync)>(
                std::ptr::from_ref(body),
            )
        };
        let job = Job { body, count };
        for (member, next) in self.next.iter().enumerate() {
            // No helper is at work. The lock below publishes this write.
            next.0.store(self.share(count, member), Ordering::Relaxed);
        }
        let mut state = self.state();
        state.job = Some(job);
        state.round += 1;
        self.round.store(state.round, Ordering::Relaxed);
        let asleep = state.asleep > 0;
        drop(state);
        let round = Round(self);
        if asleep {
            self.begun.notify_all();
        }
        self.work(0, job);
        drop(round);
        if self.state().panicked {
            panic!("a thread that helps panicked");
        }
    }

    /// Helps in each round until the team is stopped.
    pub(crate) fn help(&self, member: usize) {
        let mut seen = 0;
        loop {
            spin(SPINS, || self.round.load(Ordering::Relaxed) != seen);
            let mut state = self.state();
            let job = loop {
                if state.stopped {
                    return;
                }
                if state.round != seen {
                    seen = state.round;
                    break state.job;
                }
                state.asleep += 1;
                state = self
                    .begun
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.asleep -= 1;
            };
            // The round may have ended without this member.
            if let Some(job) = job {
                state.busy += 1;
                self.busy.store(state.busy, Ordering::Relaxed);
                drop(state);
                let helper = Helper(self);
                self.work(member, job);
                drop(helper);
            }
        }
    }

    /// Stops the helpers.
    pub(crate) fn stop(&self) {
        self.state().stopped = true;
        self.begun.notify_all();
    }

    /// Takes tiles until none is left: first from the member's own share, then from the others'.
    fn work(&self, member: usize, job: Job) {
        // SAFETY: the round is open, or the leader waits for this member.
        let body = unsafe { &*job.body };
        let members = self.next.len();
        for owner in (member..members).chain(0..member) {
            let end = self.share(job.count, owner + 1);
            loop {
                let number = self.next[owner].0.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    break;
                }
                body(number);
            }
        }
    }

    /// Returns the first tile of a member's share.
    fn share(&self, count: usize, member: usize) -> usize {
        ((count as u128 * member as u128) / self.next.len() as u128) as usize
    }
}

/// An open round, held by the leader. The round ends when this is dropped, also by a panic.
struct Round<'a>(&'a Team);

impl Drop for Round<'_> {
    fn drop(&mut self) {
        let team = self.0;
        // Helpers that arrive later find no job.
        team.state().job = None;
        spin(SPINS, || team.busy.load(Ordering::Relaxed) == 0);
        let mut state = team.state();
        while state.busy > 0 {
            state = team
                .ended
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A helper at work. Dropping it, also by a panic, decrements the number of busy helpers.
struct Helper<'a>(&'a Team);

impl Drop for Helper<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.panicked |= std::thread::panicking();
        state.busy -= 1;
        self.0.busy.store(state.busy, Ordering::Relaxed);
        let is_last = state.busy == 0;
        drop(state);
        if is_last {
            self.0.ended.notify_one();
        }
    }
}
