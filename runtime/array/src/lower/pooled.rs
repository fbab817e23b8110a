//! The memory of views, which a thread reuses.
//!
//! A view is passed through many functions by value and is large, so it is a pointer. Programs
//! create and drop views all the time; taking one from a list costs less than an allocation.

#![allow(
    unsafe_code,
    reason = "drops values in memory that it keeps for the next ones"
)]

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr::NonNull;

use weft_core::define::StoreView;

/// Number of places that a thread keeps.
const KEPT: usize = 64;

/// A view in memory that its thread keeps when the view is dropped.
pub(super) struct Pooled(NonNull<StoreView>);

// SAFETY: it owns the view, like a box.
unsafe impl Send for Pooled where StoreView: Send {}
// SAFETY: as above; a reference only gives references to the view.
unsafe impl Sync for Pooled where StoreView: Sync {}

/// Places without views.
#[allow(clippy::vec_box, reason = "places stay at their addresses")]
struct Places(Vec<Box<MaybeUninit<StoreView>>>);

thread_local! {
    static FREE: RefCell<Places> = const { RefCell::new(Places(Vec::new())) };
}

impl Pooled {
    #[inline]
    pub(super) fn new(view: StoreView) -> Pooled {
        let pop = |free: &RefCell<Places>| free.try_borrow_mut().ok()?.0.pop();
        let free = FREE.try_with(pop).ok().flatten();
        let place = match free {
            Some(mut place) => {
                place.write(view);
                place
            }
            None => Box::new(MaybeUninit::new(view)),
        };
        Pooled(NonNull::from(Box::leak(place)).cast())
    }
}

impl Drop for Pooled {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the place has a view, and belongs to this value alone.
        let place = unsafe {
            self.0.as_ptr().drop_in_place();
            Box::from_raw(self.0.as_ptr().cast::<MaybeUninit<StoreView>>())
        };
        let keep = |free: &RefCell<Places>| {
            if let Ok(mut free) = free.try_borrow_mut()
                && free.0.len() < KEPT
            {
                free.0.push(place);
            }
        };
        // Otherwise the place is freed.
        let _ = FREE.try_with(keep);
    }
}

impl Deref for Pooled {
    type Target = StoreView;

    #[inline]
    fn deref(&self) -> &StoreView {
        // SAFETY: the place has a view while this value lives.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for Pooled {
    #[inline]
    fn clone(&self) -> Pooled {
        Pooled::new((**self).clone())
    }
}
