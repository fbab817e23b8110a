//! Reductions.

use super::harness::{Cases, Expected, On, exactly, is_inexact, moderate, size, unit};
use crate::cuda::testing::dtypes;
use crate::dtype::{DType, Scalar};
use crate::kernel::testing::{Draw, Operand};
use crate::kernel::{ReduceOp, linear, reduce};
use crate::library;
use crate::shape::{MAX_DIMS, Shape};

/// Shapes for all ways of sharing work among threads: one block and many, long rows and short ones,
/// and few elements.
const SHAPES: [&[usize]; 12] = [
    &[1],
    &[],
    &[37],
    &[300],
    &[20_011],
    &[3, 5],
    &[60, 311],
    &[1500, 7],
    &[7, 1500],
    &[5, 9, 203],
    &[2, 3, 4, 5, 6],
    &[2, 1, 3, 2, 1, 2, 2, 3],
];

/// Shapes for reductions along an axis.
const LINES: [&[usize]; 10] = [
    &[1],
    &[7000],
    &[3, 5],
    &[2, 9000],
    &[9000, 3],
    &[70, 200],
    &[700, 11],
    &[4, 37, 5],
    &[2, 3, 4, 5, 6],
    &[0, 4],
];

const WHOLE: [ReduceOp; 9] = [
    ReduceOp::Sum,
    ReduceOp::Prod,
    ReduceOp::Min,
    ReduceOp::Max,
    ReduceOp::FMin,
    ReduceOp::FMax,
    ReduceOp::Any,
    ReduceOp::All,
    ReduceOp::CountNonzero,
];

/// Dtypes whose results are rounded.
pub(super) const INEXACT: [DType; 5] =
    [DType::F16, DType::F32, DType::F64, DType::C64, DType::C128];

pub(super) fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap()
}

/// Returns a value whose products with others stay in the middle of a float's range.
fn factor(draw: &mut Draw, dtype: DType) -> Scalar {
    if is_inexact(dtype) {
        Scalar::F64(1.0 + draw.tame(DType::F64).to::<f64>() / 4096.0).cast(dtype)
    } else {
        draw.value(dtype)
    }
}

/// Returns values for which an operation has the same result, or nearly, in any order of terms.
fn value(op: ReduceOp, draw: &mut Draw, dtype: DType) -> Scalar {
    match op {
        ReduceOp::Sum => moderate(draw, dtype),
        ReduceOp::Prod => factor(draw, dtype),
        // A value that decides the result is rare, so that the kernel has to find it.
        ReduceOp::Any if draw.below(5000) > 0 => Scalar::zero(dtype),
        ReduceOp::All if draw.below(5000) > 0 => Scalar::one(dtype),
        // NaN would hide all other values.
        ReduceOp::Min | ReduceOp::Max | ReduceOp::ArgMin | ReduceOp::ArgMax
            if draw.below(50) > 0 =>
        {
            moderate(draw, dtype)
        }
        _ => draw.value(dtype),
    }
}

/// Returns the allowed distance of sums, or products, of these terms from those in another order,
/// for one output each.
fn bounds(
    op: ReduceOp,
    dtype: DType,
    terms: usize,
    magnitudes: Vec<f64>,
) -> Option<Box<dyn Fn(usize) -> f64>> {
    if !is_inexact(dtype) || !matches!(op, ReduceOp::Sum | ReduceOp::Prod) {
        return None;
    }
    // Each factor of a product may be off; each term of a sum passes through at most this many
    // additions on either side.
    let steps = match op {
        ReduceOp::Sum => (terms as f64 / 128.0) + 128.0,
        // A product of complex numbers has more roundings.
        _ => 6.0 * terms as f64,
    };
    Some(Box::new(move |at| {
        1.01 * steps * unit(dtype) * magnitudes[at]
    }))
}

fn magnitude(op: ReduceOp, values: impl Iterator<Item = f64>) -> f64 {
    match op {
        ReduceOp::Sum => values.map(f64::abs).sum(),
        _ => values.map(f64::abs).product(),
    }
}

