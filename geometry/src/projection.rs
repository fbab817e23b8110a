//! Which part of an operand a tile works on.
//!
//! A projection maps the indices of an operation's tile to those of an operand, axis by axis ([`Along`]): the same indices, all of them,
//! some more on both sides, an affine function of them, or those that were found in the values of another array. The analysis of
//! dependences, the exchange between ranks, and the simulator know operands by their projections alone.

mod along;
mod text;
mod words;

use std::sync::{Arc, LazyLock};

use smallvec::SmallVec;

use crate::{Cut, Layout, MAX_DIMS, Shape};

pub use along::{Affine, Along};
pub use text::NoProjection;

/// How an operand's parts follow the tiles of its operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Projection {
    /// Each axis along the same axis of the operation.
    Same,
    /// Every tile works on all of it.
    Whole,
    /// Each axis in its own way.
    Axes(Arc<Axes>),
}

/// How the axes of an operand follow its operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axes {
    /// Those of the first axes.
    listed: SmallVec<[Along; 2]>,
    /// That of all others.
    rest: Rest,
}

/// How the axes follow that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rest {
    /// Axis `k` along axis `k - removed` of the operation.
    Same {
        /// Axes of the operand before them that the operation does not have.
        removed: u8,
    },
    /// All of them for every tile.
    Whole,
}

/// Projections of one kind, one for each axis, which most operations share.
struct ByAxis(LazyLock<[Projection; MAX_DIMS]>);

impl ByAxis {
    const fn new(make: fn() -> [Projection; MAX_DIMS]) -> ByAxis {
        ByAxis(LazyLock::new(make))
    }

    fn of(&self, axis: u8) -> Projection {
        self.0[usize::from(axis).min(MAX_DIMS - 1)].clone()
    }
}

/// The axes before `axis`, each along the same one.
fn before(axis: usize) -> impl Iterator<Item = Along> {
    (0..axis).map(|axis| Along::same(axis as u8))
}

fn all_but(axis: usize, removed: u8) -> Projection {
    let listed = before(axis).chain([Along::Whole]);
    Projection::of_axes(listed, Rest::Same { removed })
}

impl Projection {
    /// The first axes as listed, the others as `rest` says.
    pub fn of_axes(listed: impl IntoIterator<Item = Along>, rest: Rest) -> Projection {
        let listed: SmallVec<[Along; 2]> = listed.into_iter().collect();
        let is_same = |(axis, along): (usize, &Along)| *along == Along::same(axis as u8);
        match rest {
            Rest::Same { removed: 0 } if listed.iter().enumerate().all(is_same) => Projection::Same,
            Rest::Whole if listed.iter().all(|along| *along == Along::Whole) => Projection::Whole,
            _ => Projection::Axes(Arc::new(Axes { listed, rest })),
        }
    }

    /// Like [`Same`](Projection::Same), but all of this axis for every tile.
    pub fn except(axis: u8) -> Projection {
        static KNOWN: ByAxis = ByAxis::new(|| std::array::from_fn(|axis| all_but(axis, 0)));
        KNOWN.of(axis)
    }

    /// The first axis along this one of the operation; all of the others for every tile.
    pub fn only(axis: u8) -> Projection {
        static KNOWN: ByAxis = ByAxis::new(|| {
            std::array::from_fn(|axis| Projection::of_axes([Along::same(axis as u8)], Rest::Whole))
        });
        KNOWN.of(axis)
    }

    /// An operand with one axis more than the operation, which is this one, and whole for every tile.
    pub fn beside(axis: u8) -> Projection {
        static KNOWN: ByAxis = ByAxis::new(|| std::array::from_fn(|axis| all_but(axis, 1)));
        KNOWN.of(axis)
    }

    /// One index of the first axis for each tile. With `keeps_axis` the part has that axis, of length 1; without, a single tile's part
    /// does not have it.
    pub fn of_tiles(keeps_axis: bool) -> Projection {
        static KNOWN: LazyLock<[Projection; 2]> = LazyLock::new(|| {
            [false, true]
                .map(|keeps_axis| Projection::of_axes([Along::Tile { keeps_axis }], Rest::Whole))
        });
        KNOWN[usize::from(keeps_axis)].clone()
    }

    /// `length` neighbours of a vector for each index of the operation's first axis.
    pub fn blocks(length: u32) -> Projection {
        Projection::of_axes([Along::Affine(Affine::blocks(0, length))], Rest::Whole)
    }

