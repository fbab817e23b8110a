//! Linear interpolation between the points of a table.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::borrow::Cow;
use std::slice;

use super::Tile;
use super::nest::{Nest, Run};
use super::search::{Line, Searches};
use crate::dtype::DType;

/// Sets each element of `out` to the value, at the same element of `at`, of the function that joins
/// the points of `x`, which increases, and `y` by straight lines. All are `f64`; `x` and `y` are
/// vectors of one length above 0. Before the first point and after the last one, the results are
/// `ends`, or the values of these points. The result of NaN is NaN, except from a single point. As
/// in NumPy, a point with an infinite value does not make the results next to it NaN.
///
/// # Panics
/// Panics if the shapes or types do not fit.
pub fn interpolate(ends: [Option<f64>; 2], at: &Tile, x: &Tile, y: &Tile, out: &mut Tile) {
    for tile in [at, x, y, out] {
        assert_eq!(tile.dtype(), DType::F64, "interpolation of f64");
    }
    assert!(
        x.dims() == y.dims() && !x.layout().shape.is_empty(),
        "points are there"
    );
    let (x, y) = (elements(x), elements(y));
    let table = Table::new(ends, &x, &y, at.layout().shape.len());
    let line = Line::through(x.len(), |at| x[at]);
    let mut searches = Searches::new(x.len(), line);
    Nest::new([at, out]).for_each_run(&mut |run: Run<2>| {
        let [from, to] = [0, 1].map(|k| {
            move |i: usize| {
                let element = run.at[k].wrapping_offset(run.steps[k] * i as isize);
                element.cast::<f64>()
            }
        });
        // SAFETY: by the promises made for the tiles; a run stays inside them.
        let value = |i: usize| unsafe { from(i).read() };
        searches.each(
            run.count,
            value,
            value,
            |value, at| x[at] <= value,
            // SAFETY: as above.
            |i, place| unsafe { to(i).write(table.at(value(i), place)) },
        );
    });
}

/// The elements of a vector, copied if they are not contiguous.
fn elements<'a>(vector: &'a Tile) -> Cow<'a, [f64]> {
    let length = vector.layout().shape.len();
    if vector.layout().is_contiguous() {
        let first = vector.first().cast::<f64>();
        // SAFETY: by the promises made for the tile, which has `length` contiguous elements.
        return Cow::Borrowed(unsafe { slice::from_raw_parts(first, length) });
    }
    let step = vector.byte_stride(0);
    let read = |at: usize| {
        let element = vector.first().wrapping_offset(step * at as isize);
        // SAFETY: as above.
        unsafe { element.cast::<f64>().read() }
    };
    Cow::Owned((0..length).map(read).collect())
}

/// The points of a function.
struct Table<'a> {
    x: &'a [f64],
    y: &'a [f64],
    /// The slope after each point but the last, computed once if each is needed about once.
    slopes: Option<Vec<f64>>,
    ends: [f64; 2],
}

impl<'a> Table<'a> {
    fn new(ends: [Option<f64>; 2], x: &'a [f64], y: &'a [f64], uses: usize) -> Table<'a> {
        let last = x.len() - 1;
        let slopes = (uses >= x.len()).then(|| (0..last).map(|at| slope(x, y, at)).collect());
        Table {
            x,
            y,
            slopes,
            ends: [ends[0].unwrap_or(y[0]), ends[1].unwrap_or(y[last])],
        }
    }

    /// The function at a value that has `place` points at or before it.
    #[inline(always)]
    fn at(&self, value: f64, place: usize) -> f64 {
        let (x, y) = (self.x, self.y);
        let last = x.len() - 1;
        if value.is_nan() {
            return if last == 0 { y[0] } else { value };
        }
        let Some(point) = place.checked_sub(1) else {
            return self.ends[0];
        };
        if value > x[last] {
            return self.ends[1];
        }
        if point == last || x[point] == value {
            return y[point];
        }
        let slope = match &self.slopes {
            Some(slopes) => slopes[point],
            None => slope(x, y, point),
        };
        let found = slope * (value - x[point]) + y[point];
        if !found.is_nan() {
            return found;
        }
        // If a value is infinite, starts from the other end. Between equal values the result is
        // that value.
        let found = slope * (value - x[point + 1]) + y[point + 1];
        match found.is_nan() && y[point] == y[point + 1] {
            true => y[point],
            false => found,
        }
    }
}

/// The slope between a point and the next one.
#[inline(always)]
fn slope(x: &[f64], y: &[f64], at: usize) -> f64 {
    (y[at + 1] - y[at]) / (x[at + 1] - x[at])
}
