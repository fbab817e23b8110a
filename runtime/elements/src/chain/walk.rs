//! The loops over all operands of a chain, and their blocks.

use super::TERMS;
use crate::Tile;
use crate::shape::MAX_DIMS;

/// Rows of at least this length are used in place; shorter ones are gathered.
const LONG: usize = 64;

/// The most loops: one is cut in two if operands are crosswise.
pub(super) const MAX_LOOPS: usize = MAX_DIMS + 1;

/// The side of a square of elements that are visited together if operands are crosswise.
const SIDE: usize = 32;

/// The pieces of a row are multiples of this, except for the last, so that loops have whole vectors
/// only.
const EVEN: usize = 64;

/// An operand: the address of its first element, and its step along each loop, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) at: *mut u8,
    pub(super) steps: [isize; MAX_LOOPS],
    pub(super) size: usize,
}

/// The loops from the outermost to the innermost, and their blocks. A block is all rounds of the
/// loops inside of loop `cut`, for `rows` rounds of that loop.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    pub(super) counts: [usize; MAX_LOOPS],
    pub(super) depth: usize,
    pub(super) cut: usize,
    /// The most rounds of the loop `cut` in a block.
    pub(super) rows: usize,
    /// The number of elements of one round of the loop `cut`.
    pub(super) unit: usize,
}

/// The layout of an operand within a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lie {
    /// Contiguous elements.
    Dense,
    /// One element for all.
    Scalar,
    /// Any other layout.
    Strided,
}

