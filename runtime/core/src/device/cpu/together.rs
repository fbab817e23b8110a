//! Tasks whose tiles run at the same time and exchange values.
//!
//! The tiles of a rank are one task. It needs one thread per tile: the worker that took the task,
//! and others that end with the task. With several ranks, such tasks begin in program order: each
//! waits for its counterparts on all ranks, and in another order two ranks could wait for each
//! other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use weft_geometry::{Ranks, Tiling};

use super::exchange::{All, Contribution, Exchange, Part, Waits};
use super::{Processor, TileTask, Tiles, run_tile, unpin};
use crate::device::{Executor, Said, SentMessages, World, bytes_of, words_of};
use crate::error::{BodyError, Cause, ExchangeError, Failure, Remote};
use crate::health::Stopped;
use crate::observe::set_processor;
use crate::operation::{Cutting, Operation};
use crate::task::Task;

thread_local! {
    /// The tile that this thread runs, if it is one of several that run together.
    static MEMBER: RefCell<Option<Member>> = const { RefCell::new(None) };
}

/// One of the tiles that run together.
#[derive(Clone)]
pub(crate) struct Member {
    exchange: Arc<Exchange>,
    others: Option<Arc<Others>>,
    tile: usize,
}

impl Member {
    /// Returns the tile of the calling thread, if any.
    pub(crate) fn current() -> Option<Member> {
        MEMBER.with_borrow(Clone::clone)
    }

    /// Returns a tile that runs by itself.
    pub(crate) fn alone() -> Member {
        Member {
            exchange: Arc::new(Exchange::new(1, 0..1)),
            others: None,
            tile: 0,
        }
    }

    /// Returns the number of this tile.
    pub(crate) fn tile(&self) -> usize {
        self.tile
    }

    /// Returns the number of tiles.
    pub(crate) fn tiles(&self) -> usize {
        self.exchange.tiles()
    }

    /// Gives the data of this tile, and waits for the data of all tiles.
    pub(crate) fn exchange(&self, given: Contribution) -> Result<All, ExchangeError> {
        self.exchange
            .exchange(self.tile, given, self.others.as_deref())
    }
}

/// Marks the calling thread as the thread of a tile. The tile ends when this is dropped.
struct Entered(Member);

impl Entered {
    fn new(member: Member) -> Entered {
        MEMBER.set(Some(member.clone()));
        Entered(member)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        MEMBER.set(None);
        self.0.exchange.end(self.0.tile);
    }
}

/// Connection to the tiles of other ranks.
pub(crate) struct Others {
    world: Arc<World>,
    /// Number that separates the messages of this operation from those of others.
    number: u64,
    stopped: Stopped,
    /// The tiles of each rank.
    tiles: Vec<Range<usize>>,
    /// Outcome of each rank that is done.
    ended: Mutex<Vec<Option<TilesOutcome>>>,
    /// The failure of this rank, or an earlier one of another rank.
    failed: Mutex<TilesOutcome>,
    /// Messages that may not have been received.
    untold: Mutex<Vec<SentMessages>>,
}

/// Outcome of a rank's tiles: the first failure, if any.
type TilesOutcome = Option<Remote>;

/// Maximum length of a failure's text in a message, in bytes.
const WHY: usize = 4096;

fn words_of_end(done: TilesOutcome) -> Vec<u64> {
    let Some(Remote { rank, why }) = done else {
        return Vec::new();
    };
    let mut length = why.len().min(WHY);
    while !why.is_char_boundary(length) {
        length -= 1;
    }
    let mut words = vec![u64::from(rank)];
    pack_text(&why[..length], &mut words);
    words
}

fn end_of_words(words: &[u64]) -> TilesOutcome {
    let mut rest = UnreadWords(words);
    let rank = rest.number()? as u16;
    let why = rest.text()?;
    Some(Remote { rank, why })
}

