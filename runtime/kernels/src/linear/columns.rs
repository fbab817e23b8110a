//! The product of a matrix and a vector, for matrices whose columns are denser than their rows.
//!
//! The matrix is read term by term, in place. Each term is a run of neighbouring elements, one for
//! each result of a panel. The running results of the panel, [`LANES`] for each, stay in the L1
//! cache. Terms are added in the order of [`order`](crate::order).

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::mem::MaybeUninit;
use std::slice;

use super::fetch::fetch;
use super::operands::{Operands, dense};
use super::ring::Ring;
use crate::dtype::DType;
use crate::order::{BLOCK, LANES, gather, join_lanes};
use crate::simd::{Vectorised, vectorised_or};

/// The number of results of one panel: with `f64`, their lanes take 16 KiB.
const PANEL: usize = 256;

/// The number of terms of one lane that are added for one load and store of its running results.
const TOGETHER: usize = 4;

/// The number of bytes of a term from which it is worth its own stream.
const LONG: usize = 768;

/// The number of bytes between a read and its prefetch.
const AHEAD: usize = 2048;

/// The number of terms between a read and its prefetch, if terms are not adjacent.
const TERMS_AHEAD: usize = 16;

/// The number of elements of a run that are added at a time.
const CHUNK: usize = 16;

/// Runs shorter than this are read several at a time as one, if they are adjacent.
const SHORT: usize = 16;

/// The number of columns whose running results fit in registers: with `f64`, a register of AVX-512
/// for each lane.
const STRIP: usize = 8;

/// The number of terms for which the vector's elements are repeated at a time, once for each
/// element of a short run.
const REPEATED: usize = 64;

/// Running results, aligned to a cache line.
#[repr(align(64))]
struct Lanes<T>([T; LANES * PANEL]);

/// # Safety
/// The promises of the operands' tiles must hold, and the tiles must be of type `T`.
pub(super) unsafe fn by_columns<T: Ring>(operands: &Operands) {
    let mut lanes = Lanes([const { MaybeUninit::<T>::uninit() }; LANES * PANEL]);
    let lanes = &mut lanes.0;
    for first in (0..operands.rows).step_by(PANEL) {
        let width = PANEL.min(operands.rows - first);
        for slot in &mut lanes[..LANES * width] {
            slot.write(T::ZERO);
        }
        // SAFETY: these were written, and `MaybeUninit<T>` is laid out as `T`.
        let lanes =
            unsafe { slice::from_raw_parts_mut(lanes.as_mut_ptr().cast::<T>(), LANES * width) };
        let at = operands.a.wrapping_offset(first as isize * operands.down);
        // SAFETY: the caller's promise.
        unsafe {
            panel(operands, at, lanes, width);
            for (w, &result) in lanes[..width].iter().enumerate() {
                operands.write(first + w, result);
            }
        }
    }
}

/// Computes the results of a panel of `width` rows of the matrix, starting at `at`, in the first
/// lane.
///
/// # Safety
/// See [`by_columns`].
unsafe fn panel<T: Ring>(operands: &Operands, at: *const u8, lanes: &mut [T], width: usize) {
    let blocks = operands.terms.div_ceil(BLOCK);
    // Level `l` holds the results of 2^l blocks, joined like the carries of a binary counter.
    let mut levels: Vec<T> = match blocks {
        0 | 1 => Vec::new(),
        _ => vec![T::ZERO; width * (usize::BITS - blocks.leading_zeros()) as usize],
    };
    let mut x_scratch = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    for number in 0..blocks {
        let start = number * BLOCK;
        let count = BLOCK.min(operands.terms - start);
        let offset = |step: isize| step * start as isize;
        let x = operands.x.wrapping_offset(offset(operands.x_step));
        // SAFETY: the caller's promise; the block lies in the vector.
        let x = unsafe { dense(x, operands.x_step, &mut x_scratch[..count]) };
        let block = Block {
            at: at.wrapping_offset(offset(operands.right)),
            across: operands.down,
            along: operands.right,
            x,
            lanes: &mut *lanes,
            width,
            is_near: Operands::are_near(operands.terms, operands.right),
        };
        vectorised_or(block, Block::scalar);
        if blocks == 1 {
            return;
        }
        let mut level = 0;
        while number >> level & 1 == 1 {
            join(&mut lanes[..width], &levels[level * width..]);
            level += 1;
        }
        levels[level * width..][..width].copy_from_slice(&lanes[..width]);
    }
    let mut is_first = true;
    for level in 0..(usize::BITS - blocks.leading_zeros()) as usize {
        if blocks >> level & 1 == 1 {
            let earlier = &levels[level * width..][..width];
            match is_first {
                true => lanes[..width].copy_from_slice(earlier),
                false => join(&mut lanes[..width], earlier),
            }
            is_first = false;
        }
    }
}

