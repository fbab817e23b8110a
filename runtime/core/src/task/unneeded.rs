//! Tasks whose results can no longer be read.
//!
//! A task is needed if its operation has a visible effect, or if a store that it writes can be
//! read: by the program, through a handle, or by an operation that is needed. The dependants of a
//! task are found among the tasks that wait for it. If they hold all handles to all stores that
//! they write, none of their values can reach the program.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use weft_geometry::Access;

use super::{Task, Work};
use crate::memory::Store;
use crate::operation::{Operation, Role};

/// A task and all direct and indirect successors.
#[derive(Default)]
struct Closure {
    tasks: Vec<Arc<Task>>,
    known: FxHashSet<*const Task>,
    /// Operations whose operands are counted.
    operations: FxHashSet<*const Operation>,
    fused: FxHashSet<*const ()>,
    /// Number of handles to each store that the closure holds.
    handles: FxHashMap<*const Store, usize>,
    /// The stores that are written.
    written: Vec<Arc<Store>>,
}

/// Whether an operation has effects other than writing stores.
fn is_seen(operation: &Operation) -> bool {
    let is_awaited = |latch| Arc::strong_count(latch) > 1;
    let writes = |operation: &Operation| {
        let mut arrays = operation.arrays();
        arrays.any(|array| array.declared.access != Access::Read)
    };
    operation.latch.as_ref().is_some_and(is_awaited)
        || operation.body.kernels.is_body()
        || operation.body.role.is_message()
        || matches!(operation.body.role, Role::Move { .. })
        || !writes(operation)
}

impl Closure {
    fn count(&mut self, store: &Arc<Store>) {
        *self.handles.entry(Arc::as_ptr(store)).or_default() += 1;
    }

    /// Adds the handles of an operation; returns false if the operation has other effects.
    fn add_operation(&mut self, operation: &Arc<Operation>) -> bool {
        if !self.operations.insert(Arc::as_ptr(operation)) {
            return true;
        }
        if is_seen(operation) {
            return false;
        }
        for array in operation.arrays() {
            self.count(array.store);
            if array.declared.access != Access::Read {
                // Another library can read the memory without a handle.
                if array.store.is_shared() || array.store.is_borrowed() {
                    return false;
                }
                self.written.push(array.store.clone());
            }
        }
        true
    }

    /// Adds the handles of a task and the tasks that wait for it; returns false if the task is
    /// needed.
    fn add_task(&mut self, task: &Arc<Task>) -> bool {
        let is_unneeded = task.with_work(|work| match work {
            // The task has begun: its results may be read by operations that are not in the
            // closure.
            None => false,
            Some(Work::One(operation)) => self.add_operation(operation),
            Some(Work::Fused(fused)) => {
                if self.fused.insert(Arc::as_ptr(fused).cast()) {
                    for store in fused.stores() {
                        self.count(store);
                    }
                }
                let mut all = fused.operations.iter();
                all.all(|operation| self.add_operation(operation))
            }
        });
        if is_unneeded {
            task.each_waiting(|later| {
                if self.known.insert(Arc::as_ptr(later)) {
                    self.tasks.push(later.clone());
                }
            });
        }
        is_unneeded
    }

    /// Whether the closure holds all handles to the stores that it writes.
    fn has_all_handles(&mut self) -> bool {
        let mut own: FxHashMap<*const Store, usize> = FxHashMap::default();
        for store in &self.written {
            *own.entry(Arc::as_ptr(store)).or_default() += 1;
        }
        self.written.iter().all(|store| {
            let at = Arc::as_ptr(store);
            let count = |known: &FxHashMap<_, usize>| known.get(&at).copied().unwrap_or(0);
            Arc::strong_count(store) == count(&self.handles) + count(&own)
        })
    }
}

/// Returns the tasks that can be dropped with `first`, which has not begun; `None` if it is needed.
pub(crate) fn unneeded(first: &Arc<Task>) -> Option<Vec<Arc<Task>>> {
    let mut closure = Closure::default();
    closure.known.insert(Arc::as_ptr(first));
    closure.tasks.push(first.clone());
    let mut at = 0;
    while let Some(task) = closure.tasks.get(at).cloned() {
        if !closure.add_task(&task) {
            return None;
        }
        at += 1;
    }
    closure.has_all_handles().then_some(closure.tasks)
}