impl Others {
    fn untold(&self) -> MutexGuard<'_, Vec<SentMessages>> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the other ranks that have tiles.
    fn ranks_with_tiles(&self) -> impl Iterator<Item = u16> + '_ {
        let others = self.world.other_ranks();
        others.filter(|rank| !self.tiles_of(*rank).is_empty())
    }

    /// Returns the tiles of a rank.
    fn tiles_of(&self, rank: u16) -> Range<usize> {
        self.tiles.get(usize::from(rank)).cloned().unwrap_or(0..0)
    }

    fn ended(&self) -> MutexGuard<'_, Vec<Option<TilesOutcome>>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exchanges the data of this rank's tiles with the other ranks. Returns the data of all tiles,
    /// by tile number.
    pub(crate) fn exchange(
        &self,
        own: &[Arc<Contribution>],
        first: usize,
        tiles: usize,
    ) -> Result<Vec<Arc<Contribution>>, ExchangeError> {
        let mut all: Vec<Option<Arc<Contribution>>> = vec![None; tiles];
        for (place, given) in all.iter_mut().skip(first).zip(own) {
            *place = Some(given.clone());
        }
        let mut told = self.untold();
        for to in self.ranks_with_tiles() {
            let words = packed(first, own, self.tiles_of(to));
            told.push(self.world.tell(self.number, to, Said::Given(words)));
        }
        drop(told);
        let mut ended = self.ended();
        for from in self.ranks_with_tiles() {
            let is_stopped = || self.stopped.is_set();
            let known = &mut ended[usize::from(from)];
            let words = match known {
                Some(_) => None,
                None => match self.world.hear(self.number, from, is_stopped) {
                    None => return Err(ExchangeError::Stopped),
                    Some(Said::Given(words)) => Some(words),
                    Some(Said::Done(words)) => {
                        *known = Some(end_of_words(&words));
                        None
                    }
                },
            };
            let Some(words) = words else {
                return Err(match known.clone().flatten() {
                    Some(remote) => ExchangeError::FailedElsewhere(remote),
                    None => ExchangeError::EndedElsewhere(from),
                });
            };
            let own = self.tiles_of(self.world.ranks().rank);
            let theirs = unpacked(&words, own, tiles);
            let (first, theirs) = theirs.ok_or(ExchangeError::EndedElsewhere(from))?;
            for (place, given) in all.iter_mut().skip(first).zip(theirs) {
                *place = Some(Arc::new(given));
            }
        }
        let told = std::mem::take(&mut *self.untold());
        self.world.finish(told, || self.stopped.is_set());
        all.into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or(ExchangeError::Stopped)
    }

    /// Reports to the other ranks that this rank is done, and receives their messages until they
    /// are done.
    fn end(&self) {
        let mut told = std::mem::take(&mut *self.untold());
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let words = words_of_end(failed.clone());
        drop(failed);
        for to in self.ranks_with_tiles() {
            let said = Said::Done(words.clone());
            told.push(self.world.tell(self.number, to, said));
        }
        let is_stopped = || self.stopped.is_set();
        for from in self.ranks_with_tiles() {
            while self.ended()[usize::from(from)].is_none() {
                match self.world.hear(self.number, from, is_stopped) {
                    Some(Said::Given(_)) => {}
                    Some(Said::Done(_)) | None => self.ended()[usize::from(from)] = Some(None),
                }
            }
        }
        self.world.finish(told, is_stopped);
    }
}

/// Packs the data of the tiles starting at `first` into words: their common parts, and the parts
/// for the tiles `to`.
fn packed(first: usize, own: &[Arc<Contribution>], to: Range<usize>) -> Vec<u64> {
    let mut words = vec![first as u64, own.len() as u64];
    for given in own {
        pack_text(&given.call, &mut words);
        let parts = match given.parts.len() {
            0 | 1 => &given.parts[..],
            _ => given.parts.get(to.clone()).unwrap_or(&[]),
        };
        words.push(u64::from(given.parts.len() > 1));
        words.push(parts.len() as u64);
        for part in parts {
            words.push(part.bytes as u64);
            words.extend(&part.words);
        }
    }
    words
}

/// Appends a text: its length in bytes, and its bytes.
fn pack_text(text: &str, words: &mut Vec<u64>) {
    words.push(text.len() as u64);
    words.extend(words_of(text.as_bytes()));
}

/// Unpacks words of [`packed`] for the tiles `own` of `tiles` tiles. `None` if the words are
/// malformed.
fn unpacked(words: &[u64], own: Range<usize>, tiles: usize) -> Option<(usize, Vec<Contribution>)> {
    let mut rest = UnreadWords(words);
    let (first, count) = (rest.number()?, rest.number()?);
    let mut all = Vec::new();
    for _ in 0..count {
        let call = rest.text()?;
        let is_for_each = rest.number()? == 1;
        let mut parts = match is_for_each {
            true => vec![Part::default(); own.start],
            false => Vec::new(),
        };
        for _ in 0..rest.number()? {
            let bytes = rest.number()?;
            let words = rest.take(bytes.div_ceil(8))?.to_vec();
            parts.push(Part { words, bytes });
        }
        if is_for_each {
            parts.resize(tiles, Part::default());
        }
        all.push(Contribution { call, parts });
    }
    Some((first, all))
}

/// Words that have not been read yet.
struct UnreadWords<'a>(&'a [u64]);

