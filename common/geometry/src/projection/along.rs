//! How one axis of an operand follows the tiles of its operation.

use std::sync::Arc;

use super::Image;
use crate::{Cut, Shape};

/// How one axis of an operand follows the tiles of its operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// All of it for every tile.
    Whole,
    /// The indices that an affine function makes of those along one axis of the operation.
    Affine(Affine),
    /// One index for each tile: the tile's number.
    Tile {
        /// Whether a single tile's part keeps the axis, with length 1.
        keeps_axis: bool,
    },
    /// What was found for each tile in the values of another array. A tile's part goes from its lowest to its highest index; where there are
    /// gaps between its runs, it touches nothing in these.
    Image(Arc<Image>),
}

/// From an index along one axis of an operation to a range of indices along one of an operand:
/// from `index * times / over + offset - low`, rounded down, to `(index + 1) * times / over + offset + high`, rounded up and not included.
/// What lies beyond the operand is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// The axis of the operation.
    pub of: u8,
    /// So many indices of the operand for each of the operation.
    pub times: u32,
    /// Divided by this: so many indices of the operation share one of the operand. Not 0.
    pub over: u32,
    /// The operand's index for the operation's index 0.
    pub offset: i64,
    /// So many indices more below: a halo.
    pub low: u32,
    /// So many indices more above: a halo.
    pub high: u32,
}

impl Affine {
    /// The same indices as those of this axis of the operation.
    pub const fn same(of: u8) -> Affine {
        Affine::blocks(of, 1)
    }

    /// `length` neighbours for each index of this axis of the operation.
    pub const fn blocks(of: u8, length: u32) -> Affine {
        Affine {
            of,
            times: length,
            over: 1,
            offset: 0,
            low: 0,
            high: 0,
        }
    }

    /// Whether it has one index for each of the operation, and perhaps a halo.
    pub const fn is_direct(&self) -> bool {
        self.times == 1 && self.over == 1 && self.offset == 0
    }

    /// The first index and one past the last for those from `first` to `end` of the operation, of an axis of this length.
    pub fn bounds(&self, (first, end): (usize, usize), extent: usize) -> (usize, usize) {
        if first >= end {
            return (0, 0);
        }
        let (times, over) = (i128::from(self.times), i128::from(self.over.max(1)));
        let offset = i128::from(self.offset);
        let low = (first as i128 * times).div_euclid(over) + offset - i128::from(self.low);
        let above = (end as i128 * times + over - 1).div_euclid(over);
        let high = above + offset + i128::from(self.high);
        let within = |index: i128| index.clamp(0, extent as i128) as usize;
        (within(low), within(high))
    }
}

impl Along {
    /// The same indices as those of this axis of the operation.
    pub const fn same(of: u8) -> Along {
        Along::Affine(Affine::same(of))
    }

    /// The first index and one past the last that the tiles of a cut touch along an axis of this length.
    pub(super) fn bounds(&self, extent: usize, shape: &Shape, cut: &Cut) -> (usize, usize) {
        match self {
            Along::Whole => (0, extent),
            Along::Affine(affine) => {
                let of = usize::from(affine.of);
                if affine.is_direct() && of != cut.axis() {
                    return (0, extent);
                }
                let own = shape.dims().get(of).copied().unwrap_or(1);
                affine.bounds(cut.bounds(of, own), extent)
            }
            Along::Tile { .. } => cut.tiles(),
            Along::Image(image) => {
                let (first, end) = cut.tiles();
                image.bounds(first..end)
            }
        }
    }
}
