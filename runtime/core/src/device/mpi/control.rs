//! Control messages between ranks: do all run the same program, and has any of them failed?
//!
//! When the program waits for a value, all ranks agree on the outcome by one reduction. A rank that
//! waits for a long time sends the next rank the operations that its program submitted last. A rank
//! that finds a difference reports it and ends the run, which would otherwise hang.

use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use weft_trace::id::{OperationUid, Uid};

use super::clock::Clocks;
use super::net::Net;
use super::request::Request;
use crate::device::{Party, bytes_of, words_of};
use crate::error::{Cause, Elsewhere, Error, Failure};
use crate::rank::{ProgramLock, Tail};
use crate::say::say;

/// Time that a rank waits before it checks whether the others run the same program.
const PATIENCE: Duration = Duration::from_secs(1);
/// Interval between checks for messages of other ranks.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Time that ranks spend on locating a known difference between their programs.
const LAST: Duration = Duration::from_secs(10);
/// Time that a launcher needs at most to read the last message.
const SAYING: Duration = Duration::from_millis(200);
/// Number of words in a packed failure.
const WORDS: usize = 512;
/// Bits that are compared. MPICH 4.0 finds the maximum of unsigned words as if they were signed.
pub(super) const ALL: u64 = u64::MAX >> 1;
/// Number of times that a request is tested before the thread yields its core.
const SPINS: u32 = 200;

/// Tags of control messages.
const TAIL: i32 = 1;
const TAILS: i32 = 2;

/// State of the control messages between ranks.
pub(super) struct Control {
    /// Held while a thread of the program agrees with other ranks.
    agreeing: Mutex<()>,
    tails: Mutex<Tails>,
    pub(super) clocks: Clocks,
    /// Failures because of which values were not sent, by the UID of the operation that needed the
    /// values.
    unsent: Mutex<FxHashMap<u64, Arc<Failure>>>,
}

/// Messages about the ranks' programs.
struct Tails {
    looked: Instant,
    /// Messages that are being sent to the next rank.
    sending: Vec<Request>,
    sent: u64,
    /// Hash of the program in the message sent last.
    told: Option<u64>,
    arriving: Option<Request>,
    came: u64,
    /// The last message from the previous rank.
    other: Option<Tail>,
}

impl Control {
    pub(super) fn new(clocks: Clocks) -> Control {
        Control {
            clocks,
            agreeing: Mutex::default(),
            unsent: Mutex::default(),
            tails: Mutex::new(Tails {
                looked: Instant::now(),
                sending: Vec::new(),
                sent: 0,
                told: None,
                arriving: None,
                came: 0,
                other: None,
            }),
        }
    }

    /// Waits for all ranks and returns the first failure of any rank, which is the same on every
    /// rank.
    pub(super) fn agree(
        &self,
        net: &Net,
        party: &Party<'_>,
        failure: Option<Arc<Failure>>,
        is_end: bool,
    ) -> Option<Error> {
        self.compare(net, party, failure, is_end, ALL).1
    }

    /// Waits for all ranks and returns the minimum of their numbers.
    pub(super) fn least(&self, net: &Net, party: &Party<'_>, own: u64) -> u64 {
        self.compare(net, party, None, false, own & ALL).0
    }

