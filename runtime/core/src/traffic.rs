//! The number of bytes that a kernel moves between memory and processor, assuming that caches keep
//! all reused elements.

use smallvec::SmallVec;
use weft_geometry::{Access, Cut};

use crate::operation::{Operand, Operation, Role};
use crate::shape::Layout;

/// A view of an allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The address that its layout counts from.
    pub(crate) data: u64,
    /// Size of an element in bytes.
    pub(crate) size: usize,
    /// The positions of its elements.
    pub(crate) layout: &'a Layout,
}

impl View<'_> {
    fn bytes(&self) -> u64 {
        (self.layout.shape.len() * self.size) as u64
    }
}

/// Bytes that a launch moves between memory and processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub(crate) read: u64,
    pub(crate) written: u64,
}

/// The elements of one allocation that views of it cover.
struct Covered {
    data: u64,
    /// The sum of the views' elements, in bytes.
    all: u64,
    /// Offset of the first element; `end` is the offset after the last. Both in bytes.
    first: usize,
    end: usize,
}

/// Returns the number of bytes that reading these views takes from memory once. Elements shared by
/// views of one allocation count once: the five views of a stencil are one grid. An axis of step 0
/// is read once.
///
/// Views of one allocation count at most the interval between their first and last element, and at
/// most the sum of their elements. The exact figure is below both if views overlap in part and
/// leave gaps.
pub(crate) fn bytes_read<'a>(views: impl IntoIterator<Item = View<'a>>) -> u64 {
    let mut covered: SmallVec<[Covered; 8]> = SmallVec::new();
    for View { data, size, layout } in views {
        let Some((first, last)) = layout.extent() else {
            continue;
        };
        let axes = layout.shape.dims().iter().zip(&layout.strides);
        let distinct = axes.filter(|(_, step)| **step != 0);
        let elements: usize = distinct.map(|(&count, _)| count).product();
        let (bytes, first, end) = ((elements * size) as u64, first * size, (last + 1) * size);
        match covered.iter_mut().find(|other| other.data == data) {
            Some(other) => {
                other.all += bytes;
                other.first = other.first.min(first);
                other.end = other.end.max(end);
            }
            None => covered.push(Covered {
                data,
                all: bytes,
                first,
                end,
            }),
        }
    }
    let of = |covered: &Covered| covered.all.min((covered.end - covered.first) as u64);
    covered.iter().map(of).sum()
}

/// Returns the number of bytes that the task of an operation reads, each counted once; `view`
/// returns the view of an operand. An operand with indirect access (by indices or a search) counts
/// as many elements as the task writes, at most all of it. One with an exact image counts the
/// elements that the image names.
pub(crate) fn read_by<'a>(
    operation: &Operation,
    cut: &Cut,
    view: impl Fn(usize) -> Option<View<'a>>,
) -> u64 {
    let body = &operation.body;
    let operands = &operation.operands;
    let is_led = |at: usize| body.operand(at).is_led;
    let is_read = |at: usize| match &operands[at] {
        Operand::Array { .. } => body.operand(at).access != Access::Write,
        Operand::Host(_) => body.role == Role::Load,
        Operand::Scalar(_) => false,
    };
    let inputs = || (0..operands.len()).filter(|&at| is_read(at));
    let named = |at: usize| match &operands[at] {
        Operand::Array { store, layout, .. } => {
            let projection = &body.operand(at).projection;
            let bytes = || projection.count(layout, &operation.shape, cut) * store.dtype.size();
            projection.has_gaps(cut).then(|| bytes() as u64)
        }
        Operand::Host(_) | Operand::Scalar(_) => None,
    };
    let (mut walked, mut of_named) = (SmallVec::<[usize; 8]>::new(), 0);
    for at in inputs().filter(|&at| !is_led(at)) {
        match named(at) {
            Some(bytes) => of_named += bytes,
            None => walked.push(at),
        }
    }
    let led = inputs().filter(|&at| is_led(at)).filter_map(|at| {
        let (of, out) = (view(at)?, view(operands.len() - 1)?);
        let elements = of.layout.shape.len().min(out.layout.shape.len());
        Some((elements * of.size) as u64)
    });
    bytes_read(walked.into_iter().filter_map(&view)) + led.sum::<u64>() + of_named
}

/// Returns the traffic of a launch that reads and writes these views.
pub(crate) fn launch_traffic<'a>(
    read: impl IntoIterator<Item = View<'a>>,
    written: impl IntoIterator<Item = View<'a>>,
) -> Traffic {
    Traffic {
        read: bytes_read(read),
        written: written.into_iter().map(|view| view.bytes()).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    const GRID: u64 = 4096;

    fn view_of(data: u64, layout: &Layout) -> View<'_> {
        View {
            data,
            size: 8,
            layout,
        }
    }

    /// A view of a 10 by 10 grid.
    fn view(rows: usize, columns: usize, offset: usize, down: isize) -> Layout {
        let mut layout = Layout::contiguous(Shape::new(&[rows, columns]).unwrap());
        layout.strides[0] = down;
        layout.offset = offset;
        layout
    }

    #[test]
    fn overlapping_stencil_views_count_as_one_grid() {
        let layouts = [11, 1, 12, 10, 21].map(|offset| view(8, 8, offset, 10));
        let views = layouts.iter().map(|layout| view_of(GRID, layout));
        // From element 1 to element 98.
        assert_eq!(bytes_read(views), 98 * 8);
    }

    #[test]
    fn single_view_counts_its_own_elements() {
        assert_eq!(bytes_read([view_of(GRID, &view(10, 1, 3, 10))]), 10 * 8);
        // One row for all.
        assert_eq!(bytes_read([view_of(GRID, &view(10, 10, 0, 0))]), 10 * 8);
        let layout = Layout::contiguous(Shape::new(&[4]).unwrap());
        let other = View {
            data: 0,
            size: 4,
            layout: &layout,
        };
        assert_eq!(
            bytes_read([view_of(GRID, &view(10, 10, 0, 10)), other]),
            816
        );
    }
}
