//! Loop nests over several strided operands of one shape.

use crate::Tile;
use crate::shape::MAX_DIMS;

pub use crate::Run;

/// The loops over `N` operands of one shape.
pub struct Nest<const N: usize> {
    /// The loops from the outermost to the innermost; at least one.
    loops: [Loop<N>; MAX_DIMS],
    depth: usize,
    first: [*mut u8; N],
    empty: bool,
    is_blocked: bool,
}

/// The side of a block of elements that are visited together if operands are crosswise.
const BLOCK: usize = 32;

/// A loop: the number of rounds, and the increment of each operand's address in bytes.
#[derive(Clone, Copy)]
struct Loop<const N: usize> {
    count: usize,
    steps: [isize; N],
}

impl<const N: usize> Nest<N> {
    /// Creates loops that visit the elements in any order. Those with the longest steps of the last
    /// tile, which is the output, are outside. The innermost loop is as long and as dense as the
    /// operands allow.
    ///
    /// # Panics
    /// Panics if the tiles differ in shape.
    pub fn new(tiles: [&Tile; N]) -> Nest<N> {
        let mut nest = Nest::build(tiles, Nest::insert);
        nest.is_blocked = nest.wants_blocks();
        nest
    }

    /// Creates loops that visit the elements in row-major order of their indices.
    ///
    /// # Panics
    /// Panics if the tiles differ in shape.
    pub fn in_order(tiles: [&Tile; N]) -> Nest<N> {
        Nest::build(tiles, |nest, new| {
            nest.loops[nest.depth] = new;
            nest.depth += 1;
        })
    }

    fn build(tiles: [&Tile; N], add: impl Fn(&mut Nest<N>, Loop<N>)) -> Nest<N> {
        let shape = tiles[N - 1].layout().shape;
        for tile in tiles {
            assert_eq!(
                tile.layout().shape,
                shape,
                "operands of one kernel differ in shape"
            );
        }
        let mut nest = Nest {
            loops: [Loop {
                count: 1,
                steps: [0; N],
            }; MAX_DIMS],
            depth: 0,
            first: tiles.map(|tile| tile.first()),
            empty: shape.is_empty(),
            is_blocked: false,
        };
        for (axis, &count) in shape.dims().iter().enumerate() {
            if count > 1 {
                add(
                    &mut nest,
                    Loop {
                        count,
                        steps: tiles.map(|tile| tile.byte_stride(axis)),
                    },
                );
            }
        }
        nest.merge();
        nest
    }

    /// Inserts a loop, ordered by the step of the output, then of the other operands from the last
    /// to the first. A loop that runs backwards for all operands is reversed.
    fn insert(&mut self, mut new: Loop<N>) {
        if new.steps.iter().all(|&step| step <= 0) {
            advance(&mut self.first, &new.steps, new.count as isize - 1);
            new.steps = new.steps.map(|step| -step);
        }
        let mut place = self.depth;
        while place > 0 && new.is_outside(&self.loops[place - 1]) {
            self.loops[place] = self.loops[place - 1];
            place -= 1;
        }
        self.loops[place] = new;
        self.depth += 1;
    }

    /// Merges neighbouring loops if, for all operands, the inner one ends where the next round of
    /// the outer one begins.
    fn merge(&mut self) {
        let mut kept = 0;
        for at in 1..self.depth {
            let inner = self.loops[at];
            let outer = &mut self.loops[kept];
            let runs_on = |(&long, &short): (&isize, &isize)| long == short * inner.count as isize;
            if outer.steps.iter().zip(&inner.steps).all(runs_on) {
                outer.count *= inner.count;
                outer.steps = inner.steps;
            } else {
                kept += 1;
                self.loops[kept] = inner;
            }
        }
        self.depth = kept + 1;
    }

    /// Calls `body` for each run of the innermost loop, or for parts of it. The calls cover every
    /// element once.
    pub fn for_each_run(&self, body: &mut dyn FnMut(Run<N>)) {
        if self.empty {
            return;
        }
        let inner = self.loops[self.depth - 1];
        if !self.is_blocked {
            return for_each_position(&self.loops[..self.depth - 1], self.first, &mut |at| {
                body(Run {
                    at,
                    steps: inner.steps,
                    count: inner.count,
                });
            });
        }
        let outer = self.loops[self.depth - 2];
        for_each_position(&self.loops[..self.depth - 2], self.first, &mut |corner| {
            for top in (0..outer.count).step_by(BLOCK) {
                for left in (0..inner.count).step_by(BLOCK) {
                    for row in top..outer.count.min(top + BLOCK) {
                        let mut at = corner;
                        advance(&mut at, &outer.steps, row as isize);
                        advance(&mut at, &inner.steps, left as isize);
                        let count = BLOCK.min(inner.count - left);
                        body(Run {
                            at,
                            steps: inner.steps,
                            count,
                        });
                    }
                }
            }
        });
    }

    /// Whether the two innermost loops should be run in blocks. This is so if they are long, and an
    /// operand is denser along the outer one, so that its cache lines would be evicted before their
    /// next element is needed.
    fn wants_blocks(&self) -> bool {
        let [.., outer, inner] = &self.loops[..self.depth] else {
            return false;
        };
        let sizes = |of: &Loop<N>| of.steps.map(isize::unsigned_abs);
        let crosses = |(long, short): (usize, usize)| short != 0 && short < long;
        outer.count > 1
            && inner.count > BLOCK
            && sizes(inner).into_iter().zip(sizes(outer)).any(crosses)
    }
}

/// Calls `body` with the addresses at each round of `loops`.
fn for_each_position<const N: usize>(
    loops: &[Loop<N>],
    first: [*mut u8; N],
    body: &mut dyn FnMut([*mut u8; N]),
) {
    let mut at = first;
    let mut index = [0; MAX_DIMS];
    'next: loop {
        body(at);
        for (axis, level) in loops.iter().enumerate().rev() {
            index[axis] += 1;
            if index[axis] < level.count {
                advance(&mut at, &level.steps, 1);
                continue 'next;
            }
            index[axis] = 0;
            advance(&mut at, &level.steps, -(level.count as isize - 1));
        }
        return;
    }
}

impl<const N: usize> Loop<N> {
    /// Whether this loop is outside of `other`: its steps are longer.
    fn is_outside(&self, other: &Loop<N>) -> bool {
        let sizes = |of: &Loop<N>| of.steps.map(isize::unsigned_abs);
        sizes(self).iter().rev().gt(sizes(other).iter().rev())
    }
}

fn advance<const N: usize>(at: &mut [*mut u8; N], steps: &[isize; N], rounds: isize) {
    for (at, step) in at.iter_mut().zip(steps) {
        *at = at.wrapping_offset(step * rounds);
    }
}
