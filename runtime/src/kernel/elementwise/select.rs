//! Choices by a mask, and constants.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use crate::dtype::{DType, Element, Scalar, with_element};
use crate::kernel::Tile;
use crate::kernel::nest::{Nest, Run};

/// `out = condition ? a : b`, element by element (NumPy's `where`).
///
/// # Panics
/// Unless the shapes are equal, the condition is `bool`, and `a`, `b` and `out` have one type.
pub fn select(condition: &Tile, a: &Tile, b: &Tile, out: &Tile) {
    assert_eq!(condition.dtype(), DType::Bool, "a condition is bool");
    assert_eq!(a.dtype(), out.dtype(), "a choice keeps the type");
    assert_eq!(b.dtype(), out.dtype(), "a choice keeps the type");
    let nest = Nest::new([condition, a, b, out]);
    with_element!(out.dtype(), T => nest.for_each_run(&mut |run| select_run::<T>(run)));
}

fn select_run<T: Element>(run: Run<4>) {
    let Run {
        at: [condition, a, b, out],
        steps,
        count,
    } = run;
    let size = size_of::<T>() as isize;
    // SAFETY: by the promises made for the tiles; a run stays inside them.
    unsafe {
        if steps == [1, size, size, size] {
            for i in 0..count {
                let (a, b) = (a.cast::<T>().add(i).read(), b.cast::<T>().add(i).read());
                let chosen = if condition.cast::<bool>().add(i).read() {
                    a
                } else {
                    b
                };
                out.cast::<T>().add(i).write(chosen);
            }
            return;
        }
        for i in 0..count as isize {
            let at = |operand: *mut u8, step: isize| operand.wrapping_offset(step * i);
            let chosen = if at(condition, steps[0]).cast::<bool>().read() {
                at(a, steps[1])
            } else {
                at(b, steps[2])
            };
            at(out, steps[3])
                .cast::<T>()
                .write(chosen.cast::<T>().read());
        }
    }
}

/// `out = values` where the mask is true; the other elements of `out` keep their value.
///
/// # Panics
/// Unless the shapes are equal, the mask is `bool`, and `values` and `out` have one type.
pub fn putmask(mask: &Tile, values: &Tile, out: &Tile) {
    assert_eq!(mask.dtype(), DType::Bool, "a mask is bool");
    assert_eq!(
        values.dtype(),
        out.dtype(),
        "a masked assignment keeps the type"
    );
    let nest = Nest::new([mask, values, out]);
    with_element!(out.dtype(), T => nest.for_each_run(&mut |run| {
        let Run { at: [mask, values, out], steps, count } = run;
        for i in 0..count as isize {
            // SAFETY: by the promises made for the tiles; a run stays inside them.
            unsafe {
                if mask.wrapping_offset(steps[0] * i).cast::<bool>().read() {
                    let value = values.wrapping_offset(steps[1] * i).cast::<T>().read();
                    out.wrapping_offset(steps[2] * i).cast::<T>().write(value);
                }
            }
        }
    }));
}

/// `out = scalar`, cast to the type of `out`.
pub fn fill(scalar: Scalar, out: &Tile) {
    let nest = Nest::new([out]);
    with_element!(out.dtype(), T => {
        let value: T = scalar.to();
        nest.for_each_run(&mut |run| {
            let Run { at: [out], steps: [step], count } = run;
            // SAFETY: by the promises made for the tiles; a run stays inside them.
            unsafe {
                if step == size_of::<T>() as isize {
                    for i in 0..count {
                        out.cast::<T>().add(i).write(value);
                    }
                    return;
                }
                for i in 0..count as isize {
                    out.wrapping_offset(step * i).cast::<T>().write(value);
                }
            }
        });
    });
}
