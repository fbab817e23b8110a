//! Exchanges between the tiles of a task that run at the same time: each gives something, and gets what all have given.
//!
//! The tiles of a rank meet in memory. The last of them to come tells the other ranks what these tiles give, and hears what theirs do.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use weft_trace::id::{OperationUid, ProcessorId, TaskUid};
use weft_trace::record::{self, RuntimeCallKind};

use super::together::Others;
use crate::observe::Recorder;

/// Why an exchange did not come about.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ExchangeError {
    /// A tile has ended, or failed, while others wait for it.
    #[error(
        "tile {0} has ended, and other tiles of the task wait for it in an exchange; all tiles must make the same exchanges"
    )]
    Ended(usize),
    /// A tile of another rank has.
    #[error(
        "a tile of rank {0} has ended, and other tiles of the task wait for it in an exchange; all tiles must make the same exchanges"
    )]
    EndedElsewhere(u16),
    /// A tile of another rank has failed.
    #[error("{0}; other tiles of the task wait for it in an exchange")]
    FailedElsewhere(Remote),
    /// Tiles make different exchanges at the same time.
    #[error("tile {} makes {}, while tile {} makes {}; all tiles must make the same exchanges in the same order", .0.0, .0.1, .0.2, .0.3)]
    Differs(Box<(usize, String, usize, String)>),
    /// It gives not as many parts as there are tiles.
    #[error("all_to_all gives one part to each tile: {given} parts for {tiles} tiles")]
    Parts {
        /// How many are given.
        given: usize,
        /// How many tiles there are.
        tiles: usize,
    },
    /// Two threads of a tile.
    #[error("tile {0} is in an exchange already; a tile makes one after the other")]
    Busy(usize),
    /// Elements of this type cannot be combined so.
    #[error("all_reduce: {reduction} is not defined for {dtype}")]
    Undefined {
        /// How they were to be combined.
        reduction: &'static str,
        /// Their type.
        dtype: &'static str,
    },
    /// A thread of the runtime has panicked: what is waited for may never come.
    #[error("the runtime has stopped during an exchange")]
    Stopped,
    /// The program has ended, as by Ctrl-C.
    #[error("the program ended while tiles of the task exchange values")]
    Abandoned,
}

/// The failure of a tile of another rank.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("a tile of rank {rank} has failed: {why}")]
pub struct Remote {
    /// The rank.
    pub rank: u16,
    /// What its error says.
    pub why: String,
}

/// Bytes, in words for their alignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) words: Vec<u64>,
    pub(crate) bytes: usize,
}

/// What a tile gives in one exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// What all tiles must agree on, as it is told to the user.
    pub(crate) call: String,
    /// One part for all tiles, or one for each.
    pub(crate) parts: Vec<Part>,
}

/// What every tile of the task has given, by their numbers.
pub(crate) type All = Arc<[Arc<Given>]>;

/// What tiles of one rank meet in.
pub(crate) struct Exchange {
    /// Tiles of all ranks.
    tiles: usize,
    /// Those of this rank.
    own: Range<usize>,
    state: Mutex<State>,
    moved: Condvar,
    waits: Option<Waits>,
    /// Set where the program ends without waiting for its tasks.
    is_abandoned: Arc<AtomicBool>,
}

/// Where the waits of a task's tiles are recorded.
pub(crate) struct Waits {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) operation: OperationUid,
    pub(crate) task: TaskUid,
    pub(crate) processor: ProcessorId,
}

impl Waits {
    /// Runs `wait`, and records how long a tile waited in it.
    fn during<T>(&self, wait: impl FnOnce() -> T) -> T {
        let start = self.recorder.now();
        let result = wait();
        self.recorder.write(&record::RuntimeCall {
            kind: RuntimeCallKind::Exchange,
            operation: Some(self.operation),
            processor: self.processor,
            start,
            end: self.recorder.now(),
            task: Some(self.task),
        });
        result
    }
}

struct State {
    /// Exchanges that are over.
    rounds: u64,
    given: Vec<Option<Arc<Given>>>,
    /// Of the last round.
    result: Result<All, ExchangeError>,
    /// The first tile that has ended.
    ended: Option<usize>,
    /// The tile of another rank that failed before these did.
    elsewhere: Option<Remote>,
    /// Tiles that are in an exchange.
    busy: Vec<bool>,
}

impl Exchange {
    pub(crate) fn new(tiles: usize, own: Range<usize>) -> Exchange {
        let count = own.len();
        Exchange {
            tiles,
            own,
            state: Mutex::new(State {
                rounds: 0,
                given: vec![None; count],
                result: Err(ExchangeError::Stopped),
                ended: None,
                elsewhere: None,
                busy: vec![false; count],
            }),
            moved: Condvar::new(),
            waits: None,
            is_abandoned: Arc::default(),
        }
    }

    /// The same of a run that the program may abandon: tiles do not meet any more then.
    pub(crate) fn until(self, is_abandoned: Arc<AtomicBool>) -> Exchange {
        Exchange {
            is_abandoned,
            ..self
        }
    }

    /// The same, with a record of each wait.
    pub(crate) fn recorded(self, waits: Waits) -> Exchange {
        Exchange {
            waits: Some(waits),
            ..self
        }
    }

