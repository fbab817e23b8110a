//! Conversions of the elements of a line, from one operand to another.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use crate::simd::{Vectorised, vectorised};

/// Sets `count` values from `to` on to what `make` returns for the elements from `from` on. Each is
/// an address and the distance to the next one in bytes.
///
/// # Safety
/// The elements are there, and room for the values. Nothing else accesses them meanwhile. Both may
/// be the same if their types have one size.
#[inline(always)]
pub(super) unsafe fn convert<A: Copy, B>(
    (from, step): (*const u8, isize),
    (to, step_to): (*mut u8, isize),
    count: usize,
    make: impl Fn(A) -> B,
) {
    let is_dense = |step: isize, size| step == size as isize;
    if is_dense(step, size_of::<A>()) && is_dense(step_to, size_of::<B>()) {
        // Known distances make vector code.
        return vectorised(Dense {
            from: from.cast::<A>(),
            to: to.cast::<B>(),
            count,
            make,
        });
    }
    for at in 0..count as isize {
        let from = from.wrapping_offset(step * at).cast::<A>();
        let to = to.wrapping_offset(step_to * at).cast::<B>();
        // SAFETY: the caller's promise.
        unsafe { to.write(make(from.read())) };
    }
}

/// Implements [`convert`] without gaps, under its promises.
struct Dense<A, B, F> {
    from: *const A,
    to: *mut B,
    count: usize,
    make: F,
}

impl<A: Copy, B, F: Fn(A) -> B> Vectorised for Dense<A, B, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for at in 0..self.count {
            // SAFETY: by the promises made to `convert`.
            unsafe {
                let made = (self.make)(self.from.wrapping_add(at).read());
                self.to.wrapping_add(at).write(made);
            }
        }
    }
}