    /// Returns the minimum of all ranks' numbers, and the first failure of any rank.
    fn compare(
        &self,
        net: &Net,
        party: &Party<'_>,
        failure: Option<Arc<Failure>>,
        is_end: bool,
        number: u64,
    ) -> (u64, Option<Error>) {
        let _agreeing = self.agreeing.lock().unwrap_or_else(PoisonError::into_inner);
        let own = net.ranks().rank;
        let hash = party.program.lock().hash() & ALL;
        // Failures are ordered by operation. Within one operation, the failure that caused others
        // comes before them, and failures of the same kind are ordered by rank.
        let failed = failure.as_ref().map_or(ALL, |failure| {
            let order = failure.uid.0.sequence() << 1 | u64::from(is_of_a_tile(failure));
            (order << 16 | u64::from(own)) & ALL
        });
        // Reduces the maximum of each number and of its complement. The two agree if all ranks have
        // the same number; the complement also gives the minimum.
        let due = self.clocks.are_due(net, party.recorder, is_end);
        let given = vec![hash, ALL - hash, ALL - failed, u64::from(due), ALL - number];
        let words = self.wait(net, party, net.most(given));
        let [most, rest, first, due, greatest] = words[..] else {
            return (number, None);
        };
        let least = ALL - greatest;
        if most != ALL - rest {
            self.differ(net, party.program);
        }
        if due != 0 {
            let wait = |request| self.wait(net, party, request);
            self.clocks.look(net, party.recorder, wait);
        }
        if first == 0 {
            return (least, None);
        }
        let mut rank = (ALL - first) as u16;
        let mut known = failure.clone();
        let mut blamed = Elsewhere::default();
        // A rank that lacks another rank's values asks for the failure of that rank, and so on.
        for _ in 0..=net.ranks().size {
            let text = match &known {
                Some(failure) if rank == own => packed(failure),
                _ => vec![0; WORDS],
            };
            let text = self.wait(net, party, net.give_all(text, rank));
            let (elsewhere, because) = unpacked(&text, rank);
            let Some((other, operation)) = because else {
                // The same operation may have failed on this rank for its own reason.
                let is_same = |failure: &Arc<Failure>| {
                    text.first() == Some(&failure.uid.raw())
                        && because_of(failure).is_none()
                        && !is_of_a_tile(failure)
                };
                let own_failure = match rank == own {
                    true => known,
                    false => failure.filter(is_same),
                };
                let error = own_failure.map_or(Error::Elsewhere(elsewhere), Error::Failed);
                return (least, Some(error));
            };
            (rank, blamed) = (other, elsewhere);
            if rank == own {
                known = self.unsent().get(&operation).cloned();
            }
        }
        // The ranks blame each other in a cycle. Each of them has an error, if not the first one.
        let error = failure.map_or_else(|| Error::Elsewhere(blamed), Error::Failed);
        (least, Some(error))
    }

    /// Remembers why the values of an operation were not sent.
    pub(super) fn could_not_send(&self, operation: OperationUid, failure: &Arc<Failure>) {
        let mut unsent = self.unsent();
        let known = unsent
            .entry(operation.raw())
            .or_insert_with(|| failure.clone());
        // A failure of this rank says more than the report of missing values.
        if because_of(known).is_some() {
            *known = failure.clone();
        }
    }

    fn unsent(&self) -> MutexGuard<'_, FxHashMap<u64, Arc<Failure>>> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a request. During a long wait it also handles the messages of other ranks. Returns
    /// no words if a thread of this rank has panicked, because the values that other ranks wait for
    /// may then never be sent.
    fn wait(&self, net: &Net, party: &Party<'_>, mut request: Request) -> Vec<u64> {
        let mut looks = 0;
        let mut since = None;
        while !request.is_done() {
            looks += 1;
            if looks > SPINS {
                if party.health.crashed().is_some() {
                    return Vec::new();
                }
                std::thread::yield_now();
                let since: &Instant = since.get_or_insert_with(Instant::now);
                self.look(net, party.program, since.elapsed());
            }
        }
        request.into_words()
    }