/// Adds the results of later blocks to those of earlier ones.
fn join<T: Ring>(later: &mut [T], earlier: &[T]) {
    for (later, &earlier) in later.iter_mut().zip(earlier) {
        *later = earlier.sum(*later);
    }
}

/// At most [`BLOCK`] terms of a panel, whose results are computed in the first lane.
struct Block<'a, T> {
    /// The first element of the first term.
    at: *const u8,
    /// The step between results in bytes.
    across: isize,
    /// The step between terms in bytes.
    along: isize,
    /// The vector's element of each term.
    x: &'a [T],
    /// The running results of each lane, for each result.
    lanes: &'a mut [T],
    width: usize,
    /// Whether all terms fit in the L2 cache.
    is_near: bool,
}

impl<T: Ring> Vectorised for Block<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let size = size_of::<T>() as isize;
        let is_float = const { matches!(T::DTYPE, DType::F32 | DType::F64) };
        if is_float && self.is_near && self.across == size && self.width >= STRIP {
            // SAFETY: the promises made for the tiles; the elements of a term are contiguous.
            return unsafe { self.add_strips() };
        }
        self.clear();
        let is_flat = self.along == size * self.width as isize && self.width < SHORT;
        if is_float && self.across == size && is_flat {
            // SAFETY: the promises made for the tiles; the terms are adjacent.
            unsafe { self.add_flat() };
        } else if self.across == size {
            // SAFETY: the promises made for the tiles; the elements of a term are contiguous.
            unsafe { self.add_dense() };
        } else {
            // SAFETY: the promises made for the tiles.
            unsafe { self.add_gathered() };
        }
        self.join_lanes();
    }
}

