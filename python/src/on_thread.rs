//! Values that only the thread that made them may use, owned by Python objects that any thread may
//! drop, such as those that a traceback refers to.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static VALUES: RefCell<HashMap<u64, Box<dyn Any>>> = RefCell::default();
}

/// A value of the thread that made it. If another thread drops this, the value stays until its
/// thread ends.
pub(crate) struct OnThread<T> {
    number: u64,
    _value: PhantomData<fn() -> T>,
}

impl<T: 'static> OnThread<T> {
    pub(crate) fn new(value: T) -> OnThread<T> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        VALUES.with_borrow_mut(|values| values.insert(number, Box::new(value)));
        OnThread {
            number,
            _value: PhantomData,
        }
    }

    /// Returns the value; `None` if this is another thread, or the value was taken before.
    pub(crate) fn take(&self) -> Option<T> {
        let value = remove(self.number)?.downcast().ok()?;
        Some(*value)
    }

    /// Puts a value back that [`take`](Self::take) returned.
    pub(crate) fn put_back(&self, value: T) {
        VALUES.with_borrow_mut(|values| values.insert(self.number, Box::new(value)));
    }
}

impl<T> Drop for OnThread<T> {
    fn drop(&mut self) {
        drop(remove(self.number));
    }
}

/// Removes a value of this thread. Does nothing if the thread is ending.
fn remove(number: u64) -> Option<Box<dyn Any>> {
    let remove = |values: &RefCell<HashMap<_, _>>| values.borrow_mut().remove(&number);
    VALUES.try_with(remove).ok().flatten()
}
