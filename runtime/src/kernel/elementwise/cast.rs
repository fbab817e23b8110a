//! Conversion of the element type, and copies.

#![allow(unsafe_code, reason = "copies between the addresses of two tiles")]

use super::loops::map1;
use crate::dtype::{CastFrom, with_element};
use crate::kernel::Tile;
use crate::kernel::nest::{Nest, Run};

/// `out = input`, converted to the type of `out` as [`Scalar::cast`](crate::dtype::Scalar::cast) does.
///
/// # Panics
/// Unless the shapes are equal.
pub fn cast(input: &Tile, out: &Tile) {
    if input.dtype() == out.dtype() {
        return copy(input, out);
    }
    let nest = Nest::new([input, out]);
    with_element!(input.dtype(), T => with_element!(out.dtype(), U => map1(&nest, |x: T| U::cast_from(x))));
}

/// `out = input`, bit by bit.
///
/// # Panics
/// Unless the shapes and types are equal.
pub fn copy(input: &Tile, out: &Tile) {
    assert_eq!(input.dtype(), out.dtype(), "a copy keeps the type");
    let nest = Nest::new([input, out]);
    match out.dtype().size() {
        1 => copy_words::<u8>(&nest),
        4 => copy_words::<u32>(&nest),
        _ => copy_words::<u64>(&nest),
    }
}

/// Copies elements of the size of `W`.
fn copy_words<W: Copy>(nest: &Nest<2>) {
    let size = size_of::<W>() as isize;
    nest.for_each_run(&mut |run| {
        let Run {
            at: [mut from, mut to],
            steps: [from_step, to_step],
            count,
        } = run;
        // SAFETY: by the promises made for the tiles; a run stays inside them. `ptr::copy` allows input and output to
        // be the same view.
        unsafe {
            if from_step == size && to_step == size {
                std::ptr::copy(from.cast::<W>(), to.cast::<W>(), count);
                return;
            }
            for _ in 0..count {
                to.cast::<W>().write(from.cast::<W>().read());
                from = from.wrapping_offset(from_step);
                to = to.wrapping_offset(to_step);
            }
        }
    });
}
