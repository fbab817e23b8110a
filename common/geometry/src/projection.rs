//! The part of an operand that a tile works on.
//!
//! A projection maps the indices of an operation's tile to those of an operand, axis by axis
//! ([`Along`]). An axis has the same indices, all indices, a halo around them, an affine function
//! of them, or indices found in the values of another array. The dependence analysis, the exchange
//! between ranks, and the simulator use only the projections of operands.

mod along;
mod text;
mod words;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use smallvec::{SmallVec, smallvec};

use crate::{Cut, Layout, MAX_DIMS, Region, Shape};

pub use crate::image::{Image, IndexRun};
pub use along::{Affine, Along};
pub use text::NoProjection;

/// The mapping from the tiles of an operation to the parts of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Projection {
    /// Each axis follows the same axis of the operation.
    Same,
    /// Every tile works on the whole operand.
    Whole,
    /// Each axis follows in its own way.
    Axes(Arc<Axes>),
}

/// The mapping from the axes of an operation to those of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axes {
    /// The mapping of the first axes.
    listed: SmallVec<[Along; 2]>,
    /// The mapping of all other axes.
    rest: Rest,
}

/// The mapping of the axes that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rest {
    /// Axis `k` follows axis `k - removed` of the operation.
    Same {
        /// The number of earlier axes of the operand that the operation does not have.
        removed: u8,
    },
    /// Every tile works on all of these axes.
    Whole,
}

/// One kind of projection for each axis, shared by most operations.
struct ByAxis(LazyLock<[Projection; MAX_DIMS]>);

impl ByAxis {
    const fn new(make: fn() -> [Projection; MAX_DIMS]) -> ByAxis {
        ByAxis(LazyLock::new(make))
    }

    fn get(&self, axis: u8) -> Projection {
        self.0[usize::from(axis).min(MAX_DIMS - 1)].clone()
    }
}

/// Returns the axes before `axis`, each along the same axis of the operation.
fn before(axis: usize) -> impl Iterator<Item = Along> {
    (0..axis).map(|axis| Along::same(axis as u8))
}

fn all_but(axis: usize, removed: u8) -> Projection {
    let listed = before(axis).chain([Along::Whole]);
    Projection::of_axes(listed, Rest::Same { removed })
}

impl Projection {
    /// Creates a projection with `listed` for the first axes, and `rest` for the others.
    pub fn of_axes(listed: impl IntoIterator<Item = Along>, rest: Rest) -> Projection {
        let listed: SmallVec<[Along; 2]> = listed.into_iter().collect();
        let is_same = |(axis, along): (usize, &Along)| *along == Along::same(axis as u8);
        match rest {
            Rest::Same { removed: 0 } if listed.iter().enumerate().all(is_same) => Projection::Same,
            Rest::Whole if listed.iter().all(|along| *along == Along::Whole) => Projection::Whole,
            _ => Projection::Axes(Arc::new(Axes { listed, rest })),
        }
    }

    /// Like [`Same`](Projection::Same), but every tile works on all of axis `axis`.
    pub fn except(axis: u8) -> Projection {
        static KNOWN: ByAxis = ByAxis::new(|| std::array::from_fn(|axis| all_but(axis, 0)));
        KNOWN.get(axis)
    }

    /// The first axis follows axis `axis` of the operation; every tile works on all of the others.
    pub fn only(axis: u8) -> Projection {
        static KNOWN: ByAxis = ByAxis::new(|| {
            std::array::from_fn(|axis| Projection::of_axes([Along::same(axis as u8)], Rest::Whole))
        });
        KNOWN.get(axis)
    }

    /// An operand with an axis that the operation does not have, at `axis`. Every tile works on all
    /// of it.
    pub fn beside(axis: u8) -> Projection {
        static KNOWN: ByAxis = ByAxis::new(|| std::array::from_fn(|axis| all_but(axis, 1)));
        KNOWN.get(axis)
    }

    /// One index of the first axis for each tile. With `keeps_axis` a tile's part keeps that axis,
    /// with length 1; otherwise the part of a single tile does not have it.
    pub fn of_tiles(keeps_axis: bool) -> Projection {
        static KNOWN: LazyLock<[Projection; 2]> = LazyLock::new(|| {
            [false, true]
                .map(|keeps_axis| Projection::of_axes([Along::Tile { keeps_axis }], Rest::Whole))
        });
        KNOWN[usize::from(keeps_axis)].clone()
    }

    /// `length` neighbouring elements of a vector for each index of the operation's first axis.
    pub fn blocks(length: u32) -> Projection {
        Projection::of_axes([Along::Affine(Affine::blocks(0, length))], Rest::Whole)
    }

    /// Each axis follows the same axis of the operation, with a halo of the given widths below and
    /// above, cut off at the ends.
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

    /// Returns how an axis of the operand follows.
    pub fn along(&self, axis: usize) -> Along {
        match self {
            Projection::Same => Along::same(axis as u8),
            Projection::Whole => Along::Whole,
            Projection::Axes(axes) => axes.along(axis),
        }
    }

    /// Returns the axis of the operation with the same indices as an axis of the operand, or a
    /// subset of them.
    pub fn axis_of_operation(&self, axis: usize) -> Option<usize> {
        match self.along(axis) {
            Along::Affine(affine) if affine.is_direct() => Some(usize::from(affine.of)),
            _ => None,
        }
    }

    /// Whether each tile has one index of the operand, regardless of the tile's length.
    pub fn is_of_tiles(&self) -> bool {
        match self {
            Projection::Same | Projection::Whole => false,
            Projection::Axes(axes) => axes
                .listed
                .iter()
                .any(|along| matches!(along, Along::Tile { .. })),
        }
    }

