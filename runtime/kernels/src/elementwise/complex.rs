//! Conversions of complex numbers.

#![allow(unsafe_code, reason = "calls loops over the parts of complex numbers")]

use super::cast_block;
use super::loops::map1;
use crate::chain::Block;
use crate::dtype::{CastFrom, DType, Element, with_complex, with_element};
use crate::nest::Run;

/// Returns the loop that converts to or from a complex type, except for copies.
pub(super) fn cast_complex(from: DType, to: DType) -> Block<2> {
    match (from.is_complex(), to) {
        (true, DType::Bool) => with_complex!(from, T => map1(|z: T| z.is_true()),
            else unreachable!("{from} is complex")),
        (true, to) if to.is_complex() => {
            with_complex!(from, T => with_complex!(to, U => map1(|z: T| U::cast_from(z)),
                else unreachable!("{to} is complex")), else unreachable!("{from} is complex"))
        }
        // The real part comes first, and only it is read.
        (true, to) => with_element!(to, U => with_complex!(from, T => |run| {
            // SAFETY: the block's promise.
            unsafe { cast_block(T::DTYPE.real(), U::DTYPE)(run) }
        }, else unreachable!("{from} is complex"))),
        _ => with_element!(from, T => with_complex!(to, U => |run| {
            // SAFETY: the block's promise.
            unsafe { to_complex(run, T::DTYPE, U::DTYPE.real()) }
        }, else unreachable!("{to} is complex"))),
    }
}

/// Converts to the real parts, and sets the imaginary parts to 0.
///
/// # Safety
/// As for a [`Block`] from `from` to the complex type with parts of type `part`.
unsafe fn to_complex(run: Run<2>, from: DType, part: DType) {
    // SAFETY: the caller's promise: parts are `part` bytes apart. An element that is written in
    // place has the size of the complex number, and its real part is written after it was read.
    unsafe {
        cast_block(from, part)(run);
        for i in 0..run.count as isize {
            let re = run.at[1].wrapping_offset(run.steps[1] * i);
            re.wrapping_add(part.size()).write_bytes(0, part.size());
        }
    }
}