    /// Runs what a tile waits in.
    fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        match &self.waits {
            Some(waits) => waits.during(wait),
            None => wait(),
        }
    }

    /// Tiles of all ranks.
    pub(crate) fn tiles(&self) -> usize {
        self.tiles
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives something for a tile, and waits for what all give.
    pub(crate) fn exchange(
        &self,
        tile: usize,
        given: Given,
        others: Option<&Others>,
    ) -> Result<All, ExchangeError> {
        if self.is_abandoned.load(Ordering::Relaxed) {
            return Err(ExchangeError::Abandoned);
        }
        let place = tile - self.own.start;
        if std::mem::replace(&mut self.state().busy[place], true) {
            return Err(ExchangeError::Busy(tile));
        }
        let result = self.meet(tile, given, others);
        self.state().busy[place] = false;
        result
    }

    fn meet(
        &self,
        tile: usize,
        given: Given,
        others: Option<&Others>,
    ) -> Result<All, ExchangeError> {
        let mut state = self.state();
        let round = state.rounds;
        if let Some(ended) = state.ended {
            return Err(ExchangeError::Ended(ended));
        }
        if let Some(place) = state.given.get_mut(tile - self.own.start) {
            *place = Some(Arc::new(given));
        }
        if state.given.iter().all(Option::is_some) {
            let own = state.given.iter_mut().filter_map(Option::take).collect();
            // The other tiles of this rank all wait.
            drop(state);
            let result = self.complete(own, others);
            let mut state = self.state();
            state.rounds += 1;
            if let Err(ExchangeError::FailedElsewhere(remote)) = &result {
                state.elsewhere.get_or_insert_with(|| remote.clone());
            }
            state.result = result.clone();
            drop(state);
            self.moved.notify_all();
            return result;
        }
        self.waiting(|| {
            while state.rounds == round {
                if let Some(ended) = state.ended {
                    return Err(ExchangeError::Ended(ended));
                }
                state = self
                    .moved
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.result.clone()
        })
    }

    /// What all tiles give, where these do of this rank.
    fn complete(
        &self,
        own: Vec<Arc<Given>>,
        others: Option<&Others>,
    ) -> Result<All, ExchangeError> {
        let all = match others {
            None => own,
            Some(others) => self.waiting(|| others.exchange(&own, self.own.start, self.tiles))?,
        };
        let first = all.first().ok_or(ExchangeError::Stopped)?;
        if let Some(other) = all.iter().position(|other| other.call != first.call) {
            let (one, two) = (first.call.clone(), all[other].call.clone());
            return Err(ExchangeError::Differs(Box::new((0, one, other, two))));
        }
        Ok(all.into())
    }

    /// The tile that ended first.
    pub(crate) fn first_ended(&self) -> Option<usize> {
        self.state().ended
    }

    /// The tile of another rank that failed while these waited for it.
    pub(crate) fn failed_elsewhere(&self) -> Option<Remote> {
        self.state().elsewhere.clone()
    }

    /// Says that a tile has ended: whoever waits for it gets an error.
    pub(crate) fn end(&self, tile: usize) {
        self.state().ended.get_or_insert(tile);
        self.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(call: &str, value: u64) -> Given {
        let part = Part {
            words: vec![value],
            bytes: 8,
        };
        Given {
            call: call.to_owned(),
            parts: vec![part],
        }
    }

    /// Runs a tile of three in each thread.
    fn with_tiles<R: Send>(body: impl Fn(&Exchange, usize) -> R + Sync) -> Vec<R> {
        let exchange = Exchange::new(3, 0..3);
        std::thread::scope(|scope| {
            let (exchange, body) = (&exchange, &body);
            let threads = (0..3).map(|tile| {
                scope.spawn(move || {
                    let result = body(exchange, tile);
                    exchange.end(tile);
                    result
                })
            });
            let threads: Vec<_> = threads.collect();
            threads
                .into_iter()
                .filter_map(|thread| thread.join().ok())
                .collect()
        })
    }

    #[test]
    fn everyone_gets_what_all_give_round_by_round() {
        let sums = with_tiles(|exchange, tile| {
            (0..200_u64)
                .map(|round| {
                    let own = given("sum", round * 10 + tile as u64);
                    let all = exchange.exchange(tile, own, None).ok()?;
                    Some(all.iter().map(|one| one.parts[0].words[0]).sum::<u64>())
                })
                .collect::<Option<Vec<u64>>>()
        });
        let expected: Vec<u64> = (0..200).map(|round| 30 * round + 3).collect();
        assert_eq!(sums, vec![Some(expected); 3]);
    }

    #[test]
    fn who_waits_for_a_tile_that_has_ended_is_told() {
        let results = with_tiles(|exchange, tile| match tile {
            1 => Ok(0),
            _ => exchange
                .exchange(tile, given("sum", 1), None)
                .map(|all| all.len()),
        });
        let expected = Err(ExchangeError::Ended(1));
        assert_eq!(results, vec![expected.clone(), Ok(0), expected]);
    }

    #[test]
    fn different_exchanges_are_an_error_of_all() {
        let results = with_tiles(|exchange, tile| {
            let call = ["a barrier", "a barrier", "a sum"][tile];
            exchange.exchange(tile, given(call, 0), None).err()
        });
        assert!(results.iter().all(|result| {
            let text = result.as_ref().map(ToString::to_string);
            text.is_some_and(|text| text.contains("tile 2 makes a sum"))
        }));
    }
}