    /// Returns the first index and one past the last, along each axis, of the part that the tiles
    /// of a cut work on. `dims` are the lengths of the operand's axes.
    pub fn bounds(
        &self,
        dims: &[usize],
        shape: &Shape,
        cut: &Cut,
    ) -> SmallVec<[(usize, usize); 4]> {
        if cut.is_all() && matches!(self, Projection::Same | Projection::Whole) {
            // Faster than collecting an iterator, for the few axes that most operands have.
            let mut bounds = SmallVec::new();
            for extent in dims {
                bounds.push((0, *extent));
            }
            return bounds;
        }
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

    /// Returns the part of an operand that the tiles of a cut work on, for an operation of shape
    /// `shape`.
    #[inline]
    pub fn part(&self, view: &Layout, shape: &Shape, cut: &Cut) -> Layout {
        match self {
            Projection::Same => cut.of(view),
            Projection::Whole => *view,
            Projection::Axes(axes) => axes.part(view, shape, cut),
        }
    }

    /// Returns the part in pieces: one for each run of an image with gaps, otherwise one.
    pub fn pieces(&self, view: &Layout, shape: &Shape, cut: &Cut) -> SmallVec<[Layout; 1]> {
        match self.gaps(cut) {
            Some((axes, axis, image)) => axes.pieces(axis, image, view, shape, cut),
            None => smallvec![self.part(view, shape, cut)],
        }
    }

    /// Whether parts were found in the values of another array.
    pub fn has_image(&self) -> bool {
        match self {
            Projection::Axes(axes) => axes
                .listed
                .iter()
                .any(|along| matches!(along, Along::Image(_))),
            Projection::Same | Projection::Whole => false,
        }
    }

    /// Returns roughly the bytes of memory that the images take.
    pub fn image_bytes(&self) -> usize {
        let Projection::Axes(axes) = self else {
            return 0;
        };
        let listed = axes.listed.iter().map(|along| match along {
            Along::Image(image) => image.bytes(),
            _ => 0,
        });
        listed.sum()
    }

    /// Returns this projection with other images, such as those of other tiles.
    pub fn with_images(&self, mut change: impl FnMut(&Arc<Image>) -> Arc<Image>) -> Projection {
        let Projection::Axes(axes) = self else {
            return self.clone();
        };
        let listed = axes.listed.iter().map(|along| match along {
            Along::Image(image) => Along::Image(change(image)),
            other => other.clone(),
        });
        Projection::of_axes(listed, axes.rest)
    }

    /// Returns the axis along which the part has gaps, and the runs between them, as indices of the
    /// operand.
    pub fn runs(&self, cut: &Cut) -> Option<(usize, Cow<'_, [IndexRun]>)> {
        let (first, end) = cut.tiles();
        let (_, axis, image) = self.gaps(cut)?;
        Some((axis, image.runs(first..end)))
    }

    /// Whether the part has gaps, in which the tiles touch nothing.
    pub fn has_gaps(&self, cut: &Cut) -> bool {
        self.gaps(cut).is_some()
    }

    /// Returns the number of elements of the operand that the tiles of a cut touch.
    pub fn count(&self, view: &Layout, shape: &Shape, cut: &Cut) -> usize {
        let part = self.part(view, shape, cut).shape;
        let Some((axis, runs)) = self.runs(cut) else {
            return part.len();
        };
        // An axis without indices has no runs.
        let extent = part.dims().get(axis).copied().unwrap_or(1).max(1);
        part.len() / extent * crate::image::indices(&runs)
    }

    /// Returns the elements of a row-major store that the tiles of a cut touch through a view;
    /// `None` if there are none. The gaps of a single tile along an axis of the store are left out;
    /// other gaps are filled.
    #[inline]
    pub fn region(&self, view: &Layout, store: &Shape, shape: &Shape, cut: &Cut) -> Option<Region> {
        let region = Region::of(&self.part(view, shape, cut), store)?;
        Some(match self.gaps(cut) {
            Some((_, axis, image)) => region.with_gaps(view, axis, store, image, cut),
            None => region,
        })
    }

    /// Returns the first axis along which some tiles have gaps.
    #[inline]
    fn gaps(&self, cut: &Cut) -> Option<(&Axes, usize, &Arc<Image>)> {
        let Projection::Axes(axes) = self else {
            return None;
        };
        let (first, end) = cut.tiles();
        let mut listed = axes.listed.iter().enumerate();
        listed.find_map(|(axis, along)| match along {
            Along::Image(image) if image.has_gaps(first..end) => Some((&**axes, axis, image)),
            _ => None,
        })
    }
}

/// The first index along each axis, and one past the last.
type Bounds = ([usize; MAX_DIMS], [usize; MAX_DIMS]);

impl Axes {
    /// Returns the bounds of a tile's part of an operand whose axes have these lengths.
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
        self.within(&self.bounds(view.shape.dims(), shape, cut), view, cut)
    }

    /// Returns the part for each run of an image along an axis.
    fn pieces(
        &self,
        axis: usize,
        image: &Image,
        view: &Layout,
        shape: &Shape,
        cut: &Cut,
    ) -> SmallVec<[Layout; 1]> {
        let (mut first, mut end) = self.bounds(view.shape.dims(), shape, cut);
        let (tile, next) = cut.tiles();
        let runs = image.runs(tile..next);
        let pieces = runs.iter().map(|run| {
            (first[axis], end[axis]) = *run;
            self.within(&(first, end), view, cut)
        });
        pieces.collect()
    }

    fn within(&self, (first, end): &Bounds, view: &Layout, cut: &Cut) -> Layout {
        let rank = view.rank();
        let part = view.tile(&first[..rank], &end[..rank]);
        // An index of an axis that the tile's part does not have.
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