impl<T: Ring> Block<'_, T> {
    #[inline(always)]
    fn clear(&mut self) {
        self.lanes.fill(T::ZERO);
    }

    #[inline(always)]
    fn term(&self, number: usize) -> *const T {
        let at = self.at.wrapping_offset(number as isize * self.along);
        at.cast::<T>()
    }

    /// Adds terms of contiguous elements, one after the other. The prefetcher sees one stream.
    ///
    /// # Safety
    /// The terms must exist.
    #[inline(always)]
    unsafe fn add_dense(&mut self) {
        let (count, width) = (self.x.len(), self.width);
        let lanes = self.lanes[..LANES * width].as_mut_ptr();
        let mut number = 0;
        // Long terms are streams of their own. Adding several of a lane at a time saves loads and
        // stores of its running results.
        let bytes = width * size_of::<T>();
        let is_apart = self.along.unsigned_abs() > bytes;
        while bytes >= LONG && number + TOGETHER * LANES <= count {
            let mut lane = 0;
            while lane < LANES {
                let mut terms = [self.term(number + lane); TOGETHER];
                let mut factors = [self.x[number + lane]; TOGETHER];
                let mut row = 0;
                while row < TOGETHER {
                    let ahead = number + lane + (row + TOGETHER) * LANES;
                    fetch(self.term(ahead).cast(), bytes);
                    terms[row] = self.term(number + lane + row * LANES);
                    factors[row] = self.x[number + lane + row * LANES];
                    row += 1;
                }
                // SAFETY: the lane and each term have `width` elements.
                unsafe { add_terms(lanes.add(lane * width), terms, factors, width) };
                lane += 1;
            }
            number += TOGETHER * LANES;
        }
        while number < count {
            match is_apart {
                true => fetch(self.term(number + TERMS_AHEAD).cast(), bytes),
                false => fetch(self.term(number).cast::<u8>().wrapping_add(AHEAD), bytes),
            }
            // SAFETY: the lane and the term have `width` elements.
            unsafe {
                let to = lanes.add(number % LANES * width);
                add_terms(to, [self.term(number)], [self.x[number]], width);
            }
            number += 1;
        }
    }

    /// Computes the results of a few columns at a time, whose running results stay in registers.
    ///
    /// # Safety
    /// The terms must exist and have contiguous elements, at least [`STRIP`].
    #[inline(always)]
    unsafe fn add_strips(&mut self) {
        let mut at = 0;
        while at < self.width {
            // The last strip may compute results a second time.
            let from = at.min(self.width - STRIP);
            // SAFETY: the caller's promise; the strip ends at `width`.
            unsafe { self.add_strip(from) };
            at += STRIP;
        }
    }

    /// Computes the results of the [`STRIP`] columns from `at` on, in the first lane.
    ///
    /// # Safety
    /// The terms must exist, and have these contiguous elements.
    #[inline(always)]
    unsafe fn add_strip(&mut self, at: usize) {
        let (x, count) = (self.x, self.x.len());
        let mut sums = [[T::ZERO; STRIP]; LANES];
        let mut number = 0;
        while number + LANES <= count {
            let mut lane = 0;
            while lane < LANES {
                // SAFETY: the caller's promise.
                let term = unsafe { self.strip(number + lane, at) };
                let factor = x[number + lane];
                let mut one = 0;
                while one < STRIP {
                    sums[lane][one] = sums[lane][one].sum(term[one].product(factor));
                    one += 1;
                }
                lane += 1;
            }
            number += LANES;
        }
        // The lane is not taken from `number`: a constant one keeps the sums in registers.
        let mut lane = 0;
        while lane < LANES - 1 {
            if number + lane < count {
                // SAFETY: the caller's promise.
                let term = unsafe { self.strip(number + lane, at) };
                let factor = x[number + lane];
                let mut one = 0;
                while one < STRIP {
                    sums[lane][one] = sums[lane][one].sum(term[one].product(factor));
                    one += 1;
                }
            }
            lane += 1;
        }
        let total = join_lanes(sums, |mut low: [T; STRIP], high| {
            let mut one = 0;
            while one < STRIP {
                low[one] = low[one].sum(high[one]);
                one += 1;
            }
            low
        });
        self.lanes[at..at + STRIP].copy_from_slice(&total);
    }

    /// Returns the [`STRIP`] elements of a term from `at` on.
    ///
    /// # Safety
    /// The term must exist, and have these contiguous elements.
    #[inline(always)]
    unsafe fn strip(&self, number: usize, at: usize) -> [T; STRIP] {
        // SAFETY: the caller's promise.
        unsafe { self.term(number).add(at).cast::<[T; STRIP]>().read() }
    }

    /// Adds terms of few elements, which are adjacent. The terms of all lanes are one run.
    ///
    /// # Safety
    /// The terms must exist, be dense, and have fewer than [`SHORT`] elements.
    #[inline(always)]
    unsafe fn add_flat(&mut self) {
        let (count, width) = (self.x.len(), self.width);
        let mut factors = [T::ZERO; (REPEATED + 1) * SHORT];
        let mut from = 0;
        while from + LANES <= count {
            let until = count.min(from + REPEATED);
            let groups = (until - from) / LANES;
            let x = self.x[from..until].as_ptr();
            let terms = self.term(from);
            let sums = self.lanes[..LANES * width].as_mut_ptr();
            // SAFETY: the terms of all lanes are `width * LANES` elements, in each group. There is
            // room for as many factors.
            unsafe {
                let factors = factors.as_mut_ptr();
                match width {
                    1 => flat::<T, 1>(x, terms, sums, factors, groups),
                    2 => flat::<T, 2>(x, terms, sums, factors, groups),
                    3 => flat::<T, 3>(x, terms, sums, factors, groups),
                    4 => flat::<T, 4>(x, terms, sums, factors, groups),
                    5 => flat::<T, 5>(x, terms, sums, factors, groups),
                    6 => flat::<T, 6>(x, terms, sums, factors, groups),
                    7 => flat::<T, 7>(x, terms, sums, factors, groups),
                    8 => flat::<T, 8>(x, terms, sums, factors, groups),
                    _ => {
                        repeat_over::<T, SHORT>(x, groups * LANES, width, factors);
                        let mut group = 0;
                        while group < groups {
                            let run = group * LANES * width;
                            add_group(terms.add(run), factors.add(run), sums, width);
                            group += 1;
                        }
                    }
                }
            }
            from += groups * LANES;
        }
        while from < count {
            let to = self.lanes[from % LANES * width..][..width].as_mut_ptr();
            // SAFETY: the lane and the term have `width` elements.
            unsafe { add_terms(to, [self.term(from)], [self.x[from]], width) };
            from += 1;
        }
    }

    /// Adds terms whose elements are not contiguous, after copying them.
    ///
    /// # Safety
    /// The terms must exist.
    #[inline(always)]
    unsafe fn add_gathered(&mut self) {
        let width = self.width;
        let mut scratch = [const { MaybeUninit::<T>::uninit() }; PANEL];
        let mut number = 0;
        while number < self.x.len() {
            let at = self.term(number).cast::<u8>();
            let to = self.lanes[number % LANES * width..][..width].as_mut_ptr();
            // SAFETY: the term has `width` elements, and so have the lane and the copy.
            unsafe {
                let term = gather::<T>(at, self.across, &mut scratch[..width]);
                add_terms(to, [term.as_ptr()], [self.x[number]], width);
            }
            number += 1;
        }
    }

    /// Adds the lanes as a tree.
    #[inline(always)]
    fn join_lanes(&mut self) {
        let mut half = LANES / 2;
        while half > 0 {
            let (low, high) = self.lanes.split_at_mut(half * self.width);
            for (low, &high) in low.iter_mut().zip(&*high) {
                *low = low.sum(high);
            }
            half /= 2;
        }
    }

    /// Adds the terms without vectors, one by one: small code for machines without such vector
    /// units.
    fn scalar(mut self) {
        self.clear();
        for (number, &factor) in self.x.iter().enumerate() {
            let mut at = self.term(number).cast::<u8>();
            for sum in &mut self.lanes[number % LANES * self.width..][..self.width] {
                // SAFETY: the promise made for the matrix.
                *sum = sum.sum(unsafe { at.cast::<T>().read() }.product(factor));
                at = at.wrapping_offset(self.across);
            }
        }
        self.join_lanes();
    }
}