fn arrays(shapes: &[&[usize]], dtypes: &[DType], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dims in shapes {
        for &dtype in dtypes {
            for op in WHOLE.into_iter().filter(|op| op.is_defined(dtype)) {
                let input =
                    Operand::new(&mut draw, dtype, dims, false, |draw| value(op, draw, dtype));
                let to = op.output_dtype(dtype);
                let out = Operand::new(&mut draw, to, &[1], true, |draw| draw.value(to));
                let mut wanted = out.with_bytes(&out.bytes());
                reduce::partial(op, &input.tile(), &mut wanted.tile_mut());
                let values = input.values();
                let sizes = vec![magnitude(op, values.iter().map(size))];
                let expected = Expected {
                    operand: 1,
                    values: wanted,
                    tolerance: bounds(op, dtype, values.len(), sizes),
                };
                cases.add(
                    format!("{op} of {dtype} {dims:?} {:?}", input.layout),
                    library::reduce::partial(op),
                    shape(dims),
                    &[On::Tile(&input), On::Tile(&out)],
                    vec![expected],
                );
            }
        }
    }
    cases
}

#[test]
fn reduces_whole_float_arrays() {
    arrays(&SHAPES, &INEXACT, 1).check();
}

#[test]
fn reduces_whole_integer_arrays() {
    arrays(
        &SHAPES,
        &[
            DType::Bool,
            DType::I8,
            DType::I16,
            DType::I32,
            DType::I64,
            DType::U8,
            DType::U16,
            DType::U32,
            DType::U64,
        ],
        2,
    )
    .check();
}

#[test]
fn reduces_whole_arrays_to_positions() {
    let mut cases = Cases::new();
    let mut draw = Draw(3);
    for dims in SHAPES {
        for dtype in dtypes() {
            if dtype.is_complex() {
                continue;
            }
            for op in [ReduceOp::ArgMin, ReduceOp::ArgMax] {
                let input = Operand::new(&mut draw, dtype, dims, false, |draw| {
                    // Few different values, so that the first of equal ones matters.
                    if draw.below(3) == 0 {
                        draw.tame(DType::I32).cast(dtype)
                    } else {
                        value(op, draw, dtype)
                    }
                });
                let values = Operand::zeros(&[1], dtype);
                let indices = Operand::zeros(&[1], DType::I64);
                let [mut value, mut index] =
                    [&values, &indices].map(|out| out.with_bytes(&out.bytes()));
                let (mut whole, mut first) = (dims.to_vec(), [0; MAX_DIMS]);
                if let Some(dim) = whole.first_mut() {
                    *dim += 10;
                    first[0] = 4;
                }
                let whole = shape(&whole);
                reduce::partial_index(
                    op,
                    &input.tile(),
                    &first[..whole.rank()],
                    whole,
                    &mut value.tile_mut(),
                    &mut index.tile_mut(),
                );
                cases.add_part(
                    format!("{op} of {dtype} {dims:?} {:?}", input.layout),
                    library::reduce::partial_arg(op),
                    whole,
                    first,
                    &[On::Tile(&input), On::Tile(&values), On::Tile(&indices)],
                    vec![exactly(1, value), exactly(2, index)],
                    None,
                );
            }
        }
    }
    cases.check();
}

#[test]
fn combines_partial_results() {
    let mut cases = Cases::new();
    let mut draw = Draw(4);
    for count in [1, 2, 64, 700] {
        for dtype in dtypes() {
            for op in WHOLE.into_iter().filter(|op| op.is_defined(dtype)) {
                // Partial results have the type of the result.
                if op.output_dtype(dtype) != dtype && op != ReduceOp::CountNonzero {
                    continue;
                }
                if op == ReduceOp::CountNonzero && dtype != DType::I64 {
                    continue;
                }
                let input = Operand::new(&mut draw, dtype, &[count], false, |draw| {
                    value(op.combining(), draw, dtype)
                });
                let out = Operand::zeros(&[], dtype);
                let mut wanted = out.with_bytes(&out.bytes());
                reduce::combine(op, &input.tile(), &mut wanted.tile_mut());
                let values = input.values();
                let sizes = vec![magnitude(op.combining(), values.iter().map(size))];
                let expected = Expected {
                    operand: 1,
                    values: wanted,
                    tolerance: bounds(op.combining(), dtype, count, sizes),
                };
                let operands = [On::Tile(&input), On::Tile(&out)];
                let what = format!("{op} of {count} partial results of {dtype}");
                cases.add(
                    what,
                    library::reduce::combine(op),
                    Shape::SCALAR,
                    &operands,
                    vec![expected],
                );
            }
            if dtype.is_complex() {
                continue;
            }
            for op in [ReduceOp::ArgMin, ReduceOp::ArgMax] {
                let values = Operand::new(&mut draw, dtype, &[count], false, |draw| {
                    draw.tame(DType::I32).cast(dtype)
                });
                let indices = Operand::new(&mut draw, DType::I64, &[count], false, |draw| {
                    Scalar::I64(draw.below(1 << 40) as i64)
                });
                let out = Operand::zeros(&[], DType::I64);
                let mut wanted = out.with_bytes(&out.bytes());
                reduce::combine_index(op, &values.tile(), &indices.tile(), &mut wanted.tile_mut());
                let operands = [On::Tile(&values), On::Tile(&indices), On::Tile(&out)];
                let what = format!("{op} of {count} places of {dtype}");
                let body = library::reduce::combine_arg(op);
                cases.add(
                    what,
                    body,
                    Shape::SCALAR,
                    &operands,
                    vec![exactly(2, wanted)],
                );
            }
            if !dtype.is_bool() && !is_inexact(dtype) {
                let input =
                    Operand::new(&mut draw, dtype, &[count], false, |draw| draw.value(dtype));
                let out = Operand::zeros(&[], dtype);
                let mut wanted = out.with_bytes(&out.bytes());
                linear::combine_dot(&input.tile(), &mut wanted.tile_mut());
                let operands = [On::Tile(&input), On::Tile(&out)];
                let what = format!("the sum of {count} products of {dtype}");
                cases.add(
                    what,
                    library::linear::combine_dot(),
                    Shape::SCALAR,
                    &operands,
                    vec![exactly(1, wanted)],
                );
            }
        }
    }
    cases.check();
}

