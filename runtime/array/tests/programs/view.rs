//! Views of bases, created on both sides.

use ndarray::{ArrayD, ArrayViewMutD, Axis, IxDyn, Slice};
use proptest::collection::vec;
use proptest::prelude::*;
use weft::DynArray;
use weft::dtype::Scalar;

use super::{BASES, Mistake, Pair};

/// A view of a base: for each axis start and end in sixteenths and a step, and the rotation of the
/// axes.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) base: usize,
    cuts: Vec<(usize, usize, isize)>,
    turn: usize,
}

pub(super) fn view() -> impl Strategy<Value = View> {
    let step = prop_oneof![4 => Just(1), 1 => Just(2), 1 => Just(-1), 1 => Just(-3)];
    let cut =
        (0..=16_usize, 0..=16_usize, step).prop_map(|(a, b, step)| (a.min(b), a.max(b), step));
    let base = prop_oneof![4 => 0..4_usize, 1 => 4..BASES.len()];
    (base, vec(cut, 4), 0..4_usize).prop_map(|(base, cuts, turn)| View { base, cuts, turn })
}

/// Returns the slice of an axis.
fn slice(extent: usize, (start, end, step): (usize, usize, isize)) -> Slice {
    let start = start * extent / 16;
    let end = (end * extent).div_ceil(16).max(start);
    Slice::new(start as isize, Some(end as isize), step)
}

/// Returns the axes rotated by `turn` places.
fn turned(rank: usize, turn: usize) -> Vec<usize> {
    (0..rank).map(|axis| (axis + turn) % rank.max(1)).collect()
}

impl Pair {
    pub(super) fn weft_view(&self, view: &View) -> Result<DynArray, Mistake> {
        let base = &self.weft[view.base];
        let mut info = Vec::new();
        for (extent, cut) in base.shape().iter().zip(&view.cuts) {
            let Slice { start, end, step } = slice(*extent, *cut);
            info.push(ndarray::SliceInfoElem::Slice { start, end, step });
        }
        Ok(base.slice(info)?.permute(&turned(base.ndim(), view.turn))?)
    }

    pub(super) fn eager_view(&self, view: &View) -> ArrayD<Scalar> {
        let mut base = self.eager[view.base].view();
        for (axis, cut) in view.cuts.iter().take(base.ndim()).enumerate() {
            base.slice_axis_inplace(Axis(axis), slice(base.len_of(Axis(axis)), *cut));
        }
        let order = turned(base.ndim(), view.turn);
        base.permuted_axes(IxDyn(&order)).to_owned()
    }

    pub(super) fn eager_view_mut(&mut self, view: &View) -> ArrayViewMutD<'_, Scalar> {
        let mut base = self.eager[view.base].view_mut();
        for (axis, cut) in view.cuts.iter().take(base.ndim()).enumerate() {
            let cut = slice(base.len_of(Axis(axis)), *cut);
            base.slice_axis_inplace(Axis(axis), cut);
        }
        let order = turned(base.ndim(), view.turn);
        base.permuted_axes(IxDyn(&order))
    }

    /// Returns both sides of a view.
    pub(super) fn both(&self, view: &View) -> Result<(DynArray, ArrayD<Scalar>), Mistake> {
        Ok((self.weft_view(view)?, self.eager_view(view)))
    }
}

/// Reduces an array that broadcasts to a shape: to the first position of excess axes, and to as
/// many positions of other axes as fit. Returns `None` if an axis without elements would have to be
/// broadcast.
pub(super) fn fit(
    weft: &DynArray,
    eager: &ArrayD<Scalar>,
    dims: &[usize],
) -> Result<Option<(DynArray, ArrayD<Scalar>)>, Mistake> {
    let (mut weft, mut eager) = (weft.clone(), eager.clone());
    while eager.ndim() > dims.len() {
        if eager.len_of(Axis(0)) == 0 {
            return Ok(None);
        }
        weft = weft.slice([ndarray::SliceInfoElem::Index(0)])?;
        eager = eager.index_axis_move(Axis(0), 0);
    }
    let ahead = dims.len() - eager.ndim();
    for axis in 0..eager.ndim() {
        let (is, wanted) = (eager.len_of(Axis(axis)), dims[ahead + axis]);
        let count = match (is, wanted) {
            (0, 1..) => return Ok(None),
            _ if is >= wanted => wanted,
            _ => 1,
        };
        let whole = ndarray::SliceInfoElem::from(..);
        let mut info = vec![whole; axis];
        info.push(ndarray::SliceInfoElem::from(..count as isize));
        weft = weft.slice(info)?;
        eager.slice_axis_inplace(Axis(axis), Slice::from(..count));
    }
    Ok(Some((weft, eager)))
}
