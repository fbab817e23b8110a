//! The mapping from the tiles of an operation to one axis of an operand.

use std::sync::Arc;

use super::Image;
use crate::{Cut, Shape};

/// The mapping from the tiles of an operation to one axis of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// Every tile works on all of the axis.
    Whole,
    /// The indices that an affine function maps the indices of one axis of the operation to.
    Affine(Affine),
    /// One index for each tile: the number of the tile.
    Tile {
        /// Whether the part of a single tile keeps the axis, with length 1.
        keeps_axis: bool,
    },
    /// The indices that were found for each tile in the values of another array. A tile's part goes
    /// from its lowest to its highest index. In gaps between its runs the tile touches nothing.
    Image(Arc<Image>),
}

/// A function from an index along one axis of an operation to a range of indices along an axis of
/// an operand.
///
/// The range is from `index * times / over + offset - low`, rounded down, to
/// `(index + 1) * times / over + offset + high`, rounded up and exclusive. It is cut off at the
/// ends of the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Affine {
    /// The axis of the operation.
    pub of: u8,
    /// The number of the operand's indices for each of the operation's.
    pub times: u32,
    /// The divisor: the number of the operation's indices that share one of the operand's. Not 0.
    pub over: u32,
    /// The operand's index for the operation's index 0.
    pub offset: i64,
    /// The width of the halo below.
    pub low: u32,
    /// The width of the halo above.
    pub high: u32,
}

impl Affine {
    /// The identity: the indices of axis `of` of the operation.
    pub const fn same(of: u8) -> Affine {
        Affine::blocks(of, 1)
    }

    /// `length` neighbouring indices for each index of axis `of` of the operation.
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

    /// Whether each index of the operation maps to itself, with or without a halo.
    pub const fn is_direct(&self) -> bool {
        self.times == 1 && self.over == 1 && self.offset == 0
    }

    /// Returns the first index and one past the last that indices `first` to `end` of the operation
    /// map to, along an axis of length `extent`.
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
    /// The indices of axis `of` of the operation.
    pub const fn same(of: u8) -> Along {
        Along::Affine(Affine::same(of))
    }

    /// Returns the first index and one past the last that the tiles of a cut touch along an axis of
    /// length `extent`.
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
