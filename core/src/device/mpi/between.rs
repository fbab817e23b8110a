//! What the tiles of a task tell their counterparts on other ranks, which run at the same time.

use super::World;
use super::request::Request;

/// Tags of such messages begin here, and there are so many: as many tasks could be under way at a time.
const TAGS: (i32, u64) = (64, 1 << 14);

/// First words of messages.
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

    /// Tells all other ranks something of the task of this number; nothing: that this rank is done.
    pub(crate) fn tell_all(&self, number: u64, words: Option<Vec<u64>>) -> Told {
        let message = match words {
            Some(words) => std::iter::once(DATA).chain(words).collect(),
            None => vec![DONE],
        };
        let tell = |to| self.net.tell(message.clone(), to, tag(number));
        Told(self.other_ranks().map(tell).collect())
    }

    /// Waits for what another rank tells: nothing where that is done. `None` where the runtime has stopped.
    pub(crate) fn hear(
        &self,
        number: u64,
        from: u16,
        is_stopped: impl Fn() -> bool,
    ) -> Option<Option<Vec<u64>>> {
        loop {
            if let Some(words) = self.net.announced(from, tag(number)) {
                let mut message = self.net.hear(words, from, tag(number)).finish();
                return Some((message.first() == Some(&DATA)).then(|| message.split_off(1)));
            }
            if is_stopped() {
                return None;
            }
            std::thread::yield_now();
        }
    }

    /// Waits until what was told has been heard.
    pub(crate) fn finish(&self, told: Told, is_stopped: impl Fn() -> bool) {
        for mut request in told.0 {
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