impl<'a> UnreadWords<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u64]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        Some(self.take(1)?[0] as usize)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        let text = bytes_of(self.take(length.div_ceil(8))?);
        String::from_utf8(text.get(..length)?.to_vec()).ok()
    }
}

/// Tasks that wait for their turn, in program order.
pub(crate) struct Turns {
    waiting: Mutex<Waiting>,
    /// Whether threads of the runtime are pinned to cores. Threads of tiles are not.
    are_pinned: bool,
}

#[derive(Default)]
struct Waiting {
    /// Number of turns given, and number of turns that are over.
    given: u64,
    over: u64,
    ready: BTreeMap<u64, Arc<Task>>,
    /// Turns of operations that have no tile on this rank.
    passed: Vec<u64>,
    /// Threads that have or had a turn.
    threads: Vec<JoinHandle<()>>,
}

impl Waiting {
    fn next(&mut self) -> Option<Arc<Task>> {
        while let Some(at) = self.passed.iter().position(|turn| *turn == self.over + 1) {
            self.passed.swap_remove(at);
            self.over += 1;
        }
        self.ready.remove(&(self.over + 1))
    }
}

impl Turns {
    pub(crate) fn new(are_pinned: bool) -> Turns {
        Turns {
            waiting: Mutex::default(),
            are_pinned,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the next operation, in program order.
    pub(crate) fn number(&self) -> u64 {
        let mut waiting = self.waiting();
        waiting.given += 1;
        waiting.given
    }

    /// Adds a ready task. Returns the task whose turn it now is, if it is ready.
    pub(crate) fn add(&self, turn: u64, task: Arc<Task>) -> Option<Arc<Task>> {
        let mut waiting = self.waiting();
        waiting.ready.insert(turn, task);
        waiting.next()
    }

    /// Keeps the thread of a turn for `join`.
    pub(crate) fn keep(&self, thread: JoinHandle<()>) {
        let mut waiting = self.waiting();
        waiting.threads.retain(|known| !known.is_finished());
        waiting.threads.push(thread);
    }

    /// Waits for the threads of all turns.
    pub(crate) fn join(&self) {
        let threads = std::mem::take(&mut self.waiting().threads);
        for thread in threads {
            // The thread itself has reported a panic.
            drop(thread.join());
        }
    }

    /// Ends a turn. Returns the next task, if it is ready.
    fn end(&self) -> Option<Arc<Task>> {
        let mut waiting = self.waiting();
        waiting.over += 1;
        waiting.next()
    }

    /// Skips a turn that has no task on this rank. Returns the next task, if it is ready.
    pub(crate) fn pass(&self, turn: u64) -> Option<Arc<Task>> {
        let mut waiting = self.waiting();
        waiting.passed.push(turn);
        waiting.next()
    }
}

/// Returns the tiles of each rank.
fn tiles_of_ranks(cutting: &Cutting, operation: &Operation) -> Vec<Range<usize>> {
    let cuts = cutting.cuts(&operation.shape, operation.body.tiling);
    let size = cutting.ranks().size;
    let of = |rank| {
        let own = cuts.of_rank(Ranks { rank, size });
        match own.count() {
            0 => 0..0,
            _ => {
                let (first, end) = own.all().tiles();
                first..end
            }
        }
    };
    (0..size).map(of).collect()
}

/// The turn of an operation whose tiles run together. It is over when this is dropped.
pub(crate) struct Turn<'a> {
    executor: &'a Executor<'a>,
    number: u64,
    others: Option<Arc<Others>>,
}

impl<'a> Turn<'a> {
    /// Returns the operation's turn; `None` if its tiles do not run together.
    pub(crate) fn for_operation(
        executor: &'a Executor<'_>,
        operation: &Operation,
    ) -> Option<Turn<'a>> {
        let Tiling::Together { .. } = operation.body.tiling else {
            return None;
        };
        let number = operation.turn();
        let world = executor.world.filter(|_| operation.is_shared());
        let others = world.map(|world| {
            let tiles = tiles_of_ranks(executor.cutting, operation);
            Arc::new(Others {
                world: world.clone(),
                number,
                stopped: executor.health.stopped(),
                ended: Mutex::new(vec![None; tiles.len()]),
                failed: Mutex::default(),
                tiles,
                untold: Mutex::default(),
            })
        });
        Some(Turn {
            executor,
            number,
            others,
        })
    }

