//! Sets of elements of a store that views touch, in a form with fast overlap tests.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{Block, Cut, Image, Layout, Shape};

/// Indices `first`, `first + step`, ... up to `last` along one axis of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: usize,
    last: usize,
    step: usize,
}

impl Span {
    /// Whether the spans have a common index.
    fn overlaps(&self, other: &Span) -> bool {
        if self.first > other.last || other.first > self.last {
            return false;
        }
        if self.step == 1 && other.step == 1 {
            return true;
        }
        let (low, high) = if self.first <= other.first {
            (self, other)
        } else {
            (other, self)
        };
        let Some(steps) = steps_until_common(low, high) else {
            return false;
        };
        let first = high.first as u128 + steps as u128 * high.step as u128;
        first <= low.last.min(high.last) as u128
    }

    /// Returns the number of common indices.
    fn shared(&self, other: &Span) -> usize {
        let last = self.last.min(other.last);
        if self.step == 1 && other.step == 1 {
            let first = self.first.max(other.first);
            return (last + 1).saturating_sub(first);
        }
        let (low, high) = if self.first <= other.first {
            (self, other)
        } else {
            (other, self)
        };
        let Some(steps) = steps_until_common(low, high) else {
            return 0;
        };
        let first = high.first as u128 + steps as u128 * high.step as u128;
        let period =
            low.step as u128 / common_divisor(low.step, high.step) as u128 * high.step as u128;
        match (last as u128).checked_sub(first) {
            // This is at most the number of indices of the smaller span.
            Some(reach) => (reach / period) as usize + 1,
            None => 0,
        }
    }

