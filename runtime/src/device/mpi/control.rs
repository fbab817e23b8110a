//! What ranks tell each other beside data: whether they run the same program, and whether all is well with it.
//!
//! Where the program waits for a value, all ranks agree on the outcome by one reduction. A rank that waits long tells the next one which
//! operations its program asked for last: whoever finds a difference says so, and ends the run, which would wait for ever.

use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::clock::Clocks;
use super::net::{Net, Request};
use crate::error::{Elsewhere, Failure};
use crate::rank::Tail;
use crate::runtime::Core;

/// How long a rank waits before it wonders whether the others run another program.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it looks for what another rank tells.
const LOOKS_EVERY: Duration = Duration::from_millis(50);
/// How long ranks that have seen that they differ look for where.
const LAST: Duration = Duration::from_secs(10);
/// Words of a failure's text.
const WORDS: usize = 512;
/// Looks at a request before others get the core.
const LOOKS: u32 = 200;

/// Tags of messages that are not data.
const TAIL: i32 = 1;
const TAILS: i32 = 2;

/// What is under way between ranks beside data.
pub(super) struct Control {
    /// Held while a thread of the program agrees with other ranks.
    agreeing: Mutex<()>,
    tails: Mutex<Tails>,
    pub(super) clocks: Clocks,
}

/// What ranks say of their programs.
struct Tails {
    looked: Instant,
    /// Being sent to the next rank.
    sending: Vec<Request>,
    sent: u64,
    /// Hash of the program as it was told last.
    told: Option<u64>,
    arriving: Option<Request>,
    came: u64,
    /// What the rank before this one told last.
    other: Option<Tail>,
}

impl Control {
    pub(super) fn new(clocks: Clocks) -> Control {
        Control {
            clocks,
            agreeing: Mutex::default(),
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

    /// Waits until all ranks have come here; the first failure of any, where that is on another.
    pub(super) fn agree(
        &self,
        net: &Net,
        core: &Core,
        failure: Option<&Failure>,
        is_end: bool,
    ) -> Option<Elsewhere> {
        let _agreeing = self.agreeing.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = net.ranks().rank;
        let hash = core.turn().hash();
        // In the order of the program, and of one operation, of ranks.
        let number = failure.map_or(u64::MAX, |failure| {
            failure.uid.0.sequence() << 16 | u64::from(rank)
        });
        // Of the greatest of each and of its complement: equal where all are, and the least.
        let due = self.clocks.are_due(net, &core.recorder, is_end);
        let given = vec![hash, !hash, !number, u64::from(due)];
        let words = self.wait(net, core, net.most(given));
        let [most, rest, first, due] = words[..] else {
            return None;
        };
        if most != !rest {
            self.differ(net, core);
        }
        if due != 0 {
            let wait = |request| self.wait(net, core, request);
            self.clocks.look(net, &core.recorder, wait);
        }
        if first == 0 {
            return None;
        }
        let failed = !first as u16;
        let text = match failure {
            Some(failure) if failed == rank => packed(failure),
            _ => vec![0; WORDS],
        };
        let text = self.wait(net, core, net.from_one(text, failed));
        (failed != rank).then(|| unpacked(&text, failed))
    }

    /// Waits for a request, and looks what other ranks say if that takes long.
    fn wait(&self, net: &Net, core: &Core, mut request: Request) -> Vec<u64> {
        let mut looks = 0;
        let mut since = None;
        while request.test().is_none() {
            looks += 1;
            if looks > LOOKS {
                std::thread::yield_now();
                let since: &Instant = since.get_or_insert_with(Instant::now);
                self.look(net, core, since.elapsed());
            }
        }
        request.into_words()
    }

    /// Takes what other ranks say of their programs, and after a long wait tells of this one.
    pub(super) fn look(&self, net: &Net, core: &Core, waited: Duration) {
        let mut tails = match self.tails.try_lock() {
            Ok(tails) => tails,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if tails.looked.elapsed() < LOOKS_EVERY {
            return;
        }
        tails.looked = Instant::now();
        let came = tails.receive(net);
        if waited < PATIENCE && !came {
            return;
        }
        let stream = core.turn();
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
            eprintln!("weft: {divergence}");
            net.abort();
        }
    }

    /// Ends a run whose ranks are known to run different programs, and says where these part, if that can be found.
    fn differ(&self, net: &Net, core: &Core) {
        let start = Instant::now();
        while start.elapsed() < LAST {
            self.look(net, core, PATIENCE);
            std::thread::yield_now();
        }
        eprintln!(
            "weft: the ranks do not run the same program, and where they part is not known any more: every rank must ask for the same \
             operations with the same values"
        );
        net.abort();
    }

    /// Takes what is still on its way here. To be called by all ranks, after the last operation.
    pub(super) fn part(&self, net: &Net) {
        let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = net.tell(vec![tails.sent], net.next(), TAILS);
        let mut expected = net.hear(1, net.before(), TAILS);
        while count.test().is_none() | expected.test().is_none() {
            std::thread::yield_now();
        }
        let expected = expected.words().first().copied().unwrap_or(0);
        while tails.came < expected || !tails.sending.is_empty() {
            tails.receive(net);
            std::thread::yield_now();
        }
    }
}

impl Tails {
    /// Takes what came; true where that is new.
    fn receive(&mut self, net: &Net) -> bool {
        self.sending.retain_mut(|request| request.test().is_none());
        if self.arriving.is_none() {
            let words = net.announced(net.before(), TAIL);
            self.arriving = words.map(|words| net.hear(words, net.before(), TAIL));
        }
        let Some(arriving) = &mut self.arriving else {
            return false;
        };
        if arriving.test().is_none() {
            return false;
        }
        let bytes: Vec<u8> = arriving
            .words()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        self.arriving = None;
        self.came += 1;
        let (length, bytes) = bytes.split_at(8.min(bytes.len()));
        let length = length.try_into().map_or(0, u64::from_le_bytes) as usize;
        self.other = bytes.get(..length).and_then(Tail::decode);
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

/// Bytes in words, the last filled up.
fn words_of(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

/// A failure as words for other ranks: what memory has to do with it, the length of its text, its text.
fn packed(failure: &Failure) -> Vec<u64> {
    let text = failure.to_string();
    let mut length = text.len().min((WORDS - 2) * 8);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    let mut words = vec![u64::from(failure.is_out_of_memory()), length as u64];
    words.extend(words_of(&text.as_bytes()[..length]));
    words.resize(WORDS, 0);
    words
}

fn unpacked(words: &[u64], rank: u16) -> Elsewhere {
    let [memory, length, text @ ..] = words else {
        return Elsewhere::default();
    };
    let bytes: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).collect();
    let bytes = bytes.get(..*length as usize).unwrap_or(&bytes);
    Elsewhere {
        rank,
        why: String::from_utf8_lossy(bytes).into_owned(),
        is_out_of_memory: *memory != 0,
    }
}
