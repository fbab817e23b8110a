//! Exchanges between the tiles of a task that run at the same time. Each tile gives data and gets
//! the data of all tiles.
//!
//! The tiles of one rank meet in memory. The last tile to arrive exchanges the data of these tiles
//! with the other ranks.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use weft_trace::id::{OperationUid, ProcessorId, TaskUid};
use weft_trace::record::{self, RuntimeCallKind};

use super::together::Others;
use crate::error::{ExchangeError, Remote};
use crate::observe::Recorder;

/// Bytes, stored in words for their alignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) words: Vec<u64>,
    pub(crate) bytes: usize,
}

/// The data that a tile gives in one exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contribution {
    /// Description of the call, for error messages. All tiles must make the same call.
    pub(crate) call: String,
    /// One part for all tiles, or one for each.
    pub(crate) parts: Vec<Part>,
}

/// The data given by every tile of the task, by tile number.
pub(crate) type All = Arc<[Arc<Contribution>]>;

/// The meeting point of one rank's tiles.
pub(crate) struct Exchange {
    /// Number of tiles of all ranks.
    tiles: usize,
    /// The tiles of this rank.
    own: Range<usize>,
    state: Mutex<State>,
    moved: Condvar,
    waits: Option<Waits>,
    /// Set when the program ends without waiting for its tasks.
    is_abandoned: Arc<AtomicBool>,
}

/// Destination of the records of a task's waits.
pub(crate) struct Waits {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) operation: OperationUid,
    pub(crate) task: TaskUid,
    pub(crate) processor: ProcessorId,
}

impl Waits {
    /// Runs `wait` and records its duration.
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
    /// Number of completed exchanges.
    rounds: u64,
    given: Vec<Option<Arc<Contribution>>>,
    /// Result of the last exchange.
    result: Result<All, ExchangeError>,
    /// The tile that ended first.
    ended: Option<usize>,
    /// The tile of another rank that failed before these tiles did.
    elsewhere: Option<Remote>,
    /// Whether each tile is in an exchange.
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

    /// Makes exchanges fail once the program abandons the run.
    pub(crate) fn until(self, is_abandoned: Arc<AtomicBool>) -> Exchange {
        Exchange {
            is_abandoned,
            ..self
        }
    }

    /// Records each wait.
    pub(crate) fn recorded(self, waits: Waits) -> Exchange {
        Exchange {
            waits: Some(waits),
            ..self
        }
    }

    /// Runs `wait`, and records it if waits are recorded.
    fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        match &self.waits {
            Some(waits) => waits.during(wait),
            None => wait(),
        }
    }

    /// Returns the number of tiles of all ranks.
    pub(crate) fn tiles(&self) -> usize {
        self.tiles
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the data of a tile, and waits for the data of all tiles.
    pub(crate) fn exchange(
        &self,
        tile: usize,
        given: Contribution,
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
        given: Contribution,
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
            // All other tiles of this rank are waiting.
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

    /// Exchanges the data of this rank's tiles with the other ranks, and checks that all tiles made
    /// the same call.
    fn complete(
        &self,
        own: Vec<Arc<Contribution>>,
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

    /// Returns the tile that ended first.
    pub(crate) fn first_ended(&self) -> Option<usize> {
        self.state().ended
    }

    /// Returns the tile of another rank that failed while these tiles waited for it.
    pub(crate) fn failed_elsewhere(&self) -> Option<Remote> {
        self.state().elsewhere.clone()
    }

    /// Marks a tile as ended. Tiles that wait for it get an error.
    pub(crate) fn end(&self, tile: usize) {
        self.state().ended.get_or_insert(tile);
        self.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contribution(call: &str, value: u64) -> Contribution {
        let part = Part {
            words: vec![value],
            bytes: 8,
        };
        Contribution {
            call: call.to_owned(),
            parts: vec![part],
        }
    }

    /// Runs `body` for three tiles, each on its own thread.
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
    fn exchange_delivers_parts_of_all_tiles_each_round() {
        let sums = with_tiles(|exchange, tile| {
            (0..200_u64)
                .map(|round| {
                    let own = contribution("sum", round * 10 + tile as u64);
                    let all = exchange.exchange(tile, own, None).ok()?;
                    Some(all.iter().map(|one| one.parts[0].words[0]).sum::<u64>())
                })
                .collect::<Option<Vec<u64>>>()
        });
        let expected: Vec<u64> = (0..200).map(|round| 30 * round + 3).collect();
        assert_eq!(sums, vec![Some(expected); 3]);
    }

    #[test]
    fn exchange_reports_ended_tiles() {
        let results = with_tiles(|exchange, tile| match tile {
            1 => Ok(0),
            _ => exchange
                .exchange(tile, contribution("sum", 1), None)
                .map(|all| all.len()),
        });
        let expected = Err(ExchangeError::Ended(1));
        assert_eq!(results, vec![expected.clone(), Ok(0), expected]);
    }

    #[test]
    fn mismatched_exchanges_fail_on_all_tiles() {
        let results = with_tiles(|exchange, tile| {
            let call = ["a barrier", "a barrier", "a sum"][tile];
            exchange.exchange(tile, contribution(call, 0), None).err()
        });
        assert!(results.iter().all(|result| {
            let text = result.as_ref().map(ToString::to_string);
            text.is_some_and(|text| text.contains("tile 2 makes a sum"))
        }));
    }
}