impl Walk {
    /// Creates the loops over non-empty tiles of one shape, outputs last, not cut into blocks.
    /// Fills `operands`.
    ///
    /// If `in_order`, elements are visited in row-major order. Otherwise loops with the longest
    /// steps of the last tile are outside.
    pub(super) fn new<'a>(
        tiles: impl Iterator<Item = &'a Tile<'a>> + Clone,
        in_order: bool,
        operands: &mut Vec<Operand>,
    ) -> Walk {
        let mut axes = [0; MAX_DIMS];
        let mut walk = Walk {
            counts: [1; MAX_LOOPS],
            depth: 0,
            cut: 0,
            rows: 1,
            unit: 1,
        };
        let dims = tiles.clone().next().map_or(&[][..], |tile| tile.dims());
        for (axis, &count) in dims.iter().enumerate() {
            if count < 2 {
                continue;
            }
            let mut place = walk.depth;
            while place > 0 && !in_order && is_outside(tiles.clone(), axis, axes[place - 1]) {
                axes[place] = axes[place - 1];
                walk.counts[place] = walk.counts[place - 1];
                place -= 1;
            }
            axes[place] = axis;
            walk.counts[place] = count;
            walk.depth += 1;
        }
        operands.clear();
        operands.extend(tiles.map(|tile| {
            let mut steps = [0; MAX_LOOPS];
            for (step, &axis) in steps.iter_mut().zip(&axes[..walk.depth]) {
                *step = tile.byte_stride(axis);
            }
            Operand {
                at: tile.first(),
                steps,
                size: tile.dtype().size(),
            }
        }));
        if !in_order {
            walk.turn(operands);
        }
        walk.merge(operands);
        walk.depth = walk.depth.max(1);
        walk
    }

    /// Whether the two innermost loops should be run in squares. This is so if an operand is denser
    /// along the outer loop, so that its cache lines would be evicted before their next element is
    /// needed.
    pub(super) fn is_crosswise(&self, operands: &[Operand]) -> bool {
        if self.depth < 2 || self.counts[self.depth - 1] <= SIDE {
            return false;
        }
        operands.iter().any(|operand| {
            let outer = operand.steps[self.depth - 2].unsigned_abs();
            let inner = operand.steps[self.depth - 1].unsigned_abs();
            outer != 0 && outer < inner
        })
    }

    /// Returns the rounds of the innermost loop that do not fill a square's side.
    pub(super) fn rest(&self) -> usize {
        self.counts[self.depth - 1] % SIDE
    }

    /// Returns these loops with `count` rounds of the innermost one.
    pub(super) fn with_innermost(mut self, count: usize) -> Walk {
        self.counts[self.depth - 1] = count;
        self
    }

    /// Cuts the innermost loop, whose rounds are a multiple of the side, in two: one side inside,
    /// and all sides outside of the next loop.
    pub(super) fn squares(mut self, operands: &mut [Operand]) -> Walk {
        let (outer, inner) = (self.depth - 2, self.depth - 1);
        let sides = self.counts[inner] / SIDE;
        self.counts[inner + 1] = SIDE;
        self.counts[inner] = self.counts[outer];
        self.counts[outer] = sides;
        for Operand { steps, .. } in operands {
            steps[inner + 1] = steps[inner];
            steps[inner] = steps[outer];
            steps[outer] = steps[inner + 1] * SIDE as isize;
        }
        self.depth += 1;
        self
    }

    /// Reverses loops that run backwards for all operands.
    fn turn(&mut self, operands: &mut [Operand]) {
        for level in 0..self.depth {
            if operands.iter().all(|operand| operand.steps[level] <= 0) {
                for Operand { at, steps, .. } in operands.iter_mut() {
                    *at = at.wrapping_offset(steps[level] * (self.counts[level] as isize - 1));
                    steps[level] = -steps[level];
                }
            }
        }
    }

    /// Merges neighbouring loops if, for all operands, the inner one ends where the next round of
    /// the outer one begins.
    fn merge(&mut self, operands: &mut [Operand]) {
        let mut kept = 0;
        for level in 1..self.depth {
            let count = self.counts[level];
            let runs_on =
                |operand: &Operand| operand.steps[kept] == operand.steps[level] * count as isize;
            if operands.iter().all(runs_on) {
                self.counts[kept] *= count;
            } else {
                kept += 1;
                self.counts[kept] = count;
            }
            for operand in operands.iter_mut() {
                operand.steps[kept] = operand.steps[level];
            }
        }
        self.depth = self.depth.min(kept + 1);
    }

    /// Cuts the loops into blocks of at most `block` elements.
    pub(super) fn in_blocks(mut self, block: usize, in_order: bool) -> Walk {
        self.cut = self.depth - 1;
        self.unit = 1;
        while self.cut > 0 && self.unit * self.counts[self.cut] < LONG {
            self.unit *= self.counts[self.cut];
            self.cut -= 1;
        }
        let most = block / self.unit;
        let count = self.counts[self.cut];
        self.rows = count.div_ceil(count.div_ceil(most));
        if self.unit == 1 {
            // A fold whose blocks end with blocks of this walk needs no copy.
            let even = if in_order { TERMS } else { EVEN };
            self.rows = self.rows.next_multiple_of(even).min(most);
        }
        self
    }

    /// Returns the rounds of the loops inside of `cut`.
    pub(super) fn inside(&self) -> &[usize] {
        &self.counts[self.cut + 1..self.depth]
    }

    /// Returns the layout of an operand within a block.
    pub(super) fn lie(&self, operand: &Operand) -> Lie {
        let levels = || (self.cut..self.depth).filter(|&level| self.counts[level] > 1);
        if levels().all(|level| operand.steps[level] == 0) {
            return Lie::Scalar;
        }
        let mut next = operand.size as isize;
        for level in levels().rev() {
            if operand.steps[level] != next {
                return Lie::Strided;
            }
            next *= self.counts[level] as isize;
        }
        Lie::Dense
    }
}

/// Whether the loop over axis `a` is outside of that over `b`: its steps are longer, first in the
/// last tile.
fn is_outside<'a>(tiles: impl Iterator<Item = &'a Tile<'a>>, a: usize, b: usize) -> bool {
    let mut is_outside = false;
    for tile in tiles {
        let [a, b] = [a, b].map(|axis| tile.byte_stride(axis).unsigned_abs());
        // A later tile overrides an earlier one.
        if a != b {
            is_outside = a > b;
        }
    }
    is_outside
}
