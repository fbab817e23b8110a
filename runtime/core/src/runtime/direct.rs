//! Calls that are too small even for an operation on the program's own thread.
//!
//! If operations are neither recorded nor shared between ranks, and none that uses the stores is
//! under way, a kernel runs directly on the elements in place.

use std::sync::{Arc, MutexGuard};

use weft_config::Level;

use super::{Core, Trap, check_body};
pub use crate::device::cpu::Input;
use crate::device::cpu::{read_direct, run_direct, write_direct};
use crate::error::{Cause, Failure};
use crate::identity::Order;
use crate::memory::{Maker, Store};
use crate::observe::Subsystem;
use crate::operation::Descriptor;
use crate::rank::ProgramStream;
use crate::shape::{Layout, Shape};
use crate::site::Site;
use weft_elements::Tile;

/// Factor by which the limit on touched elements is higher for kernels that read many elements for
/// a few results, such as a product of vectors. They take less time for each element, and could not
/// be fused.
pub(super) const READING: usize = 4;

/// Locks the program: no operation can be submitted meanwhile.
pub struct ProgramGuard<'a>(
    #[allow(dead_code, reason = "kept alive, never read")] MutexGuard<'a, ProgramStream>,
);

impl Core {
    /// Whether small calls can run without an operation: nothing observes operations.
    #[inline]
    pub fn goes_direct(&self) -> bool {
        let is_seen = self.observers.recorder.is_on()
            || self.observers.nvtx.is_some()
            || self.observers.log.says(Subsystem::Task, Level::Debug);
        !is_seen && self.computes_at_once()
    }

    /// Whether small operations run at once if their stores are not in use: directly without a
    /// profile, with one as operations on the program's thread.
    #[inline]
    pub fn computes_at_once(&self) -> bool {
        self.is_on_cpus_alone()
            && self.plan.max_inline_chunk > 0
            && self.is_of_this_process()
            && self.level.is_callable()
            && !self.has_stopped()
            && self.queues.outstanding.is_open()
    }

