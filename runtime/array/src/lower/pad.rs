//! Padding, axis by axis.

use super::{View, checked, scalar_as, wrong};
use crate::dtype::Scalar;
use crate::library;
use weft_core::error::CallError;
use weft_core::operation;
use weft_core::site::Site;

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
    /// Returns a copy with padding before and after each axis.
    pub(crate) fn pad(
        &self,
        widths: &[(usize, usize)],
        mode: PadMode,
        call: Site,
    ) -> Result<View, CallError> {
        if let PadMode::Constant(value) = mode {
            return self.pad_around(widths, value, call);
        }
        let mut padded = self.clone();
        for (axis, width) in widths.iter().enumerate() {
            if *width != (0, 0) {
                padded = padded.pad_axis(axis, *width, mode, call)?;
            }
        }
        if widths.iter().all(|width| *width == (0, 0)) {
            return self.copied(call);
        }
        Ok(padded)
    }

    /// Returns a copy with a value around it. Each element is written once.
    fn pad_around(
        &self,
        widths: &[(usize, usize)],
        value: Scalar,
        call: Site,
    ) -> Result<View, CallError> {
        let sides = self.dims().iter().zip(widths);
        let sum = |(length, (before, behind)): (&usize, &(usize, usize))| {
            length.saturating_add(*before).saturating_add(*behind)
        };
        let dims: Vec<usize> = sides.map(sum).collect();
        let out = View::unwritten(&self.core, self.dtype(), checked(&dims)?, call)?;
        let fill = scalar_as(value, self.dtype())?;
        // Borders along an axis lie between those along earlier axes.
        let mut inside = out.clone();
        for (axis, (before, _)) in widths.iter().enumerate() {
            let end = before + self.dims()[axis];
            for (start, end) in [(0, *before), (end, dims[axis])] {
                let around = inside.part(axis, start, end);
                if !around.is_empty() {
                    around.write(library::elementwise::fill(), &[fill.into()], call)?;
                }
            }
            inside = inside.part(axis, *before, end);
        }
        if !inside.is_empty() {
            inside.write(operation::copy(), &[self.into()], call)?;
        }
        Ok(out)
    }

    fn pad_axis(
        &self,
        axis: usize,
        (before, behind): (usize, usize),
        mode: PadMode,
        call: Site,
    ) -> Result<View, CallError> {
        let length = self.dims()[axis];
        let mut dims = self.dims().to_vec();
        dims[axis] = length.saturating_add(before).saturating_add(behind);
        let out = View::unwritten(&self.core, self.dtype(), checked(&dims)?, call)?;
        out.put_part(axis, before, self, call)?;
        if length == 0 {
            let why = format!("axis {axis} has no elements to pad it with");
            return Err(wrong("pad", &why));
        }
        for (start, end) in [(0, before), (before + length, dims[axis])] {
            for piece in pieces(mode, length, start as isize - before as isize, end - start) {
                let around = out.part(axis, start + piece.at, start + piece.at + piece.count);
                let mut from = self.part(axis, piece.from, piece.from + piece.count);
                if piece.is_still {
                    from = self.part(axis, piece.from, piece.from + 1);
                } else if piece.is_backward {
                    let first = piece.from + 1 - piece.count;
                    from = self.part(axis, first, piece.from + 1).backwards(axis);
                }
                around.write(operation::copy(), &[(&from).into()], call)?;
            }
        }
        Ok(out)
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

/// Returns the sources of `count` positions of padding from `first` on, where 0 is the first
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
