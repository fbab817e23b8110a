//! Matrix times matrix.

use super::super::nest::Strided;
use super::super::{DeviceTile, Kernel};
use super::LinearKernelKey;
use crate::dtype::DType;
use weft_core::cuda::{Args, Gemm, Launch, Matrix, Work};

/// The most blocks along rows.
const MAX_BLOCKS: usize = 65_535;

/// The number of rows and of columns of a block.
const SQUARE: usize = 64;

/// Returns the work; `None` if the result has no elements.
pub(in super::super) fn matmul(a: &DeviceTile, b: &DeviceTile, out: &DeviceTile) -> Option<Work> {
    let (&[rows, columns], &[_, inner]) = (out.layout.shape.dims(), a.layout.shape.dims()) else {
        unreachable!("a matrix has two dimensions");
    };
    if rows == 0 || columns == 0 {
        return None;
    }
    if matches!(out.dtype, DType::F32 | DType::F64)
        && let Some(gemm) = gemm(a, b, out)
    {
        return Some(Work::Gemm(gemm));
    }
    let mut args: Args = [a, b, out]
        .iter()
        .map(|tile| Strided::from_tile(tile).first)
        .collect();
    for tile in [a, b, out] {
        args.extend(tile.layout.strides[..2].iter().map(|&step| step as u64));
    }
    args.extend([rows, columns, inner].map(|count| count as u64));
    let down = rows.div_ceil(SQUARE).min(MAX_BLOCKS);
    Some(Work::Kernel(Launch {
        kernel: Kernel::from_source(LinearKernelKey::MatMul { dtype: out.dtype }),
        grid: [columns.div_ceil(SQUARE) as u32, down as u32, 1],
        block: [16, 16, 1],
        args,
    }))
}

/// Returns the product in the form of cuBLAS. A result with dense columns is the transposed product
/// of the transposed factors. Returns `None` if an operand has no dense axis.
fn gemm(a: &DeviceTile, b: &DeviceTile, out: &DeviceTile) -> Option<Gemm> {
    let (&[mut rows, mut columns], &[_, inner]) = (out.layout.shape.dims(), a.layout.shape.dims())
    else {
        return None;
    };
    let [mut a, mut b, mut c] = [matrix(a)?, matrix(b)?, matrix(out)?];
    if c.is_transposed {
        (a, b) = (b, a);
        (rows, columns) = (columns, rows);
        for each in [&mut a, &mut b, &mut c] {
            each.is_transposed = !each.is_transposed;
        }
    }
    Some(Gemm {
        dtype: out.dtype,
        rows,
        columns,
        inner,
        a,
        b,
        c,
    })
}

/// Returns a tile as a matrix with a dense axis. Returns `None` if it has none, or if elements
/// repeat or run backwards.
fn matrix(tile: &DeviceTile) -> Option<Matrix> {
    let &[rows, columns] = tile.layout.shape.dims() else {
        return None;
    };
    let [down, right] = [tile.layout.strides[0], tile.layout.strides[1]];
    // The step of an axis of length 1 is never used, so any step fits.
    let fits = |short: isize, inner: usize, long: isize, outer: usize| {
        let step = if outer == 1 {
            inner
        } else {
            usize::try_from(long).ok()?
        };
        ((short == 1 || inner == 1) && step >= inner).then_some(step)
    };
    let start = Strided::from_tile(tile).first;
    let dense = fits(right, columns, down, rows).map(|step| (step, false));
    let (step, is_transposed) =
        dense.or_else(|| fits(down, rows, right, columns).map(|step| (step, true)))?;
    Some(Matrix {
        start,
        step,
        is_transposed,
    })
}