    /// Receives the messages about other ranks' programs, and sends this rank's after a long wait.
    pub(super) fn look(&self, net: &Net, program: &ProgramLock, waited: Duration) {
        let mut tails = match self.tails.try_lock() {
            Ok(tails) => tails,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if tails.looked.elapsed() < CHECK_INTERVAL {
            return;
        }
        tails.looked = Instant::now();
        let came = tails.receive(net);
        if waited < PATIENCE && !came {
            return;
        }
        let stream = program.lock();
        let is_told = tails.told == Some(stream.hash());
        if is_told && !came {
            return;
        }
        let own = stream.tail(net.ranks().rank);
        if waited >= PATIENCE && !is_told {
            tails.told = Some(stream.hash());
            tails.send(net, &own);
        }
        drop(stream);
        if let Some(other) = &tails.other
            && let Some(divergence) = own.differs(other)
        {
            end(net, &format!("weft: {divergence}"));
        }
    }

    /// Ends a run whose ranks run different programs, and reports the first difference if it can be
    /// found.
    fn differ(&self, net: &Net, program: &ProgramLock) {
        self.end_where_they_part(
            net,
            program,
            "weft: the ranks do not run the same program, and the first difference is no longer known; every rank must call the same operations with the same values",
        );
    }

    /// Ends a run in which MPI could not move `what`. Ranks that run different programs send
    /// messages that do not match, so a difference is reported too if there is one.
    pub(super) fn fail(&self, net: &Net, program: &ProgramLock, what: &str, code: c_int) {
        let why = net.explain(code);
        say(format_args!(
            "weft: rank {}: MPI could not move {what}: {why}; checking for {} s whether the ranks run the same program",
            net.ranks().rank,
            LAST.as_secs()
        ));
        let none = "weft: no difference between the programs of the ranks was found; MPI's error ends the run";
        self.end_where_they_part(net, program, none);
    }

    /// Ends a run with the first difference between the ranks' programs, or with `otherwise` if
    /// none is found.
    fn end_where_they_part(&self, net: &Net, program: &ProgramLock, otherwise: &str) {
        let start = Instant::now();
        while start.elapsed() < LAST {
            self.look(net, program, PATIENCE);
            std::thread::yield_now();
        }
        end(net, otherwise);
    }

    /// Receives the remaining messages. All ranks must call it, after the last operation.
    pub(super) fn part(&self, net: &Net) {
        let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
        let count = net.tell(vec![tails.sent], net.next(), TAILS);
        let expected = net.hear(1, net.before(), TAILS).finish();
        count.finish();
        let expected = expected.first().copied().unwrap_or(0);
        while tails.came < expected || !tails.sending.is_empty() {
            tails.receive(net);
            std::thread::yield_now();
        }
    }
}

impl Tails {
    /// Receives a message if one has arrived, and returns whether it did.
    fn receive(&mut self, net: &Net) -> bool {
        self.sending.retain_mut(|request| !request.is_done());
        if self.arriving.is_none() {
            let words = net.announced(net.before(), TAIL);
            self.arriving = words.map(|words| net.hear(words, net.before(), TAIL));
        }
        let Some(arriving) = &mut self.arriving else {
            return false;
        };
        if !arriving.is_done() {
            return false;
        }
        let other = arriving.words().split_first().and_then(|(length, words)| {
            let bytes = bytes_of(words);
            Tail::decode(bytes.get(..*length as usize)?)
        });
        self.arriving = None;
        self.came += 1;
        self.other = other;
        true
    }

    fn send(&mut self, net: &Net, own: &Tail) {
        let bytes = own.encode();
        let words = std::iter::once(bytes.len() as u64).chain(words_of(&bytes));
        self.sending
            .push(net.tell(words.collect(), net.next(), TAIL));
        self.sent += 1;
    }
}

/// Ends all ranks and prints the reason. Launchers lose the last output unless they get a moment to
/// read it.
fn end(net: &Net, why: &str) {
    say(why);
    std::thread::sleep(SAYING);
    net.abort();
}

/// Number of words before the text of a packed failure.
const HEAD: usize = 4;

/// Returns the rank that a failure blames.
fn because_of(failure: &Failure) -> Option<u16> {
    match failure.cause {
        Cause::Rank(rank) => Some(rank),
        _ => None,
    }
}

/// Returns whether the failure was caused by a tile of another rank.
fn is_of_a_tile(failure: &Failure) -> bool {
    matches!(failure.cause, Cause::Tile(_))
}

/// Packs a failure into words for other ranks. The words are the operation's UID, whether memory
/// ran out, the blamed rank plus one (0 for none), the length of the text, and the text: the
/// operation and the reason, on a line each.
fn packed(failure: &Failure) -> Vec<u64> {
    let text = format!("{}\n{failure}", failure.operation);
    let mut length = text.len().min((WORDS - HEAD) * 8);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    let mut words = vec![
        failure.uid.raw(),
        u64::from(failure.is_out_of_memory()),
        because_of(failure).map_or(0, |rank| u64::from(rank) + 1),
        length as u64,
    ];
    words.extend(words_of(&text.as_bytes()[..length]));
    words.resize(WORDS, 0);
    words
}

/// Unpacks a failure. Also returns the rank and the operation that know more, if the failure blames
/// another rank.
fn unpacked(words: &[u64], rank: u16) -> (Elsewhere, Option<(u16, u64)>) {
    let [uid, memory, because, length, rest @ ..] = words else {
        return (Elsewhere::default(), None);
    };
    let bytes = bytes_of(rest);
    let bytes = bytes.get(..*length as usize).unwrap_or(&bytes);
    let text = String::from_utf8_lossy(bytes);
    let (operation, why) = text.split_once('\n').unwrap_or_default();
    let elsewhere = Elsewhere {
        rank,
        operation: operation.to_owned(),
        why: why.to_owned(),
        is_out_of_memory: *memory != 0,
        uid: Uid::from_raw(*uid).map(OperationUid),
    };
    (
        elsewhere,
        because.checked_sub(1).map(|rank| (rank as u16, *uid)),
    )
}
