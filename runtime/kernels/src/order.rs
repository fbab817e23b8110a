//! The order of terms in sums and other reductions.
//!
//! Floating-point addition is not associative, so the order is part of the result. It depends only
//! on the number of terms, not on their memory layout or the machine. Terms are cut into blocks of
//! [`BLOCK`]. In a block, term `i` goes to lane `i % LANES`, and lanes are added as a tree. Blocks
//! are added pairwise, like the carries of a binary counter.
//!
//! The error of a sum of `n` terms is at most
//! `(BLOCK / LANES + log2(LANES) + ceil(log2(n / BLOCK))) * u * S`, to first order, with `S` the
//! sum of their magnitudes and `u` half the distance from 1 to the next float. For products of two
//! terms there is one more `u`.

#![allow(unsafe_code, reason = "views the elements of a tile as slices")]

use std::mem::MaybeUninit;
use std::slice;

use super::nest::{Nest, Run};
use super::simd::{Vectorised, vectorised_or};
use crate::Tile;
use crate::dtype::Element;

/// The number of terms added up as one block.
pub(super) const BLOCK: usize = crate::chain::TERMS;

/// The number of interleaved running results in a block.
pub(super) const LANES: usize = 8;

/// The largest number of pairwise levels: enough for any array in memory.
const LEVELS: usize = 56;

/// A reduction of terms to an accumulator.
pub(super) trait Fold {
    /// The type of a term.
    type In: Copy;
    /// The type of the running result.
    type Acc: Copy;

    /// Whether a step takes so long that several blocks are folded at a time.
    const IS_SLOW: bool = false;

    /// Whether no bit of the result depends on the order of terms.
    const IS_ORDERLESS: bool = false;

    /// The result of no terms.
    const START: Self::Acc;

    /// Adds one more term.
    fn step(acc: Self::Acc, term: Self::In) -> Self::Acc;

    /// Joins two results, the earlier one first.
    fn join(a: Self::Acc, b: Self::Acc) -> Self::Acc;

    /// Does [`step`](Self::step) if no term of the block is [`odd`](Self::is_odd).
    #[inline(always)]
    fn plain_step(acc: Self::Acc, term: Self::In) -> Self::Acc {
        Self::step(acc, term)
    }

    /// Whether a term needs [`step`](Self::step).
    #[inline(always)]
    fn is_odd(_term: Self::In) -> bool {
        false
    }

    /// Returns the fold of all terms, in an order that makes quick code.
    #[inline(always)]
    fn in_any_order(terms: &[Self::In]) -> Self::Acc {
        let (mut acc, mut at) = (Self::START, 0);
        while at < terms.len() {
            acc = Self::step(acc, terms[at]);
            at += 1;
        }
        acc
    }
}

/// Joins the lanes of a block as a tree. It is written out: with a loop, the optimiser leaves the
/// lanes on the stack, where narrow loads wait for wide stores.
#[inline(always)]
pub(super) fn join_lanes<A: Copy>(lanes: [A; LANES], join: impl Fn(A, A) -> A) -> A {
    let [a, b, c, d, e, f, g, h] = lanes;
    let [a, b, c, d] = [join(a, e), join(b, f), join(c, g), join(d, h)];
    let [a, b] = [join(a, c), join(b, d)];
    join(a, b)
}

/// The results of blocks, joined pairwise as they arrive.
pub(super) struct Pairwise<A> {
    /// Level `l` holds the result of `2^l` blocks if bit `l` of the count is set.
    levels: [MaybeUninit<A>; LEVELS],
    count: u64,
}

impl<A: Copy> Pairwise<A> {
    pub(super) const fn new() -> Self {
        Pairwise {
            levels: [const { MaybeUninit::uninit() }; LEVELS],
            count: 0,
        }
    }

    /// Adds the result of the next block.
    #[inline]
    pub(super) fn push(&mut self, block: A, join: impl Fn(A, A) -> A) {
        let mut value = block;
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            // SAFETY: the bit is set, so the level was written.
            value = join(unsafe { self.levels[level].assume_init() }, value);
            level += 1;
        }
        self.levels[level].write(value);
        self.count += 1;
    }

    /// Returns the result of all blocks; `None` if there were none.
    #[inline]
    pub(super) fn finish(&self, join: impl Fn(A, A) -> A) -> Option<A> {
        let mut total = None;
        for level in 0..(u64::BITS - self.count.leading_zeros()) as usize {
            if self.count >> level & 1 == 1 {
                // SAFETY: the bit is set, so the level was written.
                let value = unsafe { self.levels[level].assume_init() };
                total = Some(total.map_or(value, |later| join(value, later)));
            }
        }
        total
    }
}

