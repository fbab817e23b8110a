//! Messages between the tiles of a task on different ranks, which run at the same time.

use super::World;
use super::request::Request;
use crate::device::Said;

/// First tag of these messages, and the number of tags. At most that many tasks can be under way at
/// a time.
const TAGS: (i32, u64) = (64, 1 << 14);

/// Maximum number of words in one message, so that a single probe returns its size.
const PIECE: usize = 1 << 26;

/// First word of a message: its kind.
const DATA: u64 = 1;
const DONE: u64 = 2;

/// Messages being sent to other ranks.
pub(crate) struct SentMessages(Vec<Request>);

fn tag(number: u64) -> i32 {
    TAGS.0 + (number % TAGS.1) as i32
}

impl World {
    /// Returns the other ranks.
    pub(crate) fn other_ranks(&self) -> impl Iterator<Item = u16> + use<> {
        let ranks = self.net.ranks();
        (0..ranks.size).filter(move |rank| *rank != ranks.rank)
    }

    /// Starts sending `said` to the counterpart of task `number` on rank `to`.
    pub(crate) fn tell(&self, number: u64, to: u16, said: Said) -> SentMessages {
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
        SentMessages(told)
    }

    /// Receives the next message of another rank; `None` if the runtime has stopped.
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

    /// Waits for a message from another rank; `None` if the runtime has stopped.
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

    /// Waits until all messages in `told` have been sent, or the runtime has stopped.
    pub(crate) fn finish(&self, told: Vec<SentMessages>, is_stopped: impl Fn() -> bool) {
        for mut request in told.into_iter().flat_map(|told| told.0) {
            while !request.is_done() {
                if is_stopped() {
                    // MPI may still read this memory.
                    std::mem::forget(request);
                    break;
                }
                std::thread::yield_now();
            }
        }
    }
}
