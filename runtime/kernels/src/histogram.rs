//! Counts of values between edges.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use super::Tile;
use super::nest::{Nest, Run};
use super::search::{Line, Searches};
use super::sort::Ordered;
use crate::dtype::{CastFrom, DType, with_comparable};

/// Counts the elements of `values` in each bin, or adds up their weights (`f64`) in row-major
/// order. Bin `n` of `out` includes edge `n` and ends before the next one; the last bin includes
/// both. `edges` is a vector that increases, of the type of `values`. `out` is a vector with one
/// element less, of `i64` without weights and otherwise `f64`. NaN and values outside of the edges
/// are not counted.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn histogram(edges: &Tile, values: &Tile, weights: Option<&Tile>, out: &mut Tile) {
    assert_eq!(edges.dtype(), values.dtype(), "one order for both");
    let (&[length], &[bins]) = (edges.dims(), out.dims()) else {
        unreachable!("edges and counts are vectors");
    };
    assert_eq!(bins + 1, length, "a bin ends at the next edge");
    let dtype = weights.map_or(DType::I64, |weights| weights.dtype());
    assert!(
        dtype == out.dtype() && (weights.is_none() || dtype == DType::F64),
        "counts are i64, sums of weights f64"
    );
    with_comparable!(values.dtype(), T => match weights {
        None => {
            let mut counts = vec![0_i64; bins];
            each::<T, 1>(edges, [values], |bin, _| counts[bin] += 1);
            write(&counts, out);
        }
        Some(weights) => {
            let mut sums = vec![0.0_f64; bins];
            each::<T, 2>(edges, [values, weights], |bin, [_, weight]| {
                // SAFETY: by the promises made for the tile: an element of the weights.
                sums[bin] += unsafe { weight.cast::<f64>().read() };
            });
            write(&sums, out);
        }
    }, else unreachable!("values have an order"));
}

/// Calls `emit` with the bin of each value inside of the edges, and the places of the elements of
/// the operands, of which the values are the first.
fn each<T: Ordered, const N: usize>(
    edges: &Tile,
    operands: [&Tile; N],
    mut emit: impl FnMut(usize, [*const u8; N]),
) where
    f64: CastFrom<T>,
{
    let step = edges.byte_stride(0);
    let edge = |at: usize| {
        let at = edges.first().wrapping_offset(step * at as isize);
        // SAFETY: by the promises made for the tile; places are below its length.
        unsafe { at.cast::<T>().read() }
    };
    let length = edges.layout().shape.len();
    let ranks: Vec<_> = (0..length).map(|at| edge(at).rank()).collect();
    let line = Line::through(length, |at| f64::cast_from(edge(at)));
    let mut searches = Searches::new(length, line);
    Nest::in_order(operands).for_each_run(&mut |run: Run<N>| {
        let place = |k: usize, i: usize| run.at[k].wrapping_offset(run.steps[k] * i as isize);
        // SAFETY: by the promises made for the tiles; a run stays inside them.
        let value = |i: usize| unsafe { place(0, i).cast::<T>().read() };
        searches.each(
            run.count,
            |i| f64::cast_from(value(i)),
            |i| value(i).rank(),
            |rank, at| ranks[at] <= rank,
            |i, behind| {
                let is_last = behind == length && value(i).rank() == ranks[length - 1];
                let bin = behind.wrapping_sub(1 + usize::from(is_last));
                if bin < length - 1 {
                    emit(bin, std::array::from_fn(|k| place(k, i).cast_const()));
                }
            },
        );
    });
}

fn write<T: Copy>(counts: &[T], out: &Tile) {
    let step = out.byte_stride(0);
    for (bin, count) in counts.iter().enumerate() {
        let to = out.first().wrapping_offset(step * bin as isize);
        // SAFETY: by the promises made for the tile, which has as many elements of this type.
        unsafe { to.cast::<T>().write(*count) };
    }
}
