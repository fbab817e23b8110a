//! Reserving space ahead of need, and letting go of the memory of full blocks.

use super::Shared;
use crate::file::layout::Layout;
use crate::file::sys;
use std::fs::File;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Bytes reserved, and let go of, at a time.
const STRETCH: u64 = 2 << 20;

/// When to try again after the file system refused.
const RETRY: Duration = Duration::from_millis(100);

/// The part of the space ahead whose pages are made present.
const PRESENT_PART: u64 = 4;

/// How far a file has grown. Only ever locked by the keeper, at the beginning and at the end.
#[derive(Debug)]
pub(crate) struct Growth {
    file: File,
    limit: u64,
    /// Blocks reserved ahead of need; and the most it may become.
    ahead: u64,
    ahead_max: u64,
    stretch: u64,
    /// Blocks whose pages are present, or are left to those who use them.
    present: u64,
    /// Blocks claimed at the last visit.
    claimed: u64,
    /// Stretches let go of; all before this number are.
    released: u64,
}

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
            released: 0,
        }
    }

    /// Blocks reserved at a time.
    pub(super) fn stretch(&self) -> u64 {
        self.stretch
    }

    /// Reserves the first blocks; an error if there is none. Their pages are made present by the keeper.
    pub(super) fn begin(&mut self, shared: &Shared) -> io::Result<()> {
        match self.reserve_to(shared, self.ahead.min(self.limit)) {
            Err(error) if shared.map.reserved().load(Ordering::Relaxed) == 0 => Err(error),
            _ => Ok(()),
        }
    }

    /// Brings the space up to what is wanted.
    pub(super) fn attend(&mut self, shared: &Shared) -> Option<Duration> {
        shared.called.store(false, Ordering::Release);
        let claims = shared.claims();
        if claims - self.claimed > self.ahead / 2 {
            // It came late.
            self.ahead = (self.ahead * 2).min(self.ahead_max);
        }
        self.claimed = claims;
        let present = (self.ahead / PRESENT_PART).max(1);
        shared
            .call_at
            .store(claims + present.div_ceil(2), Ordering::Relaxed);
        let grown = self.reserve_to(shared, (claims + self.ahead).min(self.limit));
        self.make_present(shared, claims, claims + present);
        self.release(shared, claims);
        grown.err().map(|_| {
            // It comes again by itself; being called before that would change nothing.
            shared.called.store(true, Ordering::Release);
            RETRY
        })
    }

    /// Cuts off what was reserved and not used.
    pub(super) fn end(&mut self, shared: &Shared) -> io::Result<()> {
        let size = shared.layout().block_at(shared.claims());
        if self.file.metadata()?.len() > size {
            self.file.set_len(size)?;
        }
        Ok(())
    }

    /// Reserves blocks in stretches, smaller ones where the file system refuses.
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

    /// Makes the pages of the next blocks present, as far as they are reserved.
    fn make_present(&mut self, shared: &Shared, claims: u64, target: u64) {
        let target = target.min(shared.map.reserved().load(Ordering::Relaxed));
        self.present = self.present.max(claims);
        while self.present < target {
            let to = (self.present + self.stretch).min(target);
            shared.map.populate(self.present, to);
            self.present = to;
        }
    }

    /// Lets go of the memory of stretches in which every block is full.
    fn release(&mut self, shared: &Shared, claims: u64) {
        let first = self.released;
        for stretch in first..claims / self.stretch {
            let Some(full) = shared.full.get(stretch as usize) else {
                return;
            };
            // u32::MAX marks those that are gone already.
            let count = full.load(Ordering::Acquire);
            if u64::from(count) == self.stretch {
                shared
                    .map
                    .release(stretch * self.stretch, (stretch + 1) * self.stretch);
                full.store(u32::MAX, Ordering::Relaxed);
            }
            if full.load(Ordering::Relaxed) == u32::MAX && self.released == stretch {
                self.released = stretch + 1;
            }
        }
    }
}
