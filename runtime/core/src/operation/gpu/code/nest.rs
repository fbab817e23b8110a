//! Loops over several strided operands of one shape, with as few loops as the steps allow.

use smallvec::{SmallVec, smallvec};

use super::job::DeviceTile;
use crate::shape::{MAX_DIMS, Shape};

/// A value that advances with an index: an address of elements, or a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strided {
    /// Value at index 0.
    pub first: u64,
    /// Size of one unit in `first`: the bytes of an element, or 1 for a plain number.
    pub unit: u64,
    /// Steps along each dimension, in units.
    pub strides: [isize; MAX_DIMS],
}

impl Strided {
    /// An absent operand: address 0 at all indices.
    pub const NOWHERE: Strided = Strided {
        first: 0,
        unit: 1,
        strides: [0; MAX_DIMS],
    };

    /// Returns the elements of a tile.
    pub fn from_tile(tile: &DeviceTile) -> Strided {
        let unit = tile.dtype.size() as u64;
        Strided {
            first: tile
                .start
                .wrapping_add((tile.layout.offset as u64).wrapping_mul(unit)),
            unit,
            strides: tile.layout.strides,
        }
    }
}

/// One loop: its number of iterations, at least two, and the step of each operand per iteration, in
/// units.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Number of iterations.
    pub count: usize,
    /// Step of each operand.
    pub steps: SmallVec<[isize; 8]>,
}

/// Loops over operands of one shape, which has elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Nest {
    /// The loops from the innermost to the outermost; none if there is one element.
    pub loops: SmallVec<[Loop; 3]>,
    /// Value of each operand at the first element.
    pub first: SmallVec<[u64; 8]>,
    /// Whether a step, an index or the number of elements does not fit 31 bits.
    pub is_wide: bool,
}

/// Largest index that leaves room, in 31 bits, for a block of threads beyond it.
const NARROW: u64 = (1 << 31) - (1 << 20);

impl Nest {
    /// Creates loops that visit the elements in any order: the longest steps of the last operand,
    /// which is the output, are outside. Returns `None` if there are no elements.
    pub fn new(shape: Shape, operands: &[Strided]) -> Option<Nest> {
        Nest::build(shape, operands, Nest::insert)
    }

    /// Creates loops that visit the elements in row-major order of their indices.
    pub fn in_order(shape: Shape, operands: &[Strided]) -> Option<Nest> {
        Nest::build(shape, operands, |nest, _, new| nest.loops.insert(0, new))
    }

    fn build(
        shape: Shape,
        operands: &[Strided],
        add: impl Fn(&mut Nest, &[Strided], Loop),
    ) -> Option<Nest> {
        if shape.is_empty() {
            return None;
        }
        let mut nest = Nest {
            loops: SmallVec::new(),
            first: operands.iter().map(|operand| operand.first).collect(),
            is_wide: false,
        };
        for (axis, &count) in shape.dims().iter().enumerate() {
            if count > 1 {
                let steps = operands.iter().map(|operand| operand.strides[axis]);
                let steps = steps.collect();
                add(&mut nest, operands, Loop { count, steps });
            }
        }
        nest.merge();
        nest.is_wide = nest.reaches_far(operands.len());
        Some(nest)
    }

    /// Inserts a loop at the position given by the step of the last operand, then of the others
    /// from the last to the first. A loop that runs backwards for all operands is reversed.
    fn insert(&mut self, operands: &[Strided], mut new: Loop) {
        if new.steps.iter().all(|&step| step <= 0) {
            let rounds = new.count as isize - 1;
            for ((first, step), operand) in self.first.iter_mut().zip(&mut new.steps).zip(operands)
            {
                let reach = step.wrapping_mul(rounds) as u64;
                *first = first.wrapping_add(reach.wrapping_mul(operand.unit));
                *step = -*step;
            }
        }
        let sizes = |of: &Loop| -> SmallVec<[usize; 8]> {
            of.steps
                .iter()
                .rev()
                .map(|step| step.unsigned_abs())
                .collect()
        };
        let size = sizes(&new);
        // Of equal loops, the later dimension is inside.
        let is_inside = |other: &Loop| sizes(other) >= size;
        let place = self.loops.iter().position(is_inside);
        self.loops.insert(place.unwrap_or(self.loops.len()), new);
    }

    /// Merges neighbouring loops if the inner one ends where the outer one's next iteration begins,
    /// for all operands.
    fn merge(&mut self) {
        let mut merged: SmallVec<[Loop; 3]> = smallvec![];
        for outer in self.loops.drain(..) {
            match merged.last_mut() {
                Some(inner) if inner.runs_on_to(&outer) => inner.count *= outer.count,
                _ => merged.push(outer),
            }
        }
        self.loops = merged;
    }

