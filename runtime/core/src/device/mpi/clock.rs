//! Readings of the first rank's clock, which put the profiles of several machines on one clock.
//!
//! All ranks take readings when MPI starts, at the end of the run, and while they agree on the
//! outcome of a value. In the last case the first rank decides whether readings are due. It says so
//! in the agreement, so that all ranks take readings or none does. A reading is one message to the
//! first rank and one back with the time of its clock.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use weft_trace::record::RankClock;
use weft_trace::time;

use super::net::Net;
use super::request::Request;
use crate::observe::Recorder;

/// Minimum time between readings during a run.
const EVERY: Duration = Duration::from_secs(1);
/// Maximum share of a run's time that readings may take, as a divisor.
const PART: u32 = 100;
/// Number of readings per rank. The quickest one is the most accurate.
const READINGS: usize = 6;
/// The rank whose clock is read.
const FIRST: u16 = 0;

/// Tags of control messages.
const ASK: i32 = 3;
const ANSWER: i32 = 4;

/// Time and cost of the last readings, and the readings from before the profile existed.
pub(super) struct Clocks(Mutex<State>);

struct State {
    last: Instant,
    took: Duration,
    early: Vec<RankClock>,
}

impl Clocks {
    /// Takes the first readings. All ranks must call it.
    pub(super) fn open(net: &Net) -> Clocks {
        let start = Instant::now();
        let early = looks(net, Request::finish);
        let last = Instant::now();
        Clocks(Mutex::new(State {
            last,
            took: last - start,
            early,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this rank decides that readings are due. At the end of a run they always
    /// are.
    pub(super) fn are_due(&self, net: &Net, recorder: &Recorder, is_end: bool) -> bool {
        if net.ranks().rank != FIRST || !recorder.is_on() {
            return false;
        }
        let state = self.state();
        is_end || state.last.elapsed() >= EVERY.max(state.took * PART)
    }

    /// Reads the clocks again and records the result. All ranks must call it.
    pub(super) fn look(&self, net: &Net, recorder: &Recorder, wait: impl Fn(Request) -> Vec<u64>) {
        let start = Instant::now();
        for look in looks(net, wait) {
            recorder.write(&look);
        }
        let mut state = self.state();
        state.last = Instant::now();
        state.took = state.last - start;
    }

    /// Records the readings from before the profile existed.
    pub(super) fn write_early(&self, recorder: &Recorder) {
        for look in std::mem::take(&mut self.state().early) {
            recorder.write(&look);
        }
    }
}

/// Returns this rank's readings of the first rank's clock. The first rank answers one rank after
/// another.
fn looks(net: &Net, wait: impl Fn(Request) -> Vec<u64>) -> Vec<RankClock> {
    let ranks = net.ranks();
    if ranks.rank == FIRST {
        for peer in (0..ranks.size).filter(|peer| *peer != FIRST) {
            for _ in 0..READINGS {
                wait(net.hear(1, peer, ASK));
                let now = time::now().nanos().cast_unsigned();
                wait(net.tell(vec![now], peer, ANSWER));
            }
        }
        return Vec::new();
    }
    let mut looks = Vec::with_capacity(READINGS);
    for _ in 0..READINGS {
        let answer = net.hear(1, FIRST, ANSWER);
        let before = time::now();
        wait(net.tell(vec![0], FIRST, ASK));
        let answer = wait(answer);
        let after = time::now();
        let theirs = answer.first().copied().unwrap_or_default().cast_signed();
        looks.push(RankClock {
            peer: FIRST,
            before,
            theirs: time::Timestamp::from_nanos_since_boot(theirs),
            after,
        });
    }
    looks
}
