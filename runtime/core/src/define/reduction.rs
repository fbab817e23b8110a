//! Reductions of the contributions of tiles to one array.

#![allow(
    unsafe_code,
    reason = "reads and writes operands through the addresses of their tiles"
)]

use std::sync::Arc;

use weft_elements::nest::Nest;
use weft_elements::{Handle, Run, Tile};
use weft_geometry::{Projection, Tiling};

use crate::dtype::{
    Comparable, DType, Element, Number, Scalar, ScalarBits, with_comparable, with_number,
};
use crate::error::Cause;
use crate::operation::{Body, CpuTask, Declared, Descriptor, Kernels};
use crate::say::say;
use crate::shape::{Layout, Shape};

/// An operator that combines contributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The minimum.
    Min,
    /// The maximum.
    Max,
}

impl Reduction {
    /// All reductions.
    pub const ALL: [Reduction; 4] = [
        Reduction::Add,
        Reduction::Mul,
        Reduction::Min,
        Reduction::Max,
    ];

    /// Returns the name: `add`, `mul`, `min` or `max`.
    pub const fn name(self) -> &'static str {
        match self {
            Reduction::Add => "add",
            Reduction::Mul => "mul",
            Reduction::Min => "min",
            Reduction::Max => "max",
        }
    }

    /// Returns the reduction with this name, ignoring case.
    pub fn from_name(name: &str) -> Option<Reduction> {
        let mut all = Reduction::ALL.into_iter();
        all.find(|one| one.name().eq_ignore_ascii_case(name))
    }

    /// Returns the identity, which a tile's contribution is initialised with; `None` if the
    /// reduction is not defined for the dtype.
    pub fn identity(self, dtype: DType) -> Option<Scalar> {
        fn number_identity<T: Number>(reduction: Reduction) -> Scalar {
            match reduction {
                Reduction::Mul => T::ONE,
                _ => T::ZERO,
            }
            .to_scalar()
        }
        fn ordered_identity<T: Comparable>(reduction: Reduction) -> Scalar {
            match reduction {
                Reduction::Max => T::LOWEST,
                _ => T::HIGHEST,
            }
            .to_scalar()
        }
        match self {
            Reduction::Add | Reduction::Mul => {
                with_number!(dtype, T => Some(number_identity::<T>(self)), else None)
            }
            Reduction::Min | Reduction::Max => {
                with_comparable!(dtype, T => Some(ordered_identity::<T>(self)), else None)
            }
        }
    }
}

/// Kernel that combines the contributions of tiles in order.
#[derive(Debug, Hash)]
struct Combine {
    reduction: Reduction,
    /// Message for the case that no tile has contributed anything.
    nothing: Option<String>,
}

/// Returns the operation that combines the tiles' contributions, a row each, with the previous
/// values [rows, out]. Rows are combined in order. With a message `nothing`, one task prints it if
/// no row has changed. This is not a failure, since contributions may legitimately equal the
/// identity.
pub(super) fn combine(reduction: Reduction, nothing: Option<String>) -> Body {
    let operands = vec![Declared::read(Projection::beside(0)), Declared::UPDATE];
    let tiling = match nothing {
        Some(_) => Tiling::Whole,
        None => Tiling::Processors { work: 8 },
    };
    let descriptor = Descriptor {
        kernel: reduction.name(),
        ..Descriptor::new("combine", operands, Combine { reduction, nothing })
    };
    Handle::shared(Arc::new(descriptor.tiled(tiling)))
}

impl Kernels for Combine {
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [rows, out] = task.expect();
        if let Some(text) = &self.nothing
            && self.reduction.changes_nothing(rows)
        {
            say(format_args!("weft: {text}"));
        }
        self.reduction.combine(rows, out);
        Ok(())
    }
}