    /// Each axis along the same axis of the operation, with so many more indices below and above, as far as there are any.
    pub fn halo(widths: impl IntoIterator<Item = (u32, u32)>) -> Projection {
        let listed = widths.into_iter().enumerate().map(|(axis, (low, high))| {
            Along::Affine(Affine {
                low,
                high,
                ..Affine::same(axis as u8)
            })
        });
        Projection::of_axes(listed, Rest::Same { removed: 0 })
    }

    /// How an axis of the operand follows.
    pub fn along(&self, axis: usize) -> Along {
        match self {
            Projection::Same => Along::same(axis as u8),
            Projection::Whole => Along::Whole,
            Projection::Axes(axes) => axes.along(axis),
        }
    }

    /// The axis of the operation whose very indices an axis of the operand has, where it has no fewer of them.
    pub fn axis_of_operation(&self, axis: usize) -> Option<usize> {
        match self.along(axis) {
            Along::Affine(affine) if affine.is_direct() => Some(usize::from(affine.of)),
            _ => None,
        }
    }

    /// Whether there is an index of the operand for each tile, however many indices the tile has.
    pub fn is_of_tiles(&self) -> bool {
        match self {
            Projection::Same | Projection::Whole => false,
            Projection::Axes(axes) => axes
                .listed
                .iter()
                .any(|along| matches!(along, Along::Tile { .. })),
        }
    }

    /// The first index and one past the last along each axis of an operand with axes of these lengths, of the part that the tiles of a
    /// cut work on.
    pub fn bounds(
        &self,
        dims: &[usize],
        shape: &Shape,
        cut: &Cut,
    ) -> SmallVec<[(usize, usize); 4]> {
        let (first, end) = match self {
            Projection::Axes(axes) => axes.bounds(dims, shape, cut),
            Projection::Same | Projection::Whole => {
                let (mut first, mut end) = ([0; MAX_DIMS], [0; MAX_DIMS]);
                end[..dims.len()].copy_from_slice(dims);
                if *self == Projection::Same
                    && let Some(extent) = dims.get(cut.axis())
                {
                    (first[cut.axis()], end[cut.axis()]) = cut.bounds(cut.axis(), *extent);
                }
                (first, end)
            }
        };
        let within = |axis: usize| {
            let end = end[axis].min(dims[axis]);
            (first[axis].min(end), end)
        };
        (0..dims.len()).map(within).collect()
    }

    /// The part of an operand that the tiles of a cut of an operation of this shape work on.
    #[inline]
    pub fn part(&self, view: &Layout, shape: &Shape, cut: &Cut) -> Layout {
        match self {
            Projection::Same => cut.of(view),
            Projection::Whole => *view,
            Projection::Axes(axes) => axes.part(view, shape, cut),
        }
    }
}

/// The first index along each axis, and one past the last.
type Bounds = ([usize; MAX_DIMS], [usize; MAX_DIMS]);

impl Axes {
    /// Those of a tile's part of an operand with axes of these lengths.
    fn bounds(&self, dims: &[usize], shape: &Shape, cut: &Cut) -> Bounds {
        let (mut first, mut end) = ([0; MAX_DIMS], [0; MAX_DIMS]);
        end[..dims.len()].copy_from_slice(dims);
        for (axis, extent) in dims.iter().enumerate() {
            let bounds = match self.listed.get(axis) {
                Some(along) => along.bounds(*extent, shape, cut),
                None => match self.rest {
                    Rest::Whole => break,
                    Rest::Same { removed } => {
                        let of = axis.saturating_sub(usize::from(removed));
                        if of != cut.axis() {
                            continue;
                        }
                        cut.bounds(of, *extent)
                    }
                },
            };
            (first[axis], end[axis]) = bounds;
        }
        (first, end)
    }

    fn along(&self, axis: usize) -> Along {
        match (self.listed.get(axis), self.rest) {
            (Some(along), _) => along.clone(),
            (None, Rest::Whole) => Along::Whole,
            (None, Rest::Same { removed }) => {
                let of = axis.saturating_sub(usize::from(removed));
                Along::same(of as u8)
            }
        }
    }

    fn part(&self, view: &Layout, shape: &Shape, cut: &Cut) -> Layout {
        let dims = view.shape.dims();
        let (first, end) = self.bounds(dims, shape, cut);
        let part = view.tile(&first[..dims.len()], &end[..dims.len()]);
        // One index of an axis that the tile's part does not have.
        let (one, next) = cut.tiles();
        let is_dropped = |along: &Along| matches!(along, Along::Tile { keeps_axis: false });
        match self.listed.iter().position(is_dropped) {
            Some(axis) if next - one == 1 => part.index(axis, 0).unwrap_or(part),
            _ => part,
        }
    }
}

#[cfg(test)]
mod tests;
