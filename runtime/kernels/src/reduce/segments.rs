//! Reductions of segments of the first axis.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::along::{Line, fold_axis, fold_line};
use super::{check, with_fold};
use crate::dtype::DType;
use crate::index::OutOfBounds;
use crate::order::Fold;
use crate::part::Part;
use crate::{ReduceOp, Tile};

/// Computes `out[n, ..] = op(input[starts[n]..starts[n] + counts[n], ..])`. `starts` and `counts`
/// are `i64` of the shape of `out`, and the same along all axes but the first. Terms are in the
/// order of [`axis`](super::axis).
///
/// # Errors
/// Returns an error if a segment is empty or not inside of the axis.
///
/// # Panics
/// Panics if the shapes or types do not fit, or if `op` returns an index.
pub fn segments(
    op: ReduceOp,
    input: &Tile,
    starts: &Tile,
    counts: &Tile,
    out: &mut Tile,
) -> Result<(), OutOfBounds> {
    check(op, input.dtype(), out.dtype());
    let shape = out.layout().shape;
    for tile in [starts, counts] {
        assert_eq!(tile.dtype(), DType::I64, "places are i64");
        assert_eq!(tile.layout().shape, shape, "a place for each segment");
    }
    let length = input.dims()[0];
    let (source, target) = (input.without(0), out.without(0));
    assert_eq!(
        source.layout().shape,
        target.layout().shape,
        "the output has the other axes of the input"
    );
    if shape.is_empty() {
        return Ok(());
    }
    let is_vector = shape.rank() == 1;
    let step = input.byte_stride(0);
    with_fold!(op, input.dtype(), F => for n in 0..shape.dims()[0] {
        let [start, count] = [starts, counts].map(|tile| {
            let at = tile.first().wrapping_offset(tile.byte_stride(0) * n as isize);
            // SAFETY: by the promises made for the tiles, which have an element for each segment.
            unsafe { at.cast::<i64>().read() }
        });
        let (from, count) = match (usize::try_from(start), usize::try_from(count)) {
            (Ok(from), Ok(count)) if count > 0 && from <= length && count <= length - from => (from, count),
            _ => return Err(OutOfBounds { index: start, length }),
        };
        if is_vector && step == size_of::<<F as Fold>::In>() as isize {
            // SAFETY: by the promises made for the tile; the segment is inside of it.
            let result = unsafe {
                let first = input.first().wrapping_offset(step * from as isize);
                fold_line::<F>(std::slice::from_raw_parts(first.cast::<<F as Fold>::In>(), count))
            };
            let to = out.first().wrapping_offset(out.byte_stride(0) * n as isize);
            // SAFETY: by the promises made for the tile, which has an element for each segment.
            unsafe { to.cast::<<F as Fold>::Acc>().write(result) };
            continue;
        }
        let moved = |tile: &Tile, by: usize, stride: isize| {
            let mut layout = *tile.layout();
            layout.offset = layout.offset.wrapping_add_signed(stride * by as isize);
            layout
        };
        let segment = source.through(moved(&source, from, input.layout().strides[0]));
        let row = target.through(moved(&target, n, out.layout().strides[0]));
        fold_axis::<F>(Line { count, step }, &segment, &row);
    });
    Ok(())
}
