//! Arrays whose elements move along axes and enter again at the other end.

use smallvec::SmallVec;

use super::{View, checked};
use crate::shape::MAX_DIMS;
use weft_core::error::CallError;
use weft_core::operation;

/// Neighbouring positions of an axis that keep their distance: first position in the source, first
/// position in the result, number of positions.
type Run = (usize, usize, usize);

impl View {
    /// Returns a copy with the elements moved by `shifts[axis]` places along each axis, as NumPy's
    /// `roll`. There is one shift for each axis.
    pub(crate) fn roll(&self, shifts: &[isize]) -> Result<View, CallError> {
        let out = View::unwritten(&self.core, self.dtype(), self.layout.shape)?;
        let axes: SmallVec<[SmallVec<[Run; 2]>; MAX_DIMS]> = self
            .dims()
            .iter()
            .zip(shifts)
            .map(|(&length, &shift)| runs(length, shift))
            .collect();
        let blocks: usize = axes.iter().map(SmallVec::len).product();
        for block in 0..blocks {
            let (mut from, mut to, mut rest) = (self.clone(), out.clone(), block);
            for (axis, runs) in axes.iter().enumerate() {
                let (source, target, count) = runs[rest % runs.len()];
                rest /= runs.len();
                if runs.len() > 1 {
                    from = from.part(axis, source, source + count);
                    to = to.part(axis, target, target + count);
                }
            }
            to.write(operation::copy(), &[(&from).into()])?;
        }
        Ok(out)
    }

    /// Returns a copy with `widths[axis]` more positions at both ends of each axis, which repeat
    /// the elements of the other end. No width exceeds the length of its axis.
    pub(crate) fn wrap(&self, widths: &[usize]) -> Result<View, CallError> {
        let dims: SmallVec<[usize; MAX_DIMS]> = self
            .dims()
            .iter()
            .zip(widths)
            .map(|(length, width)| length + 2 * width)
            .collect();
        let out = View::unwritten(&self.core, self.dtype(), checked(&dims)?)?;
        let mut filled = out.clone();
        for (axis, (&length, &width)) in self.dims().iter().zip(widths).enumerate() {
            filled = filled.part(axis, width, width + length);
        }
        filled.write(operation::copy(), &[self.into()])?;
        for (axis, (&length, &width)) in self.dims().iter().zip(widths).enumerate() {
            if width == 0 {
                continue;
            }
            // Later axes have no margins yet, so that corners are copied with the last axis.
            let mut known = out.clone();
            for (later, start) in widths.iter().enumerate().skip(axis + 1) {
                known = known.part(later, *start, start + self.dims()[later]);
            }
            for (to, from) in [(0, length), (width + length, width)] {
                let source = known.part(axis, from, from + width);
                let target = known.part(axis, to, to + width);
                target.write(operation::copy(), &[(&source).into()])?;
            }
        }
        Ok(out)
    }
}

/// Returns the runs of positions of an axis that is rolled by `shift`.
fn runs(length: usize, shift: isize) -> SmallVec<[Run; 2]> {
    let shift = match length {
        0 => 0,
        _ => shift.rem_euclid(length as isize) as usize,
    };
    let mut runs: SmallVec<[Run; 2]> = SmallVec::new();
    runs.push((0, shift, length - shift));
    if shift > 0 {
        runs.push((length - shift, 0, shift));
    }
    runs
}
