//! Selections by a mask, and constants.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::marker::PhantomData;

use super::loops::{input, output, over, with_word};
use crate::Tile;
use crate::chain::Block;
use crate::dtype::{DType, Scalar, with_element};
use crate::nest::{Nest, Run};
use crate::simd::{Vectorised, vectorised};

/// Computes `out = condition ? a : b`, element by element (NumPy's `where`).
///
/// # Panics
/// Panics unless the shapes are equal, the condition is `bool`, and `a`, `b` and `out` have one
/// type.
pub fn select(condition: &Tile, a: &Tile, b: &Tile, out: &mut Tile) {
    assert_eq!(condition.dtype(), DType::Bool, "a condition is bool");
    assert_eq!(a.dtype(), out.dtype(), "a choice keeps the type");
    assert_eq!(b.dtype(), out.dtype(), "a choice keeps the type");
    over([condition, a, b, out], select_block(out.dtype()));
}

/// Returns the loop over (condition, a, b, out) that chooses elements of type `dtype`. The
/// condition is `bool`.
pub(crate) fn select_block(dtype: DType) -> Block<4> {
    with_word!(dtype, W => |run| vectorised(Select::<W>(run, PhantomData)))
}

/// The selection for elements of the size of `W`.
struct Select<W>(Run<4>, PhantomData<W>);

impl<W: Copy> Vectorised for Select<W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Run {
            at: [condition, a, b, out],
            steps,
            count,
        } = self.0;
        let size = size_of::<W>() as isize;
        // SAFETY: the block's promise. Slices are created only of operands that are not the output.
        // An input that is the output is read through it.
        unsafe {
            let is_true = |i: usize| condition.add(i).read() != 0;
            let at = |operand: *mut u8, i: usize| operand.cast::<W>().add(i);
            let choose = |i: usize, a: W, b: W| at(out, i).write(if is_true(i) { a } else { b });
            match steps {
                [1, x, y, z]
                    if x == size && y == size && z == size && ![condition, a, b].contains(&out) =>
                {
                    let condition = input::<u8>(condition, count);
                    let (a, b) = (input::<W>(a, count), input::<W>(b, count));
                    let choices = condition.iter().zip(a).zip(b);
                    for (out, ((&condition, &a), &b)) in output(out, count).iter_mut().zip(choices)
                    {
                        out.write(if condition != 0 { a } else { b });
                    }
                }
                [1, x, y, z] if x == size && y == size && z == size => {
                    for i in 0..count {
                        choose(i, at(a, i).read(), at(b, i).read());
                    }
                }
                [1, 0, y, z] if y == size && z == size => {
                    let a = a.cast::<W>().read();
                    for i in 0..count {
                        choose(i, a, at(b, i).read());
                    }
                }
                [1, x, 0, z] if x == size && z == size => {
                    let b = b.cast::<W>().read();
                    for i in 0..count {
                        choose(i, at(a, i).read(), b);
                    }
                }
                [1, 0, 0, z] if z == size => {
                    let (a, b) = (a.cast::<W>().read(), b.cast::<W>().read());
                    for i in 0..count {
                        choose(i, a, b);
                    }
                }
                _ => select_strided::<W>(self.0),
            }
        }
    }
}

/// # Safety
/// See [`Block`].
unsafe fn select_strided<W: Copy>(run: Run<4>) {
    let Run {
        at: [condition, a, b, out],
        steps,
        count,
    } = run;
    for i in 0..count as isize {
        let at = |operand: *mut u8, step: isize| operand.wrapping_offset(step * i);
        // SAFETY: the caller's promise.
        unsafe {
            let chosen = if at(condition, steps[0]).read() != 0 {
                at(a, steps[1])
            } else {
                at(b, steps[2])
            };
            at(out, steps[3])
                .cast::<W>()
                .write(chosen.cast::<W>().read());
        }
    }
}

/// Sets `out = values` where the mask is true. The other elements of `out` keep their value.
///
/// # Panics
/// Panics unless the shapes are equal, the mask is `bool`, and `values` and `out` have one type.
pub fn putmask(mask: &Tile, values: &Tile, out: &mut Tile) {
    assert_eq!(mask.dtype(), DType::Bool, "a mask is bool");
    assert_eq!(
        values.dtype(),
        out.dtype(),
        "a masked assignment keeps the type"
    );
    let block: Block<3> = with_word!(out.dtype(), W => putmask_words::<W>);
    over([mask, values, out], block);
}

/// Assigns elements of the size of `W` over (mask, values, out).
///
/// # Safety
/// See [`Block`].
unsafe fn putmask_words<W: Copy>(run: Run<3>) {
    let Run {
        at: [mask, values, out],
        steps,
        count,
    } = run;
    for i in 0..count as isize {
        // SAFETY: the caller's promise.
        unsafe {
            if mask.wrapping_offset(steps[0] * i).read() != 0 {
                let value = values.wrapping_offset(steps[1] * i).cast::<W>().read();
                out.wrapping_offset(steps[2] * i).cast::<W>().write(value);
            }
        }
    }
}

/// Sets all elements of `out` to `scalar`, cast to the type of `out`.
pub fn fill(scalar: Scalar, out: &mut Tile) {
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

/// Sets all elements of `out` to the first element of `value`, cast to the type of `out`.
///
/// # Panics
/// Panics if the value has no elements, but the output has.
pub fn fill_from(value: &Tile, out: &mut Tile) {
    if out.layout().shape.is_empty() {
        return;
    }
    assert!(!value.layout().shape.is_empty(), "a value to fill with");
    let scalar: Scalar = with_element!(value.dtype(), T => {
        // SAFETY: by the promises made for the tiles. The tile has elements, of which this is the
        // first.
        let first: T = unsafe { value.first().cast::<T>().read() };
        first.into()
    });
    fill(scalar, out);
}
