//! Failures of operations, and which of them were reported to the program.
//!
//! A program that never reads a failed result would end as if all were well. So unreported failures
//! are printed when the runtime ends, and make the exit status 1 (see `runtime::exit`). A
//! failure that follows from another rank's failure is left to that rank, which tracks whether it
//! was reported: a read that fails informs all ranks.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};
use weft_trace::id::OperationUid;

use crate::error::{Failure, SharedCause};

/// Maximum number of failures that are kept: a loop may fail any number of times.
const KEPT: usize = 64;

#[derive(Default)]
pub(crate) struct Failures {
    first: OnceLock<Arc<Failure>>,
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    kept: Vec<ReportedFailure>,
    /// Operations with failures beyond `KEPT`.
    more: FxHashSet<OperationUid>,
    /// Operations that failed for a shared cause that a failure in `kept` names.
    more_shared: FxHashMap<OperationUid, SharedCause>,
    /// For each operation, the operations whose failures count as reported along with its own.
    with: FxHashMap<OperationUid, Vec<OperationUid>>,
    /// Operations whose failures were reported to the program before they arrived here: a reader
    /// may be faster.
    told_before: FxHashSet<OperationUid>,
    /// For each shared cause, the last operation at the time when the program received an error
    /// that names it. Failures of operations up to this one for the same cause are consequences.
    told_shared: FxHashMap<SharedCause, OperationUid>,
}

/// The first failure of an operation: its tiles may fail one by one.
struct ReportedFailure {
    failure: Arc<Failure>,
    is_told: bool,
}

/// Failures that were not reported to the program.
#[derive(Debug, Default)]
pub(crate) struct Untold {
    /// The first failures, in order of arrival.
    pub(crate) failures: Vec<Arc<Failure>>,
    /// Number of further failures.
    pub(crate) more: usize,
    /// Number of operations that failed for a shared cause that one of `failures` names.
    pub(crate) more_shared: usize,
}

impl Failures {
    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the first failure.
    pub(crate) fn first(&self) -> Option<&Arc<Failure>> {
        self.first.get()
    }

    /// Returns the first failure that was not reported to the program.
    pub(crate) fn first_untold(&self) -> Option<Arc<Failure>> {
        let list = self.list();
        let untold = list.kept.iter().find(|known| !known.is_told);
        untold.map(|known| known.failure.clone())
    }

    /// Notes a failure of an operation, or of one that depends on a failed operation.
    pub(crate) fn add(&self, failure: &Arc<Failure>) {
        self.first.get_or_init(|| failure.clone());
        if failure.is_of_another_rank() {
            return;
        }
        let mut list = self.list();
        if list.find(failure.uid).is_some() {
            return;
        }
        if list.told_before.contains(&failure.uid) {
            return;
        }
        if let Some(cause) = failure.shared_cause() {
            let told = list.told_shared.get(&cause);
            if told.is_some_and(|last| failure.uid <= *last) {
                return;
            }
            let is_same = |known: &ReportedFailure| {
                !known.is_told && known.failure.shared_cause() == Some(cause)
            };
            if list.kept.iter().any(is_same) {
                list.more_shared.insert(failure.uid, cause);
                return;
            }
        }
        if list.kept.len() == KEPT {
            list.kept.retain(|known| !known.is_told);
        }
        if list.kept.len() == KEPT {
            list.more.insert(failure.uid);
            return;
        }
        list.kept.push(ReportedFailure {
            failure: failure.clone(),
            is_told: false,
        });
    }

    /// Notes that a shared cause was reported to the program. Failures of operations up to `last`
    /// for this cause are consequences.
    pub(crate) fn tell_shared(&self, cause: SharedCause, last: OperationUid) {
        let mut list = self.list();
        let told = list.told_shared.entry(cause).or_insert(last);
        *told = last.max(*told);
        for known in &mut list.kept {
            let is_same = known.failure.shared_cause() == Some(cause);
            known.is_told |= is_same && known.failure.uid <= last;
        }
        list.more_shared
            .retain(|uid, shared| *shared != cause || *uid > last);
    }

    /// Notes that the failure of an operation was reported to the program, along with those that
    /// [`tell_with`](Self::tell_with) added to it.
    pub(crate) fn tell(&self, operation: OperationUid) {
        self.list().tell(operation);
    }

    /// Marks the failure of `other` as reported once the failure of `operation` is: a third
    /// operation needed the results of both.
    pub(crate) fn tell_with(&self, other: OperationUid, operation: OperationUid) {
        let mut list = self.list();
        if list.is_told(operation) {
            list.tell(other);
            return;
        }
        let others = list.with.entry(operation).or_default();
        if !others.contains(&other) {
            others.push(other);
        }
    }

    /// Takes all failures that were not reported to the program, and marks them as reported.
    pub(crate) fn tell_all(&self) -> Untold {
        let mut list = self.list();
        let mut failures = Vec::new();
        for known in &mut list.kept {
            if !std::mem::replace(&mut known.is_told, true) {
                failures.push(known.failure.clone());
            }
        }
        Untold {
            failures,
            more: std::mem::take(&mut list.more).len(),
            more_shared: std::mem::take(&mut list.more_shared).len(),
        }
    }
}