/// The fold of one block.
struct Block<'a, F: Fold>(&'a [F::In]);

impl<F: Fold> Vectorised for Block<'_, F> {
    type Output = F::Acc;

    #[inline(always)]
    fn run(self) -> F::Acc {
        if F::IS_ORDERLESS {
            return F::in_any_order(self.0);
        }
        // Written with indices, since iterators are not inlined into code for a vector unit.
        let mut lanes = [F::START; LANES];
        let (rows, rest) = self.0.as_chunks::<LANES>();
        // A word for each lane, as wide as a term: vectors of bytes would be packed in each step.
        let (mut odd, mut odd_wide) = ([0u32; LANES], [0u64; LANES]);
        let mut row = 0;
        while row < rows.len() {
            let terms = &rows[row];
            let mut lane = 0;
            while lane < LANES {
                lanes[lane] = F::plain_step(lanes[lane], terms[lane]);
                let is_odd = F::is_odd(terms[lane]);
                match const { size_of::<F::In>() == 8 } {
                    true => odd_wide[lane] |= u64::from(is_odd),
                    false => odd[lane] |= u32::from(is_odd),
                }
                lane += 1;
            }
            row += 1;
        }
        if odd != [0; LANES] || odd_wide != [0; LANES] {
            lanes = [F::START; LANES];
            row = 0;
            while row < rows.len() {
                let terms = &rows[row];
                let mut lane = 0;
                while lane < LANES {
                    lanes[lane] = F::step(lanes[lane], terms[lane]);
                    lane += 1;
                }
                row += 1;
            }
        }
        let mut lane = 0;
        while lane < rest.len() {
            lanes[lane] = F::step(lanes[lane], rest[lane]);
            lane += 1;
        }
        join_lanes(lanes, F::join)
    }
}

impl<F: Fold> Block<'_, F> {
    /// Folds without vectors, term by term: small code for machines without such vector units.
    fn scalar(self) -> F::Acc {
        let mut lanes = [F::START; LANES];
        for (i, &term) in self.0.iter().enumerate() {
            let lane = &mut lanes[i % LANES];
            *lane = F::step(*lane, term);
        }
        join_lanes(lanes, F::join)
    }
}

/// Folds at most [`BLOCK`] terms, or [`fold_length`] of a vector.
pub(super) fn fold_block<F: Fold>(block: &[F::In]) -> F::Acc {
    vectorised_or(Block::<F>(block), Block::scalar)
}

/// Returns the number of terms of a vector that are folded at a time: more than a block if their
/// order does not matter, since the fold of a few bytes costs less than its call.
pub(super) const fn fold_length<F: Fold>() -> usize {
    if F::IS_ORDERLESS { 16 * BLOCK } else { BLOCK }
}

/// The number of blocks that are folded at a time, to hide the latency of steps.
const TOGETHER: usize = 4;

/// The folds of [`TOGETHER`] blocks of [`BLOCK`] terms, each in the order of [`Block`].
struct Blocks<'a, F: Fold>(&'a [F::In]);

impl<F: Fold> Vectorised for Blocks<'_, F> {
    type Output = [F::Acc; TOGETHER];

    #[inline(always)]
    fn run(self) -> [F::Acc; TOGETHER] {
        const ROWS: usize = BLOCK / LANES;
        // Written with indices, as `Block`.
        let mut lanes = [[F::START; LANES]; TOGETHER];
        let (rows, _) = self.0[..TOGETHER * BLOCK].as_chunks::<LANES>();
        let mut row = 0;
        while row < ROWS {
            let mut block = 0;
            while block < TOGETHER {
                let terms = &rows[block * ROWS + row];
                let mut lane = 0;
                while lane < LANES {
                    lanes[block][lane] = F::step(lanes[block][lane], terms[lane]);
                    lane += 1;
                }
                block += 1;
            }
            row += 1;
        }
        lanes.map(|lanes| join_lanes(lanes, F::join))
    }
}

impl<F: Fold> Blocks<'_, F> {
    fn one_by_one(self) -> [F::Acc; TOGETHER] {
        std::array::from_fn(|block| fold_block::<F>(&self.0[block * BLOCK..][..BLOCK]))
    }
}

