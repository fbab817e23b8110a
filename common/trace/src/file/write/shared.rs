//! An open file, shared by its writer, its lanes and the keeper.

use super::keeper::Keeper;
use super::life;
use super::map::Map;
use super::protocol::{self, BlockHead, Claim, Counters, Gate, Pen, SealedBlock, Slot, Storage};
use super::sys;
use crate::file::checksum::{self, LEFT};
use crate::file::error::FinishError;
use crate::file::layout::{ENDED, FINISHED, Layout};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, compiler_fence};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

mod growth;

use growth::Growth;

/// The time that finishing waits for records in flight, and for the keeper.
const PATIENCE: Duration = Duration::from_millis(100);
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Shared {
    map: Map,
    closed: AtomicU64,
    /// The largest number of blocks of the file.
    limit: u64,
    /// The process that created the file; see [`life::generation`].
    generation: u64,
    keeper: &'static Keeper,
    /// The number of the block whose claim wakes the keeper.
    call_at: AtomicU64,
    /// Whether the keeper was woken and has not come yet.
    called: AtomicBool,
    /// The number of full blocks in each stretch of [`Growth::stretch`] blocks.
    full: Box<[AtomicU32]>,
    stretch: u64,
    lanes: Mutex<Lanes>,
    growth: Mutex<Growth>,
    path: PathBuf,
}

/// The free lanes.
#[derive(Debug)]
struct Lanes {
    /// The pens of lanes that were returned.
    free: Vec<Pen>,
    /// The number of the first lane that was never used.
    next: u32,
}

impl Shared {
    /// Takes over `file`, which holds a complete head, and reserves its first blocks.
    pub(crate) fn new(
        path: PathBuf,
        file: File,
        map: Map,
        limit: u64,
        ahead: u64,
        keeper: &'static Keeper,
    ) -> io::Result<Self> {
        let growth = Growth::new(file, map.layout(), limit, ahead);
        let stretch = growth.stretch();
        let shared = Shared {
            map,
            closed: AtomicU64::new(0),
            limit,
            generation: life::generation(),
            keeper,
            call_at: AtomicU64::new(0),
            called: AtomicBool::new(false),
            full: (0..limit.div_ceil(stretch))
                .map(|_| AtomicU32::new(0))
                .collect(),
            stretch,
            lanes: Mutex::new(Lanes {
                free: Vec::new(),
                next: 1,
            }),
            growth: Mutex::new(growth),
            path,
        };
        shared.growth().begin(&shared)?;
        Ok(shared)
    }

    /// Whether this process created the file.
    #[inline]
    pub(crate) fn is_ours(&self) -> bool {
        self.generation == life::generation()
    }

    fn layout(&self) -> &Layout {
        self.map.layout()
    }

