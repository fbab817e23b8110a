//! Looks at the clock of the first rank: by these the profiles of ranks of several machines come onto one clock.
//!
//! All ranks look when MPI begins, at the end, and where they agree on the outcome of a value, if the first rank finds that it is time:
//! it says so in the agreement, so that all or none look. A look is a message there and one back; of the first rank, the reading of its clock.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use weft_trace::record::RankClock;
use weft_trace::time;

use super::net::Net;
use super::request::Request;
use crate::observe::Recorder;

/// The least time between looks in a run.
const EVERY: Duration = Duration::from_secs(1);
/// The part of a run's time that looks may take, as a divisor.
const PART: u32 = 100;
/// Looks of one rank after each other: the quickest tells most.
const READINGS: usize = 6;
/// The rank whose clock is looked at.
const FIRST: u16 = 0;

/// Tags of messages that are not data.
const ASK: i32 = 3;
const ANSWER: i32 = 4;

/// When ranks looked at clocks, and what they saw before there was a profile.
pub(super) struct Clocks(Mutex<State>);

struct State {
    last: Instant,
    took: Duration,
    early: Vec<RankClock>,
}

impl Clocks {
    /// Looks for the first time. To be called by all ranks.
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

    /// Whether this rank finds that it is time to look again; at the end it always is.
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

    /// Writes down what was seen before there was a profile.
    pub(super) fn write_early(&self, recorder: &Recorder) {
        for look in std::mem::take(&mut self.state().early) {
            recorder.write(&look);
        }
    }
}

/// The looks of this rank at the first one's clock; the first answers one rank after the other.
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