fn axes(shapes: &[&[usize]], dtypes: &[DType], ops: &[ReduceOp], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dims in shapes {
        for axis in 0..dims.len() {
            for &dtype in dtypes {
                for &op in ops.iter().filter(|op| op.is_defined(dtype)) {
                    let without = shape(dims).without(axis);
                    if dims[axis] == 0 && op.reduce_empty(dtype).is_none() {
                        continue;
                    }
                    let input =
                        Operand::new(&mut draw, dtype, dims, false, |draw| value(op, draw, dtype));
                    let to = op.output_dtype(dtype);
                    let out =
                        Operand::new(&mut draw, to, without.dims(), true, |draw| draw.value(to));
                    let mut wanted = out.with_bytes(&out.bytes());
                    if op.is_index() {
                        reduce::axis_index(op, axis, &input.tile(), &mut wanted.tile_mut());
                    } else {
                        reduce::axis(op, axis, &input.tile(), &mut wanted.tile_mut());
                    }
                    let values = input.values();
                    let inner: usize = dims[axis + 1..].iter().product();
                    let line = |at: usize| {
                        let first = at / inner * inner * dims[axis] + at % inner;
                        (0..dims[axis]).map(move |i| first + i * inner)
                    };
                    let sizes = (0..without.len())
                        .map(|at| magnitude(op, line(at).map(|flat| size(&values[flat]))));
                    let expected = Expected {
                        operand: 1,
                        values: wanted,
                        tolerance: bounds(op, dtype, dims[axis], sizes.collect()),
                    };
                    cases.add(
                        format!("{op} of {dtype} {dims:?} along {axis} {:?}", input.layout),
                        library::reduce::along(op, axis as u8, dims[axis]),
                        without,
                        &[On::Tile(&input), On::Tile(&out)],
                        vec![expected],
                    );
                }
            }
        }
    }
    cases
}

#[test]
fn reduces_floats_along_axes() {
    axes(&LINES, &INEXACT, ReduceOp::ALL, 5).check();
}

#[test]
fn reduces_integers_along_axes() {
    axes(
        &LINES,
        &[DType::Bool, DType::I8, DType::I32, DType::U16, DType::U64],
        ReduceOp::ALL,
        6,
    )
    .check();
}

/// Returns kernels of every reduction of every type, for the compiler.
pub(super) fn all() -> Vec<Cases> {
    // The depth of loops does not depend on the fold or on how a line is shared.
    let (flat, deep): ([&[usize]; 2], [&[usize]; 1]) = ([&[20_011], &[60, 311]], [&[7, 9, 203]]);
    let some = [ReduceOp::Sum, ReduceOp::ArgMax];
    vec![
        arrays(&flat, &dtypes().collect::<Vec<_>>(), 7),
        arrays(&deep, &[DType::F64], 8),
        axes(&flat[..1], &dtypes().collect::<Vec<_>>(), ReduceOp::ALL, 9),
        axes(&flat[1..], &dtypes().collect::<Vec<_>>(), &some, 10),
        axes(&deep, &[DType::F64], &some, 11),
    ]
}