/// Folds all elements of a tile in row-major order.
pub(super) fn fold_tile<F: Fold<In: Element>>(tile: &Tile) -> F::Acc {
    let mut total = Pairwise::new();
    if let Some(terms) = dense_vector::<F::In>(tile) {
        let groups = match F::IS_SLOW {
            true => terms.len() / (TOGETHER * BLOCK),
            false => 0,
        };
        let (groups, rest) = terms.split_at(groups * TOGETHER * BLOCK);
        for group in groups.chunks_exact(TOGETHER * BLOCK) {
            for block in vectorised_or(Blocks::<F>(group), Blocks::one_by_one) {
                total.push(block, F::join);
            }
        }
        for block in rest.chunks(fold_length::<F>()) {
            total.push(fold_block::<F>(block), F::join);
        }
        return total.finish(F::join).unwrap_or(F::START);
    }
    for_each_block::<F::In, 1>([tile], &mut |[block]| {
        total.push(fold_block::<F>(block), F::join)
    });
    total.finish(F::join).unwrap_or(F::START)
}

/// Returns the elements of a vector without gaps. `T` has the size of its elements, but may differ
/// in sign.
pub(super) fn dense_vector<'a, T: Element>(tile: &'a Tile) -> Option<&'a [T]> {
    assert_eq!(tile.dtype().size(), size_of::<T>(), "elements of one size");
    let &[count] = tile.dims() else {
        return None;
    };
    match tile.layout().strides[0] {
        _ if count == 0 => Some(&[]),
        // SAFETY: by the promises made for the tile.
        1 => Some(unsafe { slice::from_raw_parts(tile.first().cast::<T>(), count) }),
        _ => None,
    }
}

/// Calls `body` with the elements of `tiles`, all of type `T` and one shape, in row-major order of
/// their indices. It gets [`BLOCK`] elements at a time, and the rest in the last call.
pub(super) fn for_each_block<T: Element, const N: usize>(
    tiles: [&Tile; N],
    body: &mut dyn FnMut([&[T]; N]),
) {
    let mut scratch = [[const { MaybeUninit::<T>::uninit() }; BLOCK]; N];
    let mut length = 0;
    Nest::in_order(tiles).for_each_run(&mut |mut run: Run<N>| {
        let size = size_of::<T>() as isize;
        let is_dense = run.steps.iter().all(|&step| step == size);
        while run.count > 0 {
            let count = run.count.min(BLOCK - length);
            if is_dense && count == BLOCK {
                // SAFETY: by the promises made for the tiles; a run stays inside them.
                body(
                    run.at
                        .map(|at| unsafe { slice::from_raw_parts(at.cast::<T>(), BLOCK) }),
                );
            } else {
                for ((scratch, &at), &step) in scratch.iter_mut().zip(&run.at).zip(&run.steps) {
                    // SAFETY: by the promises made for the tiles; a run stays inside them.
                    unsafe { gather(at, step, &mut scratch[length..length + count]) };
                }
                length += count;
                if length == BLOCK {
                    // SAFETY: all elements were gathered.
                    body(
                        scratch
                            .each_ref()
                            .map(|scratch| unsafe { filled(&scratch[..]) }),
                    );
                    length = 0;
                }
            }
            for (at, &step) in run.at.iter_mut().zip(&run.steps) {
                *at = at.wrapping_offset(step * count as isize);
            }
            run.count -= count;
        }
    });
    if length > 0 {
        // SAFETY: `length` elements were gathered.
        body(
            scratch
                .each_ref()
                .map(|scratch| unsafe { filled(&scratch[..length]) }),
        );
    }
}

/// Copies elements that are `step` bytes apart to all of `to`, which it returns.
///
/// # Safety
/// There must be as many elements of type `T` as `to` has, at `at` and every further `step` bytes.
// Not inlined, since contiguous elements rarely need it.
#[inline(never)]
pub(super) unsafe fn gather<T: Copy>(
    at: *const u8,
    step: isize,
    to: &mut [MaybeUninit<T>],
) -> &[T] {
    // SAFETY: the caller's promise; all of `to` is written before it is read.
    unsafe {
        if step == size_of::<T>() as isize {
            to.copy_from_slice(slice::from_raw_parts(at.cast::<MaybeUninit<T>>(), to.len()));
        } else {
            for (i, to) in to.iter_mut().enumerate() {
                to.write(at.wrapping_offset(step * i as isize).cast::<T>().read());
            }
        }
        filled(to)
    }
}

/// Returns a buffer as initialised elements.
///
/// # Safety
/// All elements must be initialised.
unsafe fn filled<T>(buffer: &[MaybeUninit<T>]) -> &[T] {
    // SAFETY: the caller's promise; `MaybeUninit<T>` is laid out as `T`.
    unsafe { slice::from_raw_parts(buffer.as_ptr().cast::<T>(), buffer.len()) }
}