/// Combines each element of `row` into the element of `out` at the same position.
///
/// # Panics
/// Panics if the lengths differ.
pub(super) fn combine_rows<T: Element>(reduction: Reduction, row: &[T], out: &mut [T]) {
    assert_eq!(row.len(), out.len(), "as many elements were compared");
    let layout = |dims: &[usize]| Shape::new(dims).map(Layout::contiguous);
    let (Some(rows), Some(one)) = (layout(&[1, row.len()]), layout(&[row.len()])) else {
        return;
    };
    // SAFETY: the slices have as many elements as the layouts, initialised and of this type; those
    // of the row are only read.
    let (rows, mut out) = unsafe {
        let rows = Tile::new(row.as_ptr().cast_mut().cast(), T::DTYPE, rows);
        (rows, Tile::new(out.as_mut_ptr().cast(), T::DTYPE, one))
    };
    reduction.combine(&rows, &mut out);
}

impl Reduction {
    /// Returns whether there are elements, and all of them equal the identity.
    fn changes_nothing(self, rows: &Tile<'_>) -> bool {
        let Some(identity) = self.identity(rows.dtype()) else {
            return false;
        };
        let (layout, size) = (rows.layout(), rows.dtype().size());
        let identity = ScalarBits::from_scalar(&identity);
        let shape = layout.shape;
        let is_identity = |position: usize| {
            let offset = layout.offset_of(&shape.unravel(position)[..shape.rank()]);
            let element = rows.data().wrapping_add(offset * size);
            // SAFETY: the element belongs to the tile's layout: it is initialised, and only read
            // while this task runs.
            let element = unsafe { std::slice::from_raw_parts(element, size) };
            *element == identity.bytes[..size]
        };
        !shape.is_empty() && (0..shape.len()).all(is_identity)
    }

    /// Combines each element of the output with those at the same position in all rows.
    fn combine(self, rows: &Tile<'_>, out: &mut Tile<'_>) {
        match self {
            Reduction::Add => {
                with_number!(out.dtype(), T => each::<T>(rows, out, T::plus), else ())
            }
            Reduction::Mul => {
                with_number!(out.dtype(), T => each::<T>(rows, out, T::times), else ());
            }
            Reduction::Min => {
                with_comparable!(out.dtype(), T => each::<T>(rows, out, T::smaller), else ());
            }
            Reduction::Max => {
                with_comparable!(out.dtype(), T => each::<T>(rows, out, T::larger), else ());
            }
        }
    }
}

/// Combines each element of the output with those at the same position in all rows, in row order.
fn each<T: Element>(rows: &Tile<'_>, out: &mut Tile<'_>, combine: impl Fn(T, T) -> T) {
    let count = rows.dims().first().copied().unwrap_or(0);
    for row in 0..count {
        let Some(layout) = rows.layout().index(0, row as isize) else {
            continue;
        };
        // SAFETY: a row lies in its tile, whose guarantees hold for it.
        let row = unsafe { Tile::new(rows.data(), rows.dtype(), layout) };
        Nest::new([&row, &*out]).for_each_run(&mut |run| {
            let Run {
                at: [from, to],
                steps: [from_step, to_step],
                count,
            } = run;
            for at in 0..count as isize {
                let from = from.wrapping_offset(from_step * at).cast::<T>();
                let to = to.wrapping_offset(to_step * at).cast::<T>();
                // SAFETY: as the tiles guarantee; a run stays inside them.
                unsafe { to.write(combine(to.read(), from.read())) };
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_rows_equal_to_the_identity() {
        let changes = |reduction: Reduction, rows: &mut [f64]| {
            let layout = Layout::contiguous(Shape::new(&[rows.len() / 2, 2]).unwrap());
            // SAFETY: the vector has as many elements as the layout, and is borrowed as long as the
            // tile.
            let rows = unsafe { Tile::new(rows.as_mut_ptr().cast(), DType::F64, layout) };
            !reduction.changes_nothing(&rows)
        };
        assert!(!changes(Reduction::Add, &mut [0.0; 6]));
        assert!(changes(Reduction::Add, &mut [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
        assert!(!changes(Reduction::Mul, &mut [1.0; 4]));
        assert!(changes(Reduction::Mul, &mut [0.0; 4]));
        assert!(!changes(Reduction::Min, &mut [f64::INFINITY; 2]));
        // Without elements, no contribution is missing.
        assert!(changes(Reduction::Add, &mut []));
    }
}
