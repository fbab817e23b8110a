//! Which part of an operand a tile works on.

use crate::{Cut, Layout, MAX_DIMS};

/// How an operand's parts follow the tiles of its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Along the axis that is cut.
    Same,
    /// Every tile works on all of it.
    Whole,
    /// Like [`Same`](Projection::Same), but whole where the operation is cut along this axis.
    Except {
        /// The axis of the operation.
        axis: u8,
    },
    /// Its first axis runs along this axis of the operation; whole where another one is cut.
    Only {
        /// The axis of the operation.
        axis: u8,
    },
    /// It has one axis more than the operation.
    Beside {
        /// Which of its axes the operation has not.
        axis: u8,
    },
    /// An element along its first axis for each tile.
    Elements,
    /// A row for each tile: one tile's part is without the axis of rows.
    Rows,
    /// So many elements of a vector for each index of the operation.
    Blocks {
        /// How many; the last may have fewer.
        length: u32,
    },
}

impl Projection {
    /// The word for it in outputs, and its axis or length; 0 where it has neither.
    pub const fn name(self) -> (&'static str, u32) {
        match self {
            Projection::Same => ("same", 0),
            Projection::Whole => ("whole", 0),
            Projection::Except { axis } => ("except", axis as u32),
            Projection::Only { axis } => ("only", axis as u32),
            Projection::Beside { axis } => ("beside", axis as u32),
            Projection::Elements => ("elements", 0),
            Projection::Rows => ("rows", 0),
            Projection::Blocks { length } => ("blocks", length),
        }
    }

    /// The part with this word, and this axis or length.
    pub fn from_name(name: &str, value: u32) -> Option<Self> {
        let axis = u8::try_from(value).ok();
        let axis = axis.filter(|axis| usize::from(*axis) < MAX_DIMS);
        Some(match name {
            "same" => Projection::Same,
            "whole" => Projection::Whole,
            "except" => Projection::Except { axis: axis? },
            "only" => Projection::Only { axis: axis? },
            "beside" => Projection::Beside { axis: axis? },
            "elements" => Projection::Elements,
            "rows" => Projection::Rows,
            "blocks" => Projection::Blocks { length: value },
            _ => return None,
        })
    }

    /// The part of an operand that the tiles of a cut work on.
    #[inline]
    pub fn part(self, view: &Layout, cut: &Cut) -> Layout {
        match self {
            Projection::Same => cut.of(view),
            Projection::Whole => *view,
            Projection::Except { axis } if cut.axis() == usize::from(axis) => *view,
            Projection::Except { .. } => cut.of(view),
            Projection::Only { axis } if cut.axis() == usize::from(axis) => cut.along(0, view),
            Projection::Only { .. } => *view,
            Projection::Beside { axis } => {
                let own = cut.axis() + usize::from(cut.axis() >= usize::from(axis));
                cut.along(own, view)
            }
            Projection::Elements => elements(view, cut),
            Projection::Rows => rows(view, cut),
            Projection::Blocks { length } => blocks(view, cut, length as usize),
        }
    }
}

fn elements(view: &Layout, cut: &Cut) -> Layout {
    let (first, end) = cut.tiles();
    view.tile(&[first], &[end])
}

fn rows(view: &Layout, cut: &Cut) -> Layout {
    match cut.tiles() {
        (first, end) if end - first == 1 => view.index(0, first as isize).unwrap_or(*view),
        _ => elements(view, cut),
    }
}

fn blocks(view: &Layout, cut: &Cut, length: usize) -> Layout {
    let (first, end) = cut.bounds(0, view.shape.len().div_ceil(length.max(1)));
    view.tile(&[first * length], &[end.saturating_mul(length)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cuts, Shape, Tiling};

    fn view(dims: &[usize]) -> Layout {
        Layout::contiguous(Shape::new(dims).unwrap())
    }

    /// The second of two tiles of 100 by 6, cut along the first axis.
    fn second() -> Cut {
        let shape = Shape::new(&[100, 6]).unwrap();
        let cuts = Cuts::new(&shape, Tiling::Processors { work: 1 }, 1, 2);
        assert_eq!((cuts.tiles() >= 2, cuts.get(0).axis()), (true, 0));
        let cuts = Cuts::new(&shape, Tiling::Processors { work: 1 }, 300, 2);
        assert_eq!(cuts.tiles(), 2);
        cuts.get(1)
    }

    #[test]
    fn each_way_has_its_part() {
        let cut = second();
        let part = |projection: Projection, dims: &[usize]| {
            let part = projection.part(&view(dims), &cut);
            (part.offset, part.shape.dims().to_vec())
        };
        assert_eq!(part(Projection::Same, &[100, 6]), (300, vec![50, 6]));
        assert_eq!(part(Projection::Whole, &[100, 6]), (0, vec![100, 6]));
        let except = |axis| part(Projection::Except { axis }, &[100, 6]);
        assert_eq!(except(0), (0, vec![100, 6]));
        assert_eq!(except(1), (300, vec![50, 6]));
        assert_eq!(part(Projection::Only { axis: 0 }, &[100]), (50, vec![50]));
        assert_eq!(part(Projection::Only { axis: 1 }, &[100]), (0, vec![100]));
        let beside = |axis| part(Projection::Beside { axis }, &[100, 100, 6]);
        assert_eq!(beside(0), (300, vec![100, 50, 6]));
        assert_eq!(beside(1), (30_000, vec![50, 100, 6]));
        assert_eq!(part(Projection::Elements, &[2]), (1, vec![1]));
        assert_eq!(part(Projection::Rows, &[2, 7]), (7, vec![7]));
        assert_eq!(
            part(Projection::Blocks { length: 10 }, &[995]),
            (500, vec![495])
        );
    }
}
