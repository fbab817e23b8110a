//! The elements of a store that a view touches, in a form whose overlaps are quick to find.

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
    /// Whether both hold one index.
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

    /// How many indices both hold.
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
            // No more than there are indices in the smaller one.
            Some(reach) => (reach / period) as usize + 1,
            None => 0,
        }
    }

    /// Whether every index of `other` is one of this.
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

/// How many steps of `high`, which starts at or behind `low`, lead to the first index that `low` would hold too if it had no
/// end; `None` where none does. The congruence is solved by Euclid's extended algorithm.
fn steps_until_common(low: &Span, high: &Span) -> Option<usize> {
    // (divisor, factor): divisor = factor * high.step modulo low.step
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
    // Both factors are below the period, which an index holds.
    let steps = (missing / common) as u128 % period * inverse % period;
    usize::try_from(steps).ok()
}

/// The only indices along an axis of a store that a tile of an image touches.
#[derive(Clone, Debug)]
struct Runs {
    axis: usize,
    /// Where the image's index 0 is along that axis.
    origin: usize,
    image: Arc<Image>,
    tile: usize,
}

impl Runs {
    /// Those that meet the indices from `first` to `last` along the axis, as far as they do.
    fn meeting(&self, first: usize, last: usize) -> impl Iterator<Item = (usize, usize)> {
        let runs = self.image.of_tile(self.tile);
        let low = first.saturating_sub(self.origin);
        let high = (last + 1).saturating_sub(self.origin).max(low);
        let start = runs.partition_point(|(_, end)| *end <= low);
        let meeting = runs[start..].iter().take_while(move |run| run.0 < high);
        meeting.map(move |(first, end)| (*first.max(&low), *end.min(&high)))
    }

    /// Whether they are the same indices.
    fn are(&self, other: &Runs) -> bool {
        let place = |runs: &Runs| (runs.axis, runs.origin, runs.tile);
        place(self) == place(other) && self.image == other.image
    }

    /// Whether a region may have an element with one of the indices.
    fn may_meet(&self, other: &Region) -> bool {
        match other.spans.get(self.axis) {
            Some(span) if span.step == 1 => self.meeting(span.first, span.last).next().is_some(),
            // Which of its indices it skips, nobody asks.
            _ => true,
        }
    }
}

/// A set of elements of a store: a strided box along the store's own axes where the view is one, perhaps with only some of the indices along
/// one of them, and always the interval of linear indices it lies in.
#[derive(Clone, Debug)]
pub struct Region {
    first: usize,
    last: usize,
    /// Empty where the view is no box of the store (reshaped or diagonal views); then only the interval counts.
    spans: SmallVec<[Span; 2]>,
    boxed: bool,
    /// What of the box is meant, where that is not all.
    runs: Option<Box<Runs>>,
}

impl Region {
    /// The elements that `view` touches in a row-major store of this shape; `None` where it touches none.
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

    /// The same of one tile whose indices along an axis of `view` are those of an image, where these are indices along an axis of the store.
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

    /// The first and the last linear index that the elements lie between.
    #[inline]
    pub fn interval(&self) -> (usize, usize) {
        (self.first, self.last)
    }

    /// A block of a store of this shape that holds the elements, and whether it holds no others.
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

    /// Whether the two may share an element; never false where they do, and exact where both are boxes.
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

    /// How many elements the two share: exactly where both are boxes, of which one may have gaps, and at most so many otherwise.
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

    /// Whether every element of `other` is surely in this; never true where one is not.
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
        // An interval tells nothing of holes in this region, unless it is a box without any.
        self.boxed && self.is_solid() && self.first <= other.first && other.last <= self.last
    }

    /// What is left of this region without `other`, where that is a box again; unchanged otherwise.
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
        // The interval stays as it was: wider than needed, and still true.
    }

    /// Whether the linear interval has no holes: one axis varies in steps of 1, those inside it are full.
    fn is_solid(&self) -> bool {
        let elements: usize = self
            .spans
            .iter()
            .map(|span| (span.last - span.first) / span.step + 1)
            .product();
        elements == self.last - self.first + 1
    }
}

/// The spans of the views that most operands are, of the whole store and of a part of one axis, for which no number needs to be
/// divided: the analysis of a small operation is mostly this.
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

/// The spans along the store's axes, where each axis of the view walks along one axis of the store.
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
