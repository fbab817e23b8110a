//! Bits packed eight to a byte, and unpacked.

use std::mem::MaybeUninit;

use super::whole::{Lines, PART};
use crate::Tile;
use crate::dtype::DType;
use crate::nest::{Nest, Run};
use crate::part::Part;
use crate::simd::{Vectorised, vectorised};

/// The number of bits of a byte.
pub const BITS: usize = 8;

/// The bit of a byte that the first of eight elements has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOrder {
    /// The highest one.
    Big,
    /// The lowest one.
    Little,
}

/// Sets bits of `out` (`u8`) where elements of `input` are not 0, eight along the last axis to a
/// byte. The bits after the last element of a line are 0.
///
/// # Panics
/// Panics if there are no axes, or the shapes or types do not fit.
pub fn pack_bits(order: BitOrder, input: &Tile, out: &mut Tile) {
    let (_, step) = check(input, out);
    let (lines, mut buffer) = (Lines::apart([input]), [0; PART]);
    lines.each(&mut |outer, [at]| {
        let steps = outer.iter().enumerate();
        let moved: isize = steps
            .map(|(axis, n)| out.byte_stride(axis) * *n as isize)
            .sum();
        let line = out.first().wrapping_offset(moved);
        lines.each_part(at, &mut buffer, &mut |start, marks| {
            let (mut groups, rest) = marks.as_chunks::<BITS>();
            let mut start = start;
            if step == 1 && !groups.is_empty() {
                let to = line.wrapping_add(start / BITS).cast();
                // SAFETY: by the promises made for the tile, whose line has a byte for each eight
                // elements of the input's.
                let bytes = unsafe { std::slice::from_raw_parts_mut(to, groups.len()) };
                vectorised(Packing {
                    order,
                    groups,
                    bytes,
                });
                start += groups.len() * BITS;
                groups = &[];
            }
            let mut end = [0; BITS];
            end[..rest.len()].copy_from_slice(rest);
            let groups = groups.iter().chain((!rest.is_empty()).then_some(&end));
            for (n, group) in groups.enumerate() {
                let to = line.wrapping_offset(step * (start / BITS + n) as isize);
                // SAFETY: by the promises made for the tile, whose line has a byte for each eight
                // elements of the input's.
                unsafe { to.write(packed(order, *group)) };
            }
        });
    });
}

/// Returns marks of 0 or 1 as the bits of a byte.
#[inline(always)]
fn packed(order: BitOrder, marks: [u8; BITS]) -> u8 {
    let marks = match order {
        BitOrder::Big => u64::from_le_bytes(marks),
        BitOrder::Little => u64::from_be_bytes(marks),
    };
    // Each product of a mark and a bit of the factor has a place of its own, so nothing is carried.
    // The highest byte has that of mark `n` and bit `9 * (7 - n)` at `7 - n`.
    (marks.wrapping_mul(0x8040_2010_0804_0201) >> 56) as u8
}

/// Packs groups of marks into bytes without gaps. Both have the same length.
struct Packing<'a> {
    order: BitOrder,
    groups: &'a [[u8; BITS]],
    bytes: &'a mut [MaybeUninit<u8>],
}

impl Vectorised for Packing<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (byte, group) in self.bytes.iter_mut().zip(self.groups) {
            byte.write(packed(self.order, *group));
        }
    }
}

/// Unpacks bytes without gaps into groups of elements. Both have the same length.
struct Unpacking<'a> {
    order: BitOrder,
    bytes: &'a [u8],
    groups: &'a mut [MaybeUninit<[u8; BITS]>],
}

impl Vectorised for Unpacking<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        const ONES: u64 = u64::from_ne_bytes([1; BITS]);
        const BELOW_HIGHEST: u64 = u64::from_ne_bytes([0x7F; BITS]);
        let places = [0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01];
        let places = match self.order {
            BitOrder::Big => u64::from_le_bytes(places),
            BitOrder::Little => u64::from_be_bytes(places),
        };
        for (group, byte) in self.groups.iter_mut().zip(self.bytes) {
            // Each byte of the word keeps its own bit. The sum sets the highest bit if that bit is
            // set, and carries nothing to the next byte.
            let bits = u64::from(*byte).wrapping_mul(ONES) & places;
            let marks = ((bits + BELOW_HIGHEST) >> 7) & ONES;
            group.write(marks.to_le_bytes());
        }
    }
}

/// The bits of each byte, the highest one first.
static UNPACKED: [[u8; BITS]; 256] = {
    let (mut all, mut byte) = ([[0; BITS]; 256], 0);
    while byte < all.len() {
        let mut bit = 0;
        while bit < BITS {
            all[byte][bit] = (byte >> (BITS - 1 - bit)) as u8 & 1;
            bit += 1;
        }
        byte += 1;
    }
    all
};

/// Writes the bits of `input` (`u8`), each as 0 or 1, to `out` (`u8`): eight elements along the
/// last axis for each byte.
///
/// # Panics
/// Panics if there are no axes, or the shapes or types do not fit.
pub fn unpack_bits(order: BitOrder, input: &Tile, out: &mut Tile) {
    assert_eq!(input.dtype(), DType::U8, "bits are unpacked from bytes");
    let (last, step) = check(out, input);
    assert_eq!(out.dtype(), DType::U8, "bits are unpacked to bytes");
    assert_eq!(out.dims()[last], BITS * input.dims()[last], "all bits");
    let (count, wide) = (input.dims()[last], out.byte_stride(last));
    Nest::new([&input.without(last), &out.without(last)]).for_each_run(&mut |run: Run<2>| {
        for row in 0..run.count as isize {
            let [from, to] = [0, 1].map(|k| run.at[k].wrapping_offset(run.steps[k] * row));
            if step == 1 && wide == 1 && count > 0 {
                // SAFETY: by the promises made for the tiles, whose lines have these elements.
                let (bytes, groups) = unsafe {
                    (
                        std::slice::from_raw_parts(from, count),
                        std::slice::from_raw_parts_mut(to.cast(), count),
                    )
                };
                vectorised(Unpacking {
                    order,
                    bytes,
                    groups,
                });
                continue;
            }
            for n in 0..count as isize {
                // SAFETY: by the promises made for the tiles, whose lines have these elements.
                unsafe {
                    let byte = from.wrapping_offset(step * n).read();
                    let mut bits = UNPACKED[usize::from(byte)];
                    if order == BitOrder::Little {
                        bits.reverse();
                    }
                    let to = to.wrapping_offset(wide * BITS as isize * n);
                    for (bit, value) in bits.iter().enumerate() {
                        to.wrapping_offset(wide * bit as isize).write(*value);
                    }
                }
            }
        }
    });
}

/// Checks the shapes of elements and of their bytes. Returns the last axis, and the step of the
/// bytes along it.
fn check(elements: &Tile, bytes: &Tile) -> (usize, isize) {
    assert_eq!(bytes.dtype(), DType::U8, "bits are in bytes");
    let (Some((count, others)), Some((packed, same))) =
        (elements.dims().split_last(), bytes.dims().split_last())
    else {
        unreachable!("there is a last axis");
    };
    assert_eq!(others, same, "the other axes are the same");
    assert_eq!(count.div_ceil(BITS), *packed, "a byte for eight elements");
    (others.len(), bytes.byte_stride(others.len()))
}
