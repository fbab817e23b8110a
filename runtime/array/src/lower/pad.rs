//! Padding, axis by axis.

use super::{View, checked, scalar_as, wrong};
use crate::dtype::Scalar;
use crate::library;
use weft_core::error::CallError;
use weft_core::operation;

/// The values around a padded array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PadMode {
    /// A single value.
    Constant(Scalar),
    /// The outermost elements.
    Edge,
    /// The array mirrored at its outermost elements, which are not repeated.
    Reflect,
    /// The array mirrored at its edges: the outermost elements are repeated.
    Symmetric,
    /// The array repeated, from its other end.
    Wrap,
}

impl View {
    /// Returns a copy with padding before and after each axis. Each element is written once: the
    /// padding along an axis is copied from the result, whose earlier axes are complete.
    pub(crate) fn pad(&self, widths: &[(usize, usize)], mode: PadMode) -> Result<View, CallError> {
        let sides = self.dims().iter().zip(widths);
        let sum = |(length, (before, behind)): (&usize, &(usize, usize))| {
            length.saturating_add(*before).saturating_add(*behind)
        };
        let dims = checked(&sides.map(sum).collect::<Vec<usize>>())?;
        let is_empty = |axis: usize| self.dims()[axis] == 0 && widths[axis] != (0, 0);
        if !matches!(mode, PadMode::Constant(_))
            && let Some(axis) = (0..widths.len()).find(|axis| is_empty(*axis))
        {
            let why = format!("axis {axis} has no elements to pad it with");
            return Err(wrong("pad", &why));
        }
        let out = View::unwritten(&self.core, self.dtype(), dims)?;
        let inside = out.without_padding(widths.iter().enumerate(), self);
        if !inside.is_empty() {
            inside.write(operation::copy(), &[self.into()])?;
        }
        for (axis, (before, _)) in widths.iter().enumerate() {
            let row = out.without_padding(widths.iter().enumerate().skip(axis + 1), self);
            let end = before + self.dims()[axis];
            let middle = row.part(axis, *before, end);
            for (start, end) in [(0, *before), (end, row.dims()[axis])] {
                let around = row.part(axis, start, end);
                if around.is_empty() {
                    continue;
                }
                if let PadMode::Constant(value) = mode {
                    let fill = scalar_as(value, self.dtype())?;
                    around.write(library::elementwise::fill(), &[fill.into()])?;
                    continue;
                }
                let first = start as isize - *before as isize;
                for piece in pieces(mode, middle.dims()[axis], first, end - start) {
                    let target = around.part(axis, piece.at, piece.at + piece.count);
                    let source = piece.source(&middle, axis);
                    target.write(operation::copy(), &[(&source).into()])?;
                }
            }
        }
        Ok(out)
    }

    /// Returns the part of a padded array between the padding along these axes.
    fn without_padding<'a>(
        &self,
        axes: impl Iterator<Item = (usize, &'a (usize, usize))>,
        original: &View,
    ) -> View {
        let mut inner = self.clone();
        for (axis, (before, _)) in axes {
            inner = inner.part(axis, *before, before + original.dims()[axis]);
        }
        inner
    }
}

/// Neighbouring positions of a padded axis whose values are neighbours in the array too.
struct Piece {
    /// The first position, counted from the start of the padding.
    at: usize,
    count: usize,
    /// The position of its value in the array.
    from: usize,
    is_backward: bool,
    /// Whether all positions have the value of that one position.
    is_still: bool,
}

impl Piece {
    /// Returns the elements of the array without padding that these positions repeat.
    fn source(&self, array: &View, axis: usize) -> View {
        if self.is_still {
            array.part(axis, self.from, self.from + 1)
        } else if self.is_backward {
            let first = self.from + 1 - self.count;
            array.part(axis, first, self.from + 1).backwards(axis)
        } else {
            array.part(axis, self.from, self.from + self.count)
        }
    }
}

/// Returns the sources of `count` positions of padding starting at `first`, where 0 is the first
/// position of the array itself.
fn pieces(mode: PadMode, length: usize, first: isize, count: usize) -> Vec<Piece> {
    let (n, mut pieces) = (length as isize, Vec::new());
    let mut at = 0;
    while at < count {
        let place = first + at as isize;
        let left = count - at;
        let (from, is_backward, run) = match mode {
            PadMode::Wrap => {
                let from = place.rem_euclid(n);
                (from, false, (n - from) as usize)
            }
            PadMode::Symmetric => match place.rem_euclid(2 * n) {
                from if from < n => (from, false, (n - from) as usize),
                mirrored => (2 * n - 1 - mirrored, true, (2 * n - mirrored) as usize),
            },
            PadMode::Reflect if n > 1 => match place.rem_euclid(2 * n - 2) {
                from if from < n => (from, false, (n - from) as usize),
                mirrored => {
                    let from = 2 * n - 2 - mirrored;
                    (from, true, from as usize)
                }
            },
            _ => (place.clamp(0, n - 1), false, left),
        };
        let is_still = mode == PadMode::Edge || n == 1;
        let run = if is_still { left } else { run.min(left) };
        pieces.push(Piece {
            at,
            count: run,
            from: from as usize,
            is_backward,
            is_still,
        });
        at += run;
    }
    pieces
}
