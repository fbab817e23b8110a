//! The source of the UIDs of one rank.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use weft_trace::id::{OperationUid, Rank, Uid};

/// The position of an operation in the program, or of the work done for it just before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Order(u64);

impl Order {
    /// Returns the position of an operation of the program.
    pub(crate) fn from_uid(operation: OperationUid) -> Order {
        // UIDs have 63 bits.
        Order(2 * operation.raw())
    }

    /// Returns the position between the operation and the one before it.
    pub(crate) fn just_before(self) -> Order {
        Order(self.0 - 1)
    }
}

/// Identifies a run of the body of a task among all of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyNumber(u64);

impl BodyNumber {
    /// Returns a number that no other run has.
    pub(crate) fn next() -> BodyNumber {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        BodyNumber(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Allocates UIDs, each once.
#[derive(Debug)]
pub(crate) struct Uids {
    rank: Rank,
    /// The source of the whole run, from which these are taken.
    of_run: Option<Arc<Uids>>,
    own: AtomicU64,
    operations: AtomicU64,
}

impl Uids {
    pub(crate) fn new(rank: Rank) -> Uids {
        Uids {
            rank,
            of_run: None,
            own: AtomicU64::new(1),
            operations: AtomicU64::new(1),
        }
    }

    /// Creates the source for operations that bodies of tasks submit. Other ranks do not submit
    /// them, so these operations have numbers of this rank, too.
    pub(crate) fn within(of_run: Arc<Uids>) -> Uids {
        Uids {
            of_run: Some(of_run.clone()),
            ..Uids::new(of_run.rank)
        }
    }

    /// Returns the next UID of this rank: for tasks, stores, instances, launches, copies.
    pub(crate) fn next(&self) -> Uid {
        match &self.of_run {
            None => numbered(self.rank, self.own.fetch_add(1, Ordering::Relaxed)),
            Some(of_run) => of_run.next(),
        }
    }

    /// Returns the next `count` UIDs of this rank.
    pub(crate) fn next_many(&self, count: u64) -> UidRange {
        if let Some(of_run) = &self.of_run {
            return of_run.next_many(count);
        }
        UidRange {
            rank: self.rank,
            first: self.own.fetch_add(count, Ordering::Relaxed),
        }
    }

    /// Returns the next UID of an operation, the same on every rank.
    pub(crate) fn next_operation(&self) -> OperationUid {
        if self.of_run.is_some() {
            return OperationUid(self.next());
        }
        OperationUid(numbered(
            Rank::REPLICATED,
            self.operations.fetch_add(1, Ordering::Relaxed),
        ))
    }

    /// Returns the UID that was last given to an operation; before the first, one below all to
    /// come.
    pub(crate) fn last_operation(&self) -> OperationUid {
        match &self.of_run {
            None => {
                let next = self.operations.load(Ordering::Relaxed);
                OperationUid(numbered(Rank::REPLICATED, next - 1))
            }
            Some(of_run) => OperationUid(numbered(
                self.rank,
                of_run.own.load(Ordering::Relaxed).saturating_sub(1),
            )),
        }
    }
}

/// Consecutive UIDs of one rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UidRange {
    rank: Rank,
    first: u64,
}

impl UidRange {
    /// Returns the UID at an index.
    pub(crate) fn get(&self, at: u64) -> Uid {
        numbered(self.rank, self.first + at)
    }
}

/// Makes a UID. At one UID a nanosecond, the 48 bits of a sequence last 78 hours. After that the
/// sequence starts over, and UIDs repeat rather than stop the program.
fn numbered(rank: Rank, sequence: u64) -> Uid {
    const FIRST: Uid = match Uid::new(Rank::REPLICATED, 1) {
        Some(uid) => uid,
        None => unreachable!(),
    };
    Uid::new(rank, (sequence & ((1 << 48) - 1)).max(1)).unwrap_or(FIRST)
}