    fn reaches_far(&self, operands: usize) -> bool {
        let mut elements = 1u64;
        for each in &self.loops {
            elements = elements.saturating_mul(each.count as u64);
        }
        // Steps may have opposite signs; the sum of their absolute values bounds any partial sum.
        let reach = |operand: usize| {
            let each = self.loops.iter().map(|each| {
                let step = each.steps[operand].unsigned_abs() as u64;
                // Threads of a block beyond the last iteration compute places that they do not use.
                step.saturating_mul(each.count as u64 + 4096)
            });
            each.fold(0, u64::saturating_add)
        };
        elements > NARROW || (0..operands).any(|operand| reach(operand) > NARROW)
    }

    /// Returns the number of iterations of the loop at `level` from the innermost one; 1 if there
    /// is no such loop.
    pub fn count(&self, level: usize) -> usize {
        self.loops.get(level).map_or(1, |each| each.count)
    }

    /// Returns the step of an operand in the loop at `level` from the innermost one; 0 if there is
    /// no such loop.
    pub fn step(&self, level: usize, operand: usize) -> isize {
        self.loops.get(level).map_or(0, |each| each.steps[operand])
    }

    /// Returns the number of an operand's way of advancing: its steps in all loops. `examples` has
    /// an operand for each known way, and gets this one if its way is new.
    pub fn way(&self, examples: &mut SmallVec<[usize; 4]>, operand: usize) -> u8 {
        let is_like = |&example: &usize| {
            let mut loops = self.loops.iter();
            loops.all(|each| each.steps[example] == each.steps[operand])
        };
        let known = examples.iter().position(is_like);
        known.unwrap_or_else(|| {
            examples.push(operand);
            examples.len() - 1
        }) as u8
    }
}

impl Loop {
    fn runs_on_to(&self, outer: &Loop) -> bool {
        let mut steps = self.steps.iter().zip(&outer.steps);
        steps.all(|(&short, &long)| short.checked_mul(self.count as isize) == Some(long))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Layout;

    /// Counts and steps starting with the innermost loop, and the value of each operand at the
    /// first element.
    type Loops = (Vec<(usize, Vec<isize>)>, Vec<u64>);

    fn nest(layouts: &[Layout]) -> Loops {
        let operands: Vec<Strided> = layouts
            .iter()
            .map(|layout| Strided {
                first: 8 * layout.offset as u64,
                unit: 8,
                strides: layout.strides,
            })
            .collect();
        let nest = Nest::new(layouts[0].shape, &operands).unwrap();
        let loops = nest
            .loops
            .iter()
            .map(|each| (each.count, each.steps.to_vec()));
        (loops.collect(), nest.first.to_vec())
    }

    fn rows(dims: &[usize]) -> Layout {
        Layout::contiguous(Shape::new(dims).unwrap())
    }

    #[test]
    fn merges_contiguous_axes_in_any_order() {
        let dense = rows(&[4, 1, 6]);
        assert_eq!(nest(&[dense, dense]), (vec![(24, vec![1, 1])], vec![0, 0]));
        let crosswise = rows(&[4, 6]).transpose();
        assert_eq!(
            nest(&[crosswise, crosswise]),
            (vec![(24, vec![1, 1])], vec![0, 0])
        );
        assert_eq!(nest(&[rows(&[1, 1])]), (vec![], vec![0]));
    }

    #[test]
    fn innermost_loop_has_shortest_output_stride() {
        let (a, out) = (rows(&[4, 6]), rows(&[6, 4]).transpose());
        assert_eq!(
            nest(&[a, out]),
            (vec![(4, vec![6, 1]), (6, vec![1, 4])], vec![0, 0])
        );
        let column = rows(&[4, 1])
            .broadcast_to(Shape::new(&[4, 6]).unwrap())
            .unwrap();
        assert_eq!(
            nest(&[column, a]),
            (vec![(6, vec![0, 1]), (4, vec![1, 6])], vec![0, 0])
        );
    }

    #[test]
    fn reverses_loops_that_run_backwards_for_all_operands() {
        let back = rows(&[4, 6]).slice(1, None, None, -1).unwrap();
        // The loop starts at the first element in memory, which is the last one of the view.
        assert_eq!(nest(&[back, back]), (vec![(24, vec![1, 1])], vec![0, 0]));
        let forth = rows(&[4, 6]);
        let expected = vec![(6, vec![1, -1]), (4, vec![6, 6])];
        assert_eq!(nest(&[forth, back]), (expected, vec![0, 40]));
    }

    #[test]
    fn empty_shapes_have_no_loop_nest() {
        assert_eq!(Nest::new(Shape::new(&[3, 0]).unwrap(), &[]), None);
    }

    #[test]
    fn strides_and_counts_beyond_31_bits_are_wide() {
        let wide = |dims: &[usize], stride: isize| {
            let mut strides = [0; MAX_DIMS];
            strides[0] = stride;
            let operand = Strided {
                first: 0,
                unit: 1,
                strides,
            };
            Nest::new(Shape::new(dims).unwrap(), &[operand])
                .unwrap()
                .is_wide
        };
        assert!(!wide(&[1 << 30], 1));
        assert!(wide(&[1 << 31], 1));
        assert!(wide(&[3], 1 << 30));
        assert!(wide(&[3], -(1 << 30)));
        assert!(!wide(&[100, 100], 10_000));
    }
}