    /// Reports to the other ranks why the operation failed on this rank.
    pub(super) fn fail(&self, operation: &Operation, failure: &Failure) {
        let Some(others) = &self.others else {
            return;
        };
        let remote = match &failure.cause {
            Cause::Tile(remote) => remote.clone(),
            cause => Remote {
                rank: self.executor.cutting.ranks().rank,
                why: match failure.uid == operation.uid {
                    true => cause.to_string(),
                    // The failure of an operation that this one depends on.
                    false => failure.to_string(),
                },
            },
        };
        *others.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(remote);
    }

    /// Runs the tiles of a task at the same time. If several fail, returns the cause of the one
    /// that ended first, since others may have waited for it. If all waited for a failed tile of
    /// another rank, that failure is the cause.
    pub(super) fn run(
        &self,
        operation: &Operation,
        task: &TileTask,
        tiles: &Tiles<'_>,
        processor: &Processor,
    ) -> Result<(), Cause> {
        let &Executor {
            cutting,
            bodies,
            queues,
            observers,
            health,
            ..
        } = self.executor;
        let cuts = cutting.cuts(&operation.shape, operation.body.tiling);
        let (first, end) = task.cut.tiles();
        let exchange = Exchange::new(cuts.tiles(), first..end).recorded(Waits {
            recorder: observers.recorder.clone(),
            operation: operation.recorded(),
            task: task.uid,
            processor: processor.id,
        });
        let exchange = Arc::new(exchange.until(health.abandonment()));
        let failed: Mutex<Vec<(usize, Cause)>> = Mutex::default();
        let fail = |number, cause| {
            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.push((number, cause));
        };
        let run = |number: usize| {
            let _entered = Entered::new(Member {
                exchange: exchange.clone(),
                others: self.others.clone(),
                tile: number,
            });
            let tile = cuts.tile(number);
            let mut part = tiles.part(&tile);
            if let Err(cause) = run_tile(bodies, operation, task.uid, &mut part, &tile) {
                fail(number, cause);
            }
        };
        std::thread::scope(|scope| {
            for number in first + 1..end {
                let (run, id) = (&run, processor.id);
                let thread = std::thread::Builder::new().name(format!("weft-tile-{number}"));
                let spawned = thread.spawn_scoped(scope, move || {
                    unpin(queues.turns.are_pinned);
                    observers.recorder.attach_thread();
                    set_processor(id);
                    run(number);
                    observers.recorder.detach_thread();
                });
                if let Err(error) = spawned {
                    exchange.end(number);
                    let why = format!("a thread for tile {number} cannot be started: {error}");
                    fail(number, Cause::Body(BodyError::from(why).into()));
                }
            }
            run(first);
        });
        let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let first = exchange.first_ended();
        failed.sort_by_key(|(number, _)| (Some(*number) != first, *number));
        match failed.into_iter().next() {
            Some((_, cause)) => Err(exchange.failed_elsewhere().map_or(cause, Cause::Tile)),
            None => Ok(()),
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(others) = &self.others {
            others.end();
        }
        let queues = self.executor.queues;
        if self.number > 0
            && let Some(next) = queues.turns.end()
        {
            queues.queue([next]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_reason_survives_round_trip_through_words() {
        assert_eq!(end_of_words(&words_of_end(None)), None);
        let remote = |why: &str| {
            Some(Remote {
                rank: 3,
                why: why.to_owned(),
            })
        };
        for why in ["", "why", "ä whole word"] {
            assert_eq!(end_of_words(&words_of_end(remote(why))), remote(why));
        }
        // A long text is cut between characters.
        let long = "ä".repeat(WHY);
        let cut = end_of_words(&words_of_end(remote(&long)));
        assert_eq!(cut, remote(&"ä".repeat(WHY / 2)));
    }

    #[test]
    fn exchanged_values_survive_round_trip_through_words() {
        let part = |words: &[u64], bytes| Part {
            words: words.to_vec(),
            bytes,
        };
        let given = |call: &str, parts| {
            Arc::new(Contribution {
                call: call.to_owned(),
                parts,
            })
        };
        let own = [
            given("all_gather of f64", vec![part(&[1, 2], 16)]),
            given("", vec![]),
            given("all_to_all", (0..4).map(|tile| part(&[tile], 3)).collect()),
        ];
        let words = packed(5, &own, 1..3);
        let (first, back) = unpacked(&words, 1..3, 4).unwrap();
        assert_eq!(first, 5);
        assert_eq!((&back[0], &back[1]), (&*own[0], &*own[1]));
        // Parts for other tiles are not sent.
        let none = Part::default();
        let expected = [none.clone(), part(&[1], 3), part(&[2], 3), none];
        assert_eq!(back[2].parts, expected);
        for length in 0..words.len() {
            assert!(unpacked(&words[..length], 1..3, 4).is_none(), "{length}");
        }
    }
}
