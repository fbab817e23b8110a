//! Writing of records from any thread.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use weft_trace::file::{self, Counters, FinishError, Lane, ProfWriter};
use weft_trace::record::Encode;
use weft_trace::time::{self, Timestamp};

thread_local! {
    /// This thread's own lane, and the recorder it belongs to.
    static LANE: RefCell<Option<(u64, Lane)>> = const { RefCell::new(None) };
    /// A time that is accurate enough for the current work of this thread.
    static MOMENT: Cell<Option<Timestamp>> = const { Cell::new(None) };
}

/// The writer of one runtime's `.prof` file; does nothing if no profile is written.
pub(crate) struct Recorder {
    /// Distinguishes the recorders of several runtimes in one process.
    id: u64,
    writer: Option<ProfWriter>,
    /// The lane of threads without their own: the program's.
    shared: Option<Mutex<Lane>>,
    /// Set at the end of the run: later events are not part of it.
    ended: AtomicBool,
    /// The process that made it: a forked child has its memory, but none of its threads.
    process: u64,
}

impl Recorder {
    /// Creates a recorder that writes with `writer`, or does nothing.
    pub(crate) fn new(writer: Option<ProfWriter>) -> Recorder {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        file::watch_process();
        let shared = writer.as_ref().map(|writer| Mutex::new(writer.lane()));
        Recorder {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            writer,
            shared,
            ended: AtomicBool::new(false),
            process: file::process_generation(),
        }
    }

    /// Whether this is the process that made it, and not a fork.
    #[inline]
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.process == file::process_generation()
    }

    /// Whether records are written.
    pub(crate) fn is_on(&self) -> bool {
        self.writer.is_some() && !self.ended.load(Ordering::Relaxed) && self.is_of_this_process()
    }

    /// Returns the time for a record; does not read a clock if no records are written.
    #[inline]
    pub(crate) fn now(&self) -> Timestamp {
        if self.is_on() {
            time::now()
        } else {
            Timestamp::default()
        }
    }

    /// Runs `what` with `now` as the time of everything that it records by
    /// [`moment`](Self::moment).
    pub(crate) fn at_moment(&self, now: Timestamp, what: impl FnOnce()) {
        MOMENT.set(self.is_on().then_some(now));
        what();
        MOMENT.set(None);
    }

    /// Returns the time for a record, as set by [`at_moment`](Self::at_moment) or else by the
    /// clock.
    pub(crate) fn moment(&self) -> Timestamp {
        MOMENT
            .try_with(Cell::get)
            .ok()
            .flatten()
            .unwrap_or_else(|| self.now())
    }

    /// Gives the calling thread its own lane until it ends.
    pub(crate) fn attach_thread(&self) {
        if let Some(writer) = &self.writer {
            LANE.set(Some((self.id, writer.lane())));
        }
    }

    /// Ends the calling thread's lane.
    pub(crate) fn detach_thread(&self) {
        LANE.set(None);
    }

    /// Writes a record, or drops and counts it.
    #[inline]
    pub(crate) fn write<R: Encode>(&self, record: &R) {
        let Some(shared) = self.shared.as_ref().filter(|_| self.is_on()) else {
            return;
        };
        let written = LANE.try_with(|lane| match lane.try_borrow_mut().as_deref_mut() {
            Ok(Some((id, lane))) if *id == self.id => {
                lane.write(record);
                true
            }
            _ => false,
        });
        if !written.unwrap_or(false) {
            shared
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .write(record);
        }
    }

    /// Ends the run and completes the file, unless it belongs to the parent process. Arrays that
    /// are dropped later are not recorded.
    pub(crate) fn finish(&self) -> Result<Option<Counters>, FinishError> {
        self.ended.store(true, Ordering::Relaxed);
        let writer = self.writer.as_ref().filter(|_| self.is_of_this_process());
        writer.map(ProfWriter::finish).transpose()
    }
}
