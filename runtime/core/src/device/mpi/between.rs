//! What the tiles of a task tell their counterparts on other ranks, which run at the same time.

use super::World;
use super::request::Request;
use crate::device::Said;

/// Tags of such messages begin here, and there are so many: as many tasks could be under way at a time.
const TAGS: (i32, u64) = (64, 1 << 14);

/// Most words of a message: its size is known by one look.
const PIECE: usize = 1 << 26;

/// First words of what is told.
const DATA: u64 = 1;
const DONE: u64 = 2;

/// What was told other ranks.
pub(crate) struct Told(Vec<Request>);

fn tag(number: u64) -> i32 {
    TAGS.0 + (number % TAGS.1) as i32
}

impl World {
    /// The other ranks.
    pub(crate) fn other_ranks(&self) -> impl Iterator<Item = u16> + use<> {
        let ranks = self.net.ranks();
        (0..ranks.size).filter(move |rank| *rank != ranks.rank)
    }

    /// Tells another rank something of the task of this number.
    pub(crate) fn tell(&self, number: u64, to: u16, said: Said) -> Told {
        let (kind, words) = match said {
            Said::Given(words) => (DATA, words),
            Said::Done(words) => (DONE, words),
        };
        let head = vec![kind, words.len() as u64];
        let mut told = vec![self.net.tell(head, to, tag(number))];
        let most = self.net.part().bytes() / size_of::<u64>();
        for piece in words.chunks(most.clamp(1, PIECE)) {
            told.push(self.net.tell(piece.to_vec(), to, tag(number)));
        }
        Told(told)
    }

    /// The next message of another rank; `None` where the runtime has stopped.
    fn next_from(
        &self,
        number: u64,
        from: u16,
        is_stopped: &impl Fn() -> bool,
    ) -> Option<Vec<u64>> {
        loop {
            if let Some(words) = self.net.announced(from, tag(number)) {
                return Some(self.net.hear(words, from, tag(number)).finish());
            }
            if is_stopped() {
                return None;
            }
            std::thread::yield_now();
        }
    }

    /// Waits for what another rank tells; `None` where the runtime has stopped.
    pub(crate) fn hear(
        &self,
        number: u64,
        from: u16,
        is_stopped: impl Fn() -> bool,
    ) -> Option<Said> {
        let head = self.next_from(number, from, &is_stopped)?;
        let [kind, count] = head[..] else {
            return Some(Said::Done(Vec::new()));
        };
        let mut words = Vec::with_capacity(count as usize);
        while words.len() < count as usize {
            words.extend(self.next_from(number, from, &is_stopped)?);
        }
        Some(match kind {
            DATA => Said::Given(words),
            _ => Said::Done(words),
        })
    }

    /// Waits until what was told has been heard.
    pub(crate) fn finish(&self, told: Vec<Told>, is_stopped: impl Fn() -> bool) {
        for mut request in told.into_iter().flat_map(|told| told.0) {
            while !request.is_done() {
                if is_stopped() {
                    // MPI may still read it.
                    std::mem::forget(request);
                    break;
                }
                std::thread::yield_now();
            }
        }
    }
}
