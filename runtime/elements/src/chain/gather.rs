//! Gathering and scattering of a block's elements.

#![allow(
    unsafe_code,
    reason = "copies between the addresses of tiles and of scratch memory"
)]

/// A box of elements: the rounds and the steps in bytes of its loops, the innermost last. There is
/// at least one loop.
#[derive(Clone, Copy)]
pub(super) struct Strides<'a> {
    pub(super) counts: &'a [usize],
    pub(super) steps: &'a [isize],
}

/// Copies elements of `size` bytes, with the layout `from`, to contiguous memory at `to`.
///
/// # Safety
/// The elements must be initialised, and aligned to `size` up to 8. `to` must have room for all of
/// them. Nothing else may write them at the same time.
pub(super) unsafe fn gather(at: *const u8, from: Strides<'_>, size: usize, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => gather_words::<u8>(at, from, to.cast()).cast::<u8>(),
            2 => gather_words::<u16>(at, from, to.cast()).cast::<u8>(),
            4 => gather_words::<u32>(at, from, to.cast()).cast::<u8>(),
            8 => gather_words::<u64>(at, from, to.cast()).cast::<u8>(),
            _ => gather_words::<[u64; 2]>(at, from, to.cast()).cast::<u8>(),
        };
    }
}

/// Copies elements that are `step` bytes apart at `from` to memory with the layout `to`.
///
/// # Safety
/// As for [`gather`], in the other direction. `step` must be `size` or 0.
pub(super) unsafe fn scatter(
    from: *const u8,
    step: isize,
    at: *mut u8,
    to: Strides<'_>,
    size: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match size {
            1 => scatter_words::<u8>(from, step, at, to),
            2 => scatter_words::<u16>(from, step, at, to),
            4 => scatter_words::<u32>(from, step, at, to),
            8 => scatter_words::<u64>(from, step, at, to),
            _ => scatter_words::<[u64; 2]>(from, step, at, to),
        };
    }
}

/// Returns the address for the next element.
///
/// # Safety
/// See [`gather`].
unsafe fn gather_words<W: Copy>(mut at: *const u8, from: Strides<'_>, mut to: *mut W) -> *mut W {
    let size = size_of::<W>() as isize;
    // SAFETY: the caller's promise.
    unsafe {
        match (from.counts, from.steps) {
            (&[count], &[step]) if step == size => {
                std::ptr::copy_nonoverlapping(at.cast::<W>(), to, count);
                to.add(count)
            }
            (&[count], &[step]) if step == -size => {
                let last = at.cast::<W>().sub(count - 1);
                for i in 0..count {
                    to.add(i).write(last.add(count - 1 - i).read());
                }
                to.add(count)
            }
            (&[count], &[0]) => {
                let word = at.cast::<W>().read();
                for i in 0..count {
                    to.add(i).write(word);
                }
                to.add(count)
            }
            (&[count], &[step]) => {
                for i in 0..count {
                    to.add(i).write(at.cast::<W>().read());
                    at = at.wrapping_offset(step);
                }
                to.add(count)
            }
            // Short rows.
            (&[rows, count], &[down, right]) if right == size => {
                for _ in 0..rows {
                    let from = at.cast::<W>();
                    for i in 0..count {
                        to.add(i).write(from.add(i).read());
                    }
                    to = to.add(count);
                    at = at.wrapping_offset(down);
                }
                to
            }
            (&[rows, count], &[down, right]) => {
                for _ in 0..rows {
                    let mut from = at;
                    for i in 0..count {
                        to.add(i).write(from.cast::<W>().read());
                        from = from.wrapping_offset(right);
                    }
                    to = to.add(count);
                    at = at.wrapping_offset(down);
                }
                to
            }
            (&[rows, ref counts @ ..], &[down, ref steps @ ..]) => {
                for _ in 0..rows {
                    to = gather_words(at, Strides { counts, steps }, to);
                    at = at.wrapping_offset(down);
                }
                to
            }
            _ => to,
        }
    }
}

/// Returns the address of the next element.
///
/// # Safety
/// See [`scatter`].
unsafe fn scatter_words<W: Copy>(
    mut from: *const u8,
    step: isize,
    mut at: *mut u8,
    to: Strides<'_>,
) -> *const u8 {
    // SAFETY: the caller's promise.
    unsafe {
        match (to.counts, to.steps) {
            (&[count], &[right]) => {
                if step == size_of::<W>() as isize {
                    let from = from.cast::<W>();
                    for i in 0..count {
                        at.cast::<W>().write(from.add(i).read());
                        at = at.wrapping_offset(right);
                    }
                } else {
                    let word = from.cast::<W>().read();
                    for _ in 0..count {
                        at.cast::<W>().write(word);
                        at = at.wrapping_offset(right);
                    }
                }
                from.wrapping_offset(step * count as isize)
            }
            (&[rows, ref counts @ ..], &[down, ref steps @ ..]) => {
                for _ in 0..rows {
                    from = scatter_words::<W>(from, step, at, Strides { counts, steps });
                    at = at.wrapping_offset(down);
                }
                from
            }
            _ => from,
        }
    }
}