    /// Whether this span contains every index of `other`.
    fn holds(&self, other: &Span) -> bool {
        self.first <= other.first
            && other.last <= self.last
            && (self.step == 1
                || ((other.first == other.last || other.step.is_multiple_of(self.step))
                    && (other.first - self.first).is_multiple_of(self.step)))
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// Returns the number of steps of `high`, which starts at or after `low`, to the first index that
/// `low` would contain if it had no end; `None` if there is none. The congruence is solved by
/// Euclid's extended algorithm.
fn steps_until_common(low: &Span, high: &Span) -> Option<usize> {
    // The pair is (divisor, factor), with divisor = factor * high.step modulo low.step.
    let (mut a, mut b) = ((low.step, 0_i128), (high.step % low.step, 1_i128));
    while b.0 > 0 {
        let quotient = a.0 / b.0;
        (a, b) = (b, (a.0 % b.0, a.1 - quotient as i128 * b.1));
    }
    let (common, inverse) = a;
    let missing = (low.step - (high.first - low.first) % low.step) % low.step;
    if !missing.is_multiple_of(common) {
        return None;
    }
    let period = (low.step / common) as u128;
    let inverse = inverse.rem_euclid(period as i128) as u128;
    // Both factors are below the period, which fits an index.
    let steps = (missing / common) as u128 % period * inverse % period;
    usize::try_from(steps).ok()
}

/// The indices along an axis of a store that a tile of an image touches, if not all.
#[derive(Clone, Debug)]
struct Runs {
    axis: usize,
    /// The position of the image's index 0 along that axis.
    origin: usize,
    image: Arc<Image>,
    tile: usize,
}

impl Runs {
    /// Returns the runs between the indices `first` and `last` of the axis, clipped to them.
    fn meeting(&self, first: usize, last: usize) -> impl Iterator<Item = (usize, usize)> {
        let runs = self.image.of_tile(self.tile);
        let low = first.saturating_sub(self.origin);
        let high = (last + 1).saturating_sub(self.origin).max(low);
        let start = runs.partition_point(|(_, end)| *end <= low);
        let meeting = runs[start..].iter().take_while(move |run| run.0 < high);
        meeting.map(move |(first, end)| (*first.max(&low), *end.min(&high)))
    }

    /// Whether both have the same indices.
    fn are(&self, other: &Runs) -> bool {
        let place = |runs: &Runs| (runs.axis, runs.origin, runs.tile);
        place(self) == place(other) && self.image == other.image
    }

    /// Whether a region may have an element with one of these indices.
    fn may_meet(&self, other: &Region) -> bool {
        match other.spans.get(self.axis) {
            Some(span) if span.step == 1 => self.meeting(span.first, span.last).next().is_some(),
            // The other region's own gaps are ignored.
            _ => true,
        }
    }
}

/// A set of elements of a store.
///
/// If the view is a strided box along the store's own axes, the region is that box, possibly with
/// gaps along one axis. Every region has the interval of linear indices that contains it.
#[derive(Clone, Debug)]
pub struct Region {
    first: usize,
    last: usize,
    /// Empty if the view is not a box of the store (reshaped or diagonal views). Then only the
    /// interval counts.
    spans: SmallVec<[Span; 2]>,
    boxed: bool,
    /// The indices of the box that belong to the region, if not all.
    runs: Option<Box<Runs>>,
}

impl Region {
    /// Returns the elements that `view` touches in a row-major store of this shape; `None` if there
    /// are none.
    #[inline]
    pub fn of(view: &Layout, store: &Shape) -> Option<Region> {
        if view.shape.dims().contains(&0) {
            return None;
        }
        let (mut first, mut last) = (view.offset as isize, view.offset as isize);
        for (extent, stride) in view.shape.dims().iter().zip(&view.strides) {
            let reach = (*extent as isize - 1) * stride;
            if reach < 0 {
                first += reach
            } else {
                last += reach
            }
        }
        let spans = boxed(view, store);
        Some(Region {
            first: first as usize,
            last: last as usize,
            boxed: spans.is_some(),
            spans: spans.unwrap_or_default(),
            runs: None,
        })
    }

    /// Removes the gaps of a tile of an image along an axis of `view`, if that axis follows an axis
    /// of the store.
    pub(crate) fn with_gaps(
        mut self,
        view: &Layout,
        axis: usize,
        store: &Shape,
        image: &Arc<Image>,
        cut: &Cut,
    ) -> Region {
        let (tile, next) = cut.tiles();
        let step = usize::try_from(view.strides[axis]).unwrap_or(0);
        let mut block: usize = store.dims().iter().product();
        let own = store.dims().iter().position(|extent| {
            block /= extent;
            *extent > 1 && block == step
        });
        let (low, _) = image.bounds(tile..next);
        if let Some(own) = own
            && next - tile == 1
            && let Some(span) = self.spans.get(own)
            && let Some(origin) = span.first.checked_sub(low)
        {
            self.runs = Some(Box::new(Runs {
                axis: own,
                origin,
                image: image.clone(),
                tile,
            }));
        }
        self
    }

    /// Returns the first and the last linear index.
    #[inline]
    pub fn interval(&self) -> (usize, usize) {
        (self.first, self.last)
    }

    /// Returns a block of a store of this shape that contains the region, and whether the block has
    /// no other elements.
    #[inline]
    pub fn block(&self, store: &Shape) -> (Block, bool) {
        if self.boxed {
            let exact = self.runs.is_none() && self.spans.iter().all(|span| span.step == 1);
            let bounds = self.spans.iter().map(|span| (span.first, span.last + 1));
            return (Block::new(bounds), exact);
        }
        // Whole rows of the outermost axis.
        let rows = store.dims().first().copied().unwrap_or(1).max(1);
        let row = (store.len() / rows).max(1);
        let first = (self.first / row, self.last / row + 1);
        let rest = store.dims().iter().skip(1).map(|extent| (0, *extent));
        (Block::new(std::iter::once(first).chain(rest)), false)
    }

    /// Whether the regions may overlap. Never false if they do, and exact if both are boxes.
    #[inline]
    pub fn overlaps(&self, other: &Region) -> bool {
        self.first <= other.last
            && other.first <= self.last
            && (!self.boxed
                || !other.boxed
                || self
                    .spans
                    .iter()
                    .zip(&other.spans)
                    .all(|(a, b)| a.overlaps(b)))
            && self.runs.as_ref().is_none_or(|runs| runs.may_meet(other))
            && other.runs.as_ref().is_none_or(|runs| runs.may_meet(self))
    }

    /// Returns the number of common elements: exact if both are boxes, of which at most one has
    /// gaps, otherwise an upper bound.
    #[inline]
    pub fn shared(&self, other: &Region) -> usize {
        if self.boxed && other.boxed {
            let runs = self.runs.as_deref().or(other.runs.as_deref());
            let spans = self.spans.iter().zip(&other.spans).enumerate();
            let along = |(axis, (a, b)): (usize, (&Span, &Span))| match runs {
                Some(runs) if runs.axis == axis && a.step == 1 && b.step == 1 => {
                    let (first, last) = (a.first.max(b.first), a.last.min(b.last));
                    let meeting = runs.meeting(first, last);
                    meeting.map(|(first, end)| end - first).sum()
                }
                _ => a.shared(b),
            };
            return spans.map(along).product();
        }
        let last = self.last.min(other.last);
        (last + 1).saturating_sub(self.first.max(other.first))
    }

    /// Whether this region surely contains every element of `other`. Never true if it does not.
    #[inline]
    pub fn contains(&self, other: &Region) -> bool {
        if let Some(runs) = &self.runs
            && other.runs.as_ref().is_none_or(|others| !runs.are(others))
        {
            return false;
        }
        if self.boxed && other.boxed {
            return self.spans.iter().zip(&other.spans).all(|(a, b)| a.holds(b));
        }
        // An interval tells nothing about holes in this region, unless it is a box without holes.
        self.boxed && self.is_solid() && self.first <= other.first && other.last <= self.last
    }

    /// Removes the elements of `other` if the rest is a box again; otherwise changes nothing.
    #[inline]
    pub fn without(&mut self, other: &Region) {
        if !self.boxed || !other.boxed || other.runs.is_some() {
            return;
        }
        let mut differing = None;
        for (axis, (a, b)) in self.spans.iter().zip(&other.spans).enumerate() {
            if b.holds(a) {
                continue;
            }
            if differing.is_some() || a.step != 1 || b.step != 1 {
                return;
            }
            differing = Some(axis);
        }
        let Some(axis) = differing else { return };
        let (a, b) = (&mut self.spans[axis], other.spans[axis]);
        if b.first <= a.first && b.last >= a.first && b.last < a.last {
            a.first = b.last + 1;
        } else if b.last >= a.last && b.first <= a.last && b.first > a.first {
            a.last = b.first - 1;
        }
        // The interval is unchanged: wider than needed, but still valid.
    }

    /// Whether the linear interval has no holes: one axis varies in steps of 1, and the axes inside
    /// it are full.
    fn is_solid(&self) -> bool {
        let elements: usize = self
            .spans
            .iter()
            .map(|span| (span.last - span.first) / span.step + 1)
            .product();
        elements == self.last - self.first + 1
    }
}

/// Returns the spans of the most common views without divisions: the whole store, and a part along
/// one axis. This is most of the analysis of a small operation.
fn boxed_without_division(view: &Layout, dims: &[usize]) -> Option<SmallVec<[Span; 2]>> {
    let full = |extent: &usize| Span {
        first: 0,
        last: extent - 1,
        step: 1,
    };
    match (dims, view.shape.dims(), view.strides.as_slice()) {
        ([_], [extent], [stride, ..]) if *extent > 1 && *stride > 0 => {
            Some(SmallVec::from_slice(&[Span {
                first: view.offset,
                last: view.offset + (extent - 1) * stride.unsigned_abs(),
                step: stride.unsigned_abs(),
            }]))
        }
        _ if view.offset == 0 && view.shape.dims() == dims && view.is_contiguous() => {
            Some(dims.iter().map(full).collect())
        }
        _ => None,
    }
}

/// Returns the spans along the store's axes, if each axis of the view follows one axis of the
/// store.
fn boxed(view: &Layout, store: &Shape) -> Option<SmallVec<[Span; 2]>> {
    let dims = store.dims();
    if let Some(spans) = boxed_without_division(view, dims) {
        return Some(spans);
    }
    let mut spans: SmallVec<[Span; 2]> = SmallVec::with_capacity(dims.len());
    let mut block: usize = dims.iter().product();
    let mut rest = view.offset;
    for extent in dims {
        block /= extent;
        spans.push(Span {
            first: rest / block,
            last: rest / block,
            step: 1,
        });
        rest %= block;
    }
    for (extent, stride) in view.shape.dims().iter().zip(&view.strides) {
        if *extent == 1 || *stride == 0 {
            continue;
        }
        let length = stride.unsigned_abs();
        let mut block: usize = dims.iter().product();
        let axis = dims.iter().position(|extent| {
            block /= extent;
            *extent > 1 && block <= length
        })?;
        let span = &mut spans[axis];
        if !length.is_multiple_of(block) || span.first != span.last {
            return None;
        }
        let (step, reach) = (length / block, length / block * (extent - 1));
        if *stride > 0 {
            span.last += reach;
        } else {
            span.first = span.first.checked_sub(reach)?;
        }
        span.step = step;
        if span.last >= dims[axis] {
            return None;
        }
    }
    Some(spans)
}

#[cfg(test)]
mod tests;