/// Adds products of terms' elements and factors to running results, one term after the other.
///
/// # Safety
/// There must be `width` results, and as many elements of each term.
#[inline(always)]
unsafe fn add_terms<T: Ring, const R: usize>(
    to: *mut T,
    terms: [*const T; R],
    factors: [T; R],
    width: usize,
) {
    let mut at = 0;
    // SAFETY: the caller's promise; chunks end at `width`.
    unsafe {
        while at + CHUNK <= width {
            add_chunk::<T, R, CHUNK>(to, terms, factors, at);
            at += CHUNK;
        }
        while at + CHUNK / 4 <= width {
            add_chunk::<T, R, { CHUNK / 4 }>(to, terms, factors, at);
            at += CHUNK / 4;
        }
        while at < width {
            add_chunk::<T, R, 1>(to, terms, factors, at);
            at += 1;
        }
    }
}

/// Adds a chunk. It takes elements by value, so that results and terms need not be known to be
/// disjoint.
///
/// # Safety
/// There must be `C` elements from `at` on.
#[inline(always)]
unsafe fn add_chunk<T: Ring, const R: usize, const C: usize>(
    to: *mut T,
    terms: [*const T; R],
    factors: [T; R],
    at: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let to = to.add(at).cast::<[T; C]>();
        let mut sum = to.read();
        let mut row = 0;
        while row < R {
            let term = terms[row].add(at).cast::<[T; C]>().read();
            let mut one = 0;
            while one < C {
                sum[one] = sum[one].sum(term[one].product(factors[row]));
                one += 1;
            }
            row += 1;
        }
        to.write(sum);
    }
}

/// Adds groups of [`LANES`] terms of `W` elements, whose running results stay in registers.
///
/// # Safety
/// `x` must have `groups * LANES` elements. `terms` must have `W` elements for each of them, and
/// `factors` must have room for as many.
#[inline(always)]
unsafe fn flat<T: Ring, const W: usize>(
    x: *const T,
    terms: *const T,
    sums: *mut T,
    factors: *mut T,
    groups: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut number = 0;
        while number < groups * LANES {
            let factor = x.add(number).read();
            let mut one = 0;
            while one < W {
                factors.add(number * W + one).write(factor);
                one += 1;
            }
            number += 1;
        }
        let sums = sums.cast::<[[T; LANES]; W]>();
        let mut total = sums.read();
        let mut group = 0;
        while group < groups {
            let terms = terms.add(group * LANES * W).cast::<[T; LANES]>();
            let factors = factors.add(group * LANES * W).cast::<[T; LANES]>();
            let mut run = 0;
            while run < W {
                let (term, factor) = (terms.add(run).read(), factors.add(run).read());
                let mut one = 0;
                while one < LANES {
                    total[run][one] = total[run][one].sum(term[one].product(factor[one]));
                    one += 1;
                }
                run += 1;
            }
            group += 1;
        }
        sums.write(total);
    }
}

/// Adds one group of [`LANES`] terms of `width` elements.
///
/// # Safety
/// There must be `width * LANES` elements, factors and running results.
#[inline(always)]
unsafe fn add_group<T: Ring>(terms: *const T, factors: *const T, sums: *mut T, width: usize) {
    let mut run = 0;
    while run < width {
        // SAFETY: the caller's promise.
        unsafe {
            let to = sums.cast::<[T; LANES]>().add(run);
            let mut sum = to.read();
            let term = terms.cast::<[T; LANES]>().add(run).read();
            let factor = factors.cast::<[T; LANES]>().add(run).read();
            let mut one = 0;
            while one < LANES {
                sum[one] = sum[one].sum(term[one].product(factor[one]));
                one += 1;
            }
            to.write(sum);
        }
        run += 1;
    }
}

/// Repeats each element of `x` `width` times. It writes `W` copies, and the next element overwrites
/// the excess.
///
/// # Safety
/// There must be `count` elements, and room for `count * width + W`.
#[inline(always)]
unsafe fn repeat_over<T: Ring, const W: usize>(
    x: *const T,
    count: usize,
    width: usize,
    to: *mut T,
) {
    let mut number = 0;
    while number < count {
        // SAFETY: the caller's promise.
        unsafe {
            to.add(number * width)
                .cast::<[T; W]>()
                .write([x.add(number).read(); W])
        };
        number += 1;
    }
}