    /// Locks the program to read the result of an operation that has ended from memory. This works
    /// with a profile too, which has the operation. Returns `None` if
    /// [`computes_at_once`](Self::computes_at_once) is false or the store is in use.
    pub fn computed(&self, store: &Store) -> Option<ProgramGuard<'_>> {
        match self.computes_at_once() {
            true => self.hold([store]),
            false => None,
        }
    }

    /// Locks the program to read or write an element of `store` in place. Returns `None` if that
    /// requires an operation, or an operation must be visible to observers.
    pub fn at_once(&self, store: &Store) -> Option<ProgramGuard<'_>> {
        match self.goes_direct() {
            true => self.hold([store]),
            false => None,
        }
    }

    /// Locks the program for a kernel over `shape` of `stores`, which touches about `work`
    /// elements; `None` if that requires an operation.
    #[inline]
    pub fn at_once_for<'a>(
        &self,
        body: &Descriptor,
        shape: &Shape,
        work: impl FnOnce() -> usize,
        stores: impl IntoIterator<Item = &'a Store>,
    ) -> Option<ProgramGuard<'_>> {
        // Check the most decisive conditions first.
        if !self.goes_direct() || body.is_foreign {
            return None;
        }
        let most = match body.is_elementwise() {
            true => self.plan.max_inline_chunk,
            false => READING.saturating_mul(self.plan.max_inline_chunk),
        };
        if work() > most || !self.cutting.has_one_tile(shape, body.tiling) {
            return None;
        }
        self.hold(stores)
    }

    /// Returns whether a kernel over whole views that touches about `work` elements runs at once.
    pub fn is_small(&self, work: usize) -> bool {
        work <= self.plan.max_inline_chunk
    }

    /// Like [`at_once_for`](Self::at_once_for), for kernels over whole views of `stores` that touch
    /// about `work` elements.
    pub fn at_once_over<'a>(
        &self,
        work: usize,
        stores: impl IntoIterator<Item = &'a Store>,
    ) -> Option<ProgramGuard<'_>> {
        match self.is_small(work) && self.goes_direct() {
            true => self.hold(stores),
            false => None,
        }
    }

    /// Locks the program if none of these stores is in use or has failed.
    fn hold<'a>(&self, stores: impl IntoIterator<Item = &'a Store>) -> Option<ProgramGuard<'_>> {
        let held = ProgramGuard(self.program.lock());
        let is_free = |store: &Store| {
            store.is_of(&self.memories.main)
                && !store.is_in_parts()
                && !store.is_pending()
                && !store.turn.is_of_another()
                && store.failure().is_none()
                && check_body(store).is_ok()
        };
        stores.into_iter().all(is_free).then_some(held)
    }

    /// Fails a direct call like an operation: poisons the stores that it would have written.
    pub(crate) fn fail_at_once<'a>(
        &self,
        operation: &'static str,
        cause: Cause,
        written: impl Iterator<Item = &'a Store>,
    ) {
        let uid = self.uids.next_operation();
        let failure = Arc::new(Failure {
            operation,
            uid,
            location: Site::caller(),
            cause,
        });
        for store in written {
            store.fail(Order::from_uid(uid), &failure);
        }
        self.health.failures.add(&failure);
    }

    /// Runs the kernel of `body` from `inputs` to a view of a store; returns whether that was
    /// possible.
    ///
    /// # Safety
    /// The layouts lie in their stores, whose operations have all ended, and the stores are not in
    /// use meanwhile. The inputs have been written. The output's elements are distinct, and are
    /// either exactly those of an input, or none of them. The lock that
    /// [`at_once_for`](Self::at_once_for) returned for these stores is held.
    #[allow(unsafe_code, reason = "passes the promise on")]
    pub unsafe fn run_at_once(
        &self,
        body: &Descriptor,
        shape: &Shape,
        inputs: &[Input<'_>],
        out: (&Store, &Layout),
    ) -> bool {
        self.on_program_thread(|| {
            self.health.trap(Trap::Inline);
            let maker = || Maker {
                name: body.name,
                uid: self.uids.next_operation(),
                location: Site::caller(),
            };
            out.0.count_write();
            // SAFETY: the caller's promise.
            unsafe { run_direct(&self.observers.recorder, body, shape, inputs, out, maker) }
        })
    }

    /// Calls `kernel` with the elements of a view of a store. Returns `None` if the store has no
    /// memory or the kernel panics.
    ///
    /// # Safety
    /// The layout lies in the store, which has been written, and what
    /// [`at_once_over`](Self::at_once_over) gave for it is held.
    #[allow(unsafe_code, reason = "passes the promise on")]
    pub unsafe fn read_at_once<R>(
        &self,
        view: (&Store, &Layout),
        kernel: impl FnOnce(&Tile<'_>) -> R,
    ) -> Option<R> {
        self.on_program_thread(|| {
            // SAFETY: the caller's promise.
            unsafe { read_direct(view, kernel) }
        })
    }

    /// Calls `kernel` with the elements of `inputs` and then those of a view of a store, which it
    /// writes for a call of this name. Returns whether this succeeded.
    ///
    /// # Safety
    /// As for [`run_at_once`](Self::run_at_once), where [`at_once_over`](Self::at_once_over) gave
    /// what is held.
    #[allow(unsafe_code, reason = "passes the promise on")]
    pub unsafe fn write_at_once(
        &self,
        name: &'static str,
        inputs: &[Input<'_>],
        out: (&Store, &Layout),
        kernel: impl FnOnce(&mut [Tile<'_>]),
    ) -> bool {
        self.on_program_thread(|| {
            self.health.trap(Trap::Inline);
            let maker = || Maker {
                name,
                uid: self.uids.next_operation(),
                location: Site::caller(),
            };
            out.0.count_write();
            let kernel = |tiles: &mut [Tile<'_>]| {
                kernel(tiles);
                true
            };
            // SAFETY: the caller's promise.
            unsafe { write_direct(&self.observers.recorder, None, inputs, out, maker, kernel) }
        })
    }
}
