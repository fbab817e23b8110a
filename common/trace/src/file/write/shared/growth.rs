//! Space reserved ahead of need, checksums of full blocks, and the release of their memory.

use super::Shared;
use crate::file::layout::Layout;
use crate::file::write::{protocol, sys};
use std::fs::File;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The number of bytes that are reserved, or released, at a time.
const STRETCH: u64 = 2 << 20;

/// The time until the next attempt after the file system refused.
const RETRY: Duration = Duration::from_millis(100);

/// The pages of one in this many of the blocks reserved ahead are made present.
const PRESENT_PART: u64 = 4;

/// The growth of a file. Only the keeper locks it, except at the beginning and at the end.
#[derive(Debug)]
pub(crate) struct Growth {
    file: File,
    limit: u64,
    /// The number of blocks reserved ahead of need, and its maximum.
    ahead: u64,
    ahead_max: u64,
    stretch: u64,
    /// The number of blocks whose pages are present, or are left to their users.
    present: u64,
    /// The number of blocks claimed at the last visit.
    claimed: u64,
    /// The number of blocks with a checksum in each stretch so far; [`RELEASED`] after its memory
    /// was released.
    sealed: Vec<u32>,
    /// The number of stretches at the start whose memory was released.
    released: usize,
    /// Whether the file is finished and must not grow again.
    ended: bool,
}

/// The mark of a released stretch in [`Growth::sealed`].
const RELEASED: u32 = u32::MAX;

impl Growth {
    pub(super) fn new(file: File, layout: &Layout, limit: u64, ahead: u64) -> Self {
        let block = layout.block_size as u64;
        let ahead = (ahead / block).max(2);
        Growth {
            file,
            limit,
            ahead,
            ahead_max: ahead.saturating_mul(8),
            stretch: (STRETCH / block).max(1),
            present: 0,
            claimed: 0,
            sealed: Vec::new(),
            released: 0,
            ended: false,
        }
    }

    /// Returns the number of blocks reserved at a time.
    pub(super) fn stretch(&self) -> u64 {
        self.stretch
    }

    /// Reserves the first blocks; an error if there are none. The keeper makes their pages present.
    pub(super) fn begin(&mut self, shared: &Shared) -> io::Result<()> {
        match self.reserve_to(shared, self.ahead.min(self.limit)) {
            Err(error) if shared.map.reserved().load(Ordering::Relaxed) == 0 => Err(error),
            _ => Ok(()),
        }
    }

    /// Grows the reserved space to the wanted size. Returns the time until the next visit.
    pub(super) fn attend(&mut self, shared: &Shared) -> Option<Duration> {
        if self.ended {
            return None;
        }
        shared.called.store(false, Ordering::Release);
        let claims = shared.claims();
        if claims - self.claimed > self.ahead / 2 {
            // The keeper came late.
            self.ahead = (self.ahead * 2).min(self.ahead_max);
        }
        self.claimed = claims;
        let present = (self.ahead / PRESENT_PART).max(1);
        shared
            .call_at
            .store(claims + present.div_ceil(2), Ordering::Relaxed);
        let grown = self.reserve_to(shared, (claims + self.ahead).min(self.limit));
        self.make_present(shared, claims, claims + present);
        self.seal_full(shared, claims);
        self.release(shared);
        grown.err().map(|_| {
            // The keeper returns by itself. Waking it earlier would change nothing.
            shared.called.store(true, Ordering::Release);
            RETRY
        })
    }

    /// Cuts off unused reserved space.
    pub(super) fn end(&mut self, shared: &Shared) -> io::Result<()> {
        self.ended = true;
        let size = shared.layout().block_at(shared.claims());
        if self.file.metadata()?.len() > size {
            self.file.set_len(size)?;
        }
        Ok(())
    }

    /// Reserves blocks in stretches, or in smaller steps if the file system refuses.
    fn reserve_to(&mut self, shared: &Shared, target: u64) -> io::Result<()> {
        let reserved = shared.map.reserved();
        let mut step = self.stretch;
        let mut from = reserved.load(Ordering::Relaxed);
        while from < target {
            let to = (from + step).min(target);
            match self.reserve(shared.layout(), from, to) {
                Ok(()) => {
                    reserved.store(to, Ordering::Release);
                    from = to;
                }
                Err(_) if step > 1 => step /= 2,
                Err(error) => {
                    let errno = error.raw_os_error().unwrap_or(libc::EIO);
                    let live = shared.map.live();
                    live.errno.store(errno as u64, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn reserve(&self, layout: &Layout, from: u64, to: u64) -> io::Result<()> {
        let end = layout.block_at(to);
        if end > sys::largest_file() {
            // The call would raise SIGXFSZ.
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        sys::reserve(&self.file, layout.block_at(from), end)
    }

    /// Makes the pages of the next reserved blocks present.
    fn make_present(&mut self, shared: &Shared, claims: u64, target: u64) {
        let target = target.min(shared.map.reserved().load(Ordering::Relaxed));
        self.present = self.present.max(claims);
        while self.present < target {
            let to = (self.present + self.stretch).min(target);
            shared.map.populate(self.present, to);
            self.present = to;
        }
    }

    /// Adds checksums to full blocks, in stretches with new ones.
    fn seal_full(&mut self, shared: &Shared, claims: u64) {
        let stretches = claims.div_ceil(self.stretch) as usize;
        if self.sealed.len() < stretches {
            self.sealed.resize(stretches, 0);
        }
        for stretch in self.released..stretches {
            let full = shared.full.get(stretch);
            let full = full.map_or(0, |full| full.load(Ordering::Acquire));
            if let Some(sealed) = self.sealed.get_mut(stretch)
                && *sealed != RELEASED
                && full > *sealed
            {
                let blocks = stretch as u64 * self.stretch..(stretch as u64 + 1) * self.stretch;
                let new = blocks.filter(|block| protocol::seal_full(shared, *block));
                *sealed += new.count() as u32;
            }
        }
    }

    /// Adds the missing checksums after the end, except to blocks of threads that are writing a
    /// record.
    pub(super) fn seal_rest(&mut self, shared: &Shared) {
        let claims = shared.claims();
        self.seal_full(shared, claims);
        for (stretch, sealed) in (0..).zip(&self.sealed) {
            if u64::from(*sealed) < self.stretch {
                let blocks = stretch * self.stretch..claims.min((stretch + 1) * self.stretch);
                blocks.for_each(|block| protocol::seal_open(shared, block));
            }
        }
    }

    /// Releases the memory of stretches in which every block has its checksum.
    fn release(&mut self, shared: &Shared) {
        for (stretch, sealed) in self.sealed.iter_mut().enumerate().skip(self.released) {
            if u64::from(*sealed) == self.stretch {
                let first = stretch as u64 * self.stretch;
                shared.map.release(first, first + self.stretch);
                *sealed = RELEASED;
            }
            if *sealed == RELEASED && self.released == stretch {
                self.released = stretch + 1;
            }
        }
    }
}