    fn claims(&self) -> u64 {
        self.map.live().claims.load(Ordering::Acquire) & !ENDED
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire) != 0
    }

    fn growth(&self) -> MutexGuard<'_, Growth> {
        self.growth.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Attends to the file on behalf of the keeper. Returns the time until the next visit.
    pub(crate) fn attend(&self) -> Option<Duration> {
        if self.is_closed() {
            return None;
        }
        self.growth().attend(self)
    }

    /// Returns the pen of a lane for one thread, if one is free.
    pub(crate) fn take_pen(&self) -> Option<Pen> {
        if !self.is_ours() {
            return None;
        }
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.free.pop().or_else(|| {
            let lane = lanes.next;
            (lane < self.layout().lanes).then(|| {
                lanes.next += 1;
                Pen::new(lane)
            })
        })
    }

    /// Returns a lane to the free ones.
    pub(crate) fn return_pen(&self, pen: Pen) {
        if self.is_ours() {
            let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            lanes.free.push(pen);
        }
    }

    pub(crate) fn counters(&self) -> Counters {
        protocol::count(self)
    }

    /// Returns the last error of reserving space, if any.
    pub(crate) fn trouble(&self) -> Option<io::Error> {
        match self.map.live().errno.load(Ordering::Relaxed) {
            0 => None,
            errno => Some(io::Error::from_raw_os_error(errno as i32)),
        }
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn finish(&self) -> Result<Counters, FinishError> {
        if !self.is_ours() {
            return Err(FinishError::OtherProcess {
                path: self.path.clone(),
            });
        }
        protocol::close(self);
        wait(PATIENCE, || protocol::quiet(self).then_some(()));
        let growth = wait(LOCK_PATIENCE, || match self.growth.try_lock() {
            Ok(growth) => Some(growth),
            Err(TryLockError::Poisoned(growth)) => Some(growth.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        });
        let trimmed = match growth {
            Some(mut growth) => {
                growth.seal_rest(self);
                let whole = protocol::seal_lanes(self);
                let trimmed = growth.end(self);
                self.map.live().finished.store(FINISHED, Ordering::Release);
                self.seal_end(whole);
                trimmed
            }
            None => {
                // The keeper is stuck, so blocks stay without a checksum.
                self.map.live().finished.store(FINISHED, Ordering::Release);
                Err(io::ErrorKind::TimedOut.into())
            }
        };
        self.keeper.forget(self);
        match trimmed {
            Ok(()) => Ok(self.counters()),
            Err(source) => Err(FinishError::Trim {
                path: self.path.clone(),
                source,
            }),
        }
    }
}

impl Shared {
    /// Seals the counters of the whole file, unless `whole` is `false`, since a thread may still
    /// drop a record.
    fn seal_end(&self, whole: bool) {
        let live = self.map.live();
        let words = [&live.claims, &live.finished, &live.errno];
        let words = words.map(|word| word.load(Ordering::Acquire));
        let dropped = self.map.dropped().iter();
        let sum = checksum::of_end(words, dropped.map(|word| word.load(Ordering::Acquire)));
        let word = if whole { checksum::sealed(sum) } else { LEFT };
        live.end.store(word, Ordering::Release);
    }
}

/// Retries until there is a result, or the time is over.
fn wait<T>(patience: Duration, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(done) = attempt() {
            return Some(done);
        }
        if start.elapsed() > patience {
            return None;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
}

impl Storage for Shared {
    type Word = AtomicU64;

    #[inline]
    fn gate(&self) -> Gate<'_, AtomicU64> {
        Gate {
            claims: &self.map.live().claims,
            reserved: self.map.reserved(),
            closed: &self.closed,
        }
    }

    fn lanes(&self) -> u32 {
        self.layout().lanes
    }

    #[inline]
    fn slot(&self, lane: u32) -> &Slot<AtomicU64> {
        self.map.slot(lane)
    }

    #[inline]
    fn block(&self, claim: &Claim) -> &BlockHead<AtomicU64> {
        self.map.block(claim)
    }

    fn reserved_block(&self, index: u64) -> Option<&BlockHead<AtomicU64>> {
        self.map.reserved_block(index)
    }

    #[inline]
    fn room(&self) -> usize {
        self.layout().room()
    }

    fn limit(&self) -> u64 {
        self.limit
    }

    #[inline]
    fn fill(&self, claim: &mut Claim, at: usize, size: usize, fill: impl FnOnce(&mut [u8])) {
        self.map.fill(claim, at, size, fill);
    }

    fn read(&self, block: &SealedBlock, size: usize, read: impl FnOnce(&[u8]) -> u32) -> u32 {
        read(self.map.read(block, size))
    }

    #[inline]
    fn light_barrier(&self) {
        // The heavy barrier is a full one in every thread. Here it is enough that the compiler
        // keeps the order.
        compiler_fence(Ordering::SeqCst);
    }

    fn heavy_barrier(&self) {
        if !sys::barrier_in_all_threads() {
            // Without the system call, stores become visible within microseconds.
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn claimed(&self) {
        let claims = self.map.live().claims.load(Ordering::Relaxed) & !ENDED;
        if claims >= self.call_at.load(Ordering::Relaxed)
            && claims < self.limit
            && !self.called.swap(true, Ordering::AcqRel)
        {
            self.keeper.wake();
        }
    }

    fn retired(&self, claim: Claim) {
        if let Some(full) = self.full.get((claim.index() / self.stretch) as usize) {
            full.fetch_add(1, Ordering::Release);
        }
    }

    fn dropped(&self, kind: u8) {
        let counters = self.map.dropped();
        if let Some(counter) = counters.get(usize::from(kind)).or(counters.first()) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }
}
