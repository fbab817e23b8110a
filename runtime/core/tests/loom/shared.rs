//! Data that tasks pass on, and the bounds of the models.

use loom::cell::UnsafeCell;

/// Data without protection of its own. The model checker reports reads that may happen before the
/// write, and concurrent writes.
#[derive(Default)]
pub(crate) struct Data(UnsafeCell<u32>);

// SAFETY: the model checker reports concurrent accesses.
#[allow(
    unsafe_code,
    reason = "the defects that models must find have to compile"
)]
unsafe impl Sync for Data {}

#[allow(unsafe_code, reason = "the checked cell hands out pointers")]
impl Data {
    pub(crate) fn add(&self, value: u32) {
        // SAFETY: the model checker reports concurrent accesses.
        self.0.with_mut(|data| unsafe { *data += value });
    }

    pub(crate) fn get(&self) -> u32 {
        // SAFETY: as above.
        self.0.with(|data| unsafe { *data })
    }
}

/// Checks all orders with at most `preemptions` switches away from a thread that could continue.
/// Nearly all mistakes appear with two. Without a bound, models of more than two threads with
/// sleepers take hours.
pub(crate) fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