impl List {
    fn tell(&mut self, operation: OperationUid) {
        let mut told = vec![operation];
        while let Some(operation) = told.pop() {
            self.more_shared.remove(&operation);
            let is_counted = self.more.remove(&operation);
            match self.find(operation) {
                Some(known) => known.is_told = true,
                None if is_counted => {}
                None => {
                    self.told_before.insert(operation);
                }
            }
            told.extend(self.with.remove(&operation).unwrap_or_default());
        }
    }

    fn is_told(&mut self, operation: OperationUid) -> bool {
        self.told_before.contains(&operation)
            || self.find(operation).is_some_and(|known| known.is_told)
    }

    fn find(&mut self, operation: OperationUid) -> Option<&mut ReportedFailure> {
        self.kept
            .iter_mut()
            .find(|known| known.failure.uid == operation)
    }
}

#[cfg(test)]
mod tests {
    use weft_trace::id::Uid;

    use super::*;
    use crate::error::Cause;
    use crate::site::Site;

    fn failure(uid: u64) -> Arc<Failure> {
        Arc::new(Failure {
            operation: "fill",
            uid: OperationUid(Uid::from_raw(uid).unwrap()),
            location: Site::caller(),
            cause: Cause::Panicked("a test".to_owned()),
        })
    }

    #[test]
    fn reports_each_failure_once_and_counts_the_rest() {
        let failures = Failures::default();
        for number in 1..=100 {
            failures.add(&failure(number));
            failures.add(&failure(number));
        }
        failures.tell(failure(7).uid);
        let untold = failures.tell_all();
        assert_eq!((untold.failures.len(), untold.more), (KEPT - 1, 100 - KEPT));
        assert!(untold.failures.iter().all(|one| one.uid != failure(7).uid));
        let again = failures.tell_all();
        assert_eq!((again.failures.len(), again.more), (0, 0));
        assert_eq!(failures.first().map(|one| one.uid), Some(failure(1).uid));
    }

    #[test]
    fn reported_failure_covers_its_predecessors() {
        let failures = Failures::default();
        let uid = |number| failure(number).uid;
        (1..=6).for_each(|number| failures.add(&failure(number)));
        failures.tell_with(uid(2), uid(1));
        failures.tell_with(uid(3), uid(2));
        failures.tell(uid(1));
        failures.tell_with(uid(4), uid(1));
        failures.tell_with(uid(6), uid(5));
        let untold = failures.tell_all().failures;
        let untold: Vec<_> = untold.iter().map(|one| one.uid).collect();
        assert_eq!(untold, [uid(5), uid(6)]);
    }

    fn full(uid: u64) -> Arc<Failure> {
        full_of("SYSTEM_MEM", uid)
    }

    fn full_of(memory: &'static str, uid: u64) -> Arc<Failure> {
        let shortage = crate::error::Shortage {
            asked: 1 << 20,
            memory,
            number: None,
            array: (
                Site::caller(),
                weft_trace::id::StoreUid(Uid::from_raw(uid).unwrap()),
            ),
            elements: None,
            capacity: 0,
            used: 0,
            largest_free: 0,
            is_refused: false,
            holders: Vec::new(),
            help: Vec::new(),
        };
        let cause = Cause::OutOfMemory(Box::new(shortage));
        Arc::new(Failure {
            cause,
            ..Arc::into_inner(failure(uid)).unwrap()
        })
    }

    #[test]
    fn reports_one_out_of_memory_failure_and_a_count() {
        let failures = Failures::default();
        (1..=200).for_each(|number| failures.add(&full(number)));
        let untold = failures.tell_all();
        assert_eq!((untold.failures.len(), untold.more), (1, 0));
        assert_eq!(untold.more_shared, 199);
    }

    #[test]
    fn reported_out_of_memory_suppresses_earlier_ones() {
        let failures = Failures::default();
        (1..=50).for_each(|number| failures.add(&full(number)));
        failures.tell_shared(("SYSTEM_MEM", None), full(60).uid);
        (51..=61).for_each(|number| failures.add(&full(number)));
        let untold = failures.tell_all();
        assert_eq!((untold.failures.len(), untold.more_shared), (1, 0));
        assert_eq!(untold.failures[0].uid, full(61).uid);
    }

    #[test]
    fn reports_each_shared_cause_separately() {
        let failures = Failures::default();
        (1..=10).for_each(|number| failures.add(&full(number)));
        (11..=15).for_each(|number| failures.add(&full_of("GPU_FB_MEM", number)));
        failures.tell_shared(("SYSTEM_MEM", None), full(20).uid);
        failures.add(&full_of("GPU_FB_MEM", 16));
        failures.add(&full(17));
        let untold = failures.tell_all();
        assert_eq!((untold.failures.len(), untold.more_shared), (1, 5));
        assert_eq!(untold.failures[0].uid, full(11).uid);
    }

    #[test]
    fn reported_failures_free_their_slots() {
        let failures = Failures::default();
        for number in 1..=1000 {
            failures.add(&failure(number));
            failures.tell(failure(number).uid);
        }
        assert_eq!(failures.tell_all().more, 0);
    }
}
