use weft_core::operation::{self, Body, Computed};

use super::*;
use crate::dtype::{DType, Parameter, Scalar};
use crate::kernel::factor::FactorOp;
use crate::kernel::fourier::FourierOp;
use crate::kernel::random::Source;
use crate::library::fourier::Fourier;
use crate::library::generate::{Distribution, Generator};
use crate::library::{elementwise, factor, fourier, generate, index, linear, reduce, scan, sort};
use crate::shape::Shape;

/// Returns the arithmetic of an operation with these parts on a tile of `elements` elements.
fn arithmetic(body: &Body, dtype: DType, elements: u64, parts: &[&[usize]]) -> Option<(u64, bool)> {
    raised(body, dtype, elements, parts, None)
}

/// Returns the arithmetic of an operation with a value as the second operand.
fn raised(
    body: &Body,
    dtype: DType,
    elements: u64,
    parts: &[&[usize]],
    exponent: Option<Scalar>,
) -> Option<(u64, bool)> {
    let part = |at: usize| parts.get(at).and_then(|dims| Shape::new(dims));
    let operand = |at: usize| Some((dtype, exponent.filter(|_| at == 1)));
    let of = Computed::new(dtype, elements, &part, &operand);
    let known = body.kernels.arithmetic(&of)?;
    Some((known.operations, known.single))
}

fn count(body: &Body, dtype: DType, elements: u64, parts: &[&[usize]]) -> Option<u64> {
    arithmetic(body, dtype, elements, parts).map(|(operations, _)| operations)
}

/// Returns the operations on ten elements.
fn ten(body: &Body, dtype: DType) -> Option<u64> {
    count(body, dtype, 10, &[&[10], &[10], &[10]])
}

#[test]
fn counts_operations_per_element() {
    use BinaryOp::{Add, Div, FMax, Less, Maximum, Mul, Sub};
    for op in [Add, Sub, Mul, Div, FMax, Maximum] {
        assert_eq!(ten(&elementwise::binary(op), DType::F64), Some(10), "{op}");
        assert_eq!(ten(&elementwise::binary(op), DType::I64), Some(0), "{op}");
    }
    assert_eq!(ten(&elementwise::binary(Less), DType::F64), Some(0));
    for (op, each) in [(Add, 2), (Sub, 2), (Mul, 6), (Div, 10)] {
        assert_eq!(
            ten(&elementwise::binary(op), DType::C128),
            Some(10 * each),
            "{op}"
        );
    }
    for op in [UnaryOp::Sqrt, UnaryOp::Square, UnaryOp::Reciprocal] {
        assert_eq!(ten(&elementwise::unary(op), DType::F32), Some(10), "{op}");
    }
    for op in [UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Floor, UnaryOp::IsNan] {
        assert_eq!(ten(&elementwise::unary(op), DType::F64), Some(0), "{op}");
    }
}

#[test]
fn reports_no_count_for_system_math_functions() {
    for op in [UnaryOp::Tan, UnaryOp::Cbrt, UnaryOp::Asinh] {
        assert_eq!(ten(&elementwise::unary(op), DType::F64), None, "{op}");
    }
    for op in [BinaryOp::Pow, BinaryOp::Hypot, BinaryOp::Rem] {
        assert_eq!(ten(&elementwise::binary(op), DType::F64), None, "{op}");
        assert_eq!(ten(&elementwise::binary(op), DType::I32), Some(0), "{op}");
    }
    assert_eq!(ten(&elementwise::unary(UnaryOp::Exp), DType::C128), None);
    let square = Some(Scalar::F64(2.0));
    let known = raised(
        &elementwise::binary(BinaryOp::Pow),
        DType::F64,
        10,
        &[],
        square,
    );
    assert_eq!(known, Some((10, false)));
}

#[test]
fn arithmetic_records_computation_precision() {
    let add = elementwise::binary(BinaryOp::Add);
    for (dtype, single) in [
        (DType::F16, true),
        (DType::F32, true),
        (DType::C64, true),
        (DType::F64, false),
        (DType::C128, false),
    ] {
        let found = arithmetic(&add, dtype, 1, &[]).map(|(_, single)| single);
        assert_eq!(found, Some(single), "{dtype}");
    }
    // Elementary functions are computed in 64 bits.
    let exp = arithmetic(&elementwise::unary(UnaryOp::Exp), DType::F32, 10, &[]);
    assert_eq!(exp, Some((440, false)));
}

#[test]
fn moves_and_integers_count_no_operations() {
    for body in [
        operation::copy(),
        elementwise::cast(DType::F32),
        elementwise::select(),
        operation::read(),
        sort::sort(0),
        index::take(0),
        elementwise::fill(),
    ] {
        assert_eq!(ten(&body, DType::F64), Some(0), "{}", body.name);
    }
    let random = |distribution| {
        generate::generated(Generator::Random {
            distribution,
            source: Source { seed: 1, stream: 2 },
        })
    };
    assert_eq!(ten(&random(Distribution::Uniform), DType::F64), Some(10));
    assert_eq!(ten(&random(Distribution::Normal), DType::F64), None);
    assert_eq!(ten(&reduce::partial(ReduceOp::Sum), DType::I64), Some(0));
}

#[test]
fn reductions_count_elements_minus_results() {
    let sum = reduce::partial(ReduceOp::Sum);
    assert_eq!(count(&sum, DType::F64, 100, &[&[100], &[1]]), Some(99));
    // A task of four tiles.
    assert_eq!(count(&sum, DType::F64, 100, &[&[100], &[4]]), Some(96));
    assert_eq!(count(&sum, DType::C128, 100, &[&[100], &[1]]), Some(198));
    let combine = reduce::combine(ReduceOp::Sum);
    assert_eq!(count(&combine, DType::F64, 1, &[&[4], &[]]), Some(3));
    let rows = reduce::along(ReduceOp::Max, 1, 30);
    assert_eq!(count(&rows, DType::F32, 20, &[&[20, 30], &[20]]), Some(580));
    assert_eq!(count(&rows, DType::F32, 0, &[&[0, 30], &[0]]), Some(0));
    let all = reduce::partial(ReduceOp::All);
    assert_eq!(count(&all, DType::F64, 9, &[&[9], &[1]]), Some(0));
    let scan = scan::scan(ScanOp::CumSum, 1, false);
    assert_eq!(
        count(&scan, DType::F64, 600, &[&[20, 30], &[20, 30]]),
        Some(580)
    );
    assert_eq!(count(&scan, DType::F64, 0, &[&[20, 0], &[20, 0]]), Some(0));
}

#[test]
fn products_count_multiplications_and_additions() {
    let (dot, parts) = (linear::dot(), [&[100][..], &[100], &[1]]);
    assert_eq!(count(&dot, DType::F64, 100, &parts), Some(200));
    assert_eq!(count(&dot, DType::C64, 100, &parts), Some(800));
    let matvec = linear::matvec(30);
    let parts = [&[20, 30][..], &[30], &[20]];
    assert_eq!(count(&matvec, DType::F64, 20, &parts), Some(2 * 20 * 30));
    let matmul = linear::matmul(30);
    let parts = [&[20, 30][..], &[30, 40], &[20, 40]];
    assert_eq!(
        count(&matmul, DType::F32, 800, &parts),
        Some(2 * 20 * 30 * 40)
    );
    assert_eq!(
        count(&matmul, DType::C128, 800, &parts),
        Some(8 * 20 * 30 * 40)
    );
    assert_eq!(count(&matmul, DType::I64, 800, &parts), Some(0));
}

#[test]
fn transforms_and_factorizations_use_standard_counts() {
    let transform = |op| {
        fourier::fourier(Fourier {
            op,
            axis: 1,
            length: 1024,
            scale: Parameter(1.0),
        })
    };
    let forward = transform(FourierOp::Forward);
    let parts = [&[3, 1024][..], &[3, 1024]];
    assert_eq!(
        count(&forward, DType::C128, 3072, &parts),
        Some(3 * 5 * 1024 * 10)
    );
    let real = transform(FourierOp::RealForward);
    let parts = [&[3, 1024][..], &[3, 513]];
    let half = 3 * 5 * 1024 * 10 / 2;
    assert_eq!(count(&real, DType::F64, 1539, &parts), Some(half));
    let back = transform(FourierOp::RealInverse);
    let parts = [&[3, 513][..], &[3, 1024]];
    assert_eq!(count(&back, DType::C128, 3072, &parts), Some(half));

    let factored = |op, parts: &[&[usize]], dtype| {
        let body = factor::factor(
            op,
            Shape::new(&[2]).unwrap(),
            factor::Sizes {
                matrix: [1, 1],
                sides: 1,
            },
            [1, 1],
        );
        count(&body, dtype, 2, parts)
    };
    let square: &[usize] = &[2, 30, 30];
    let cube = 30 * 30 * 30;
    assert_eq!(
        factored(FactorOp::Cholesky, &[square, square], DType::F64),
        Some(2 * cube / 3)
    );
    assert_eq!(
        factored(FactorOp::Inv, &[square, square], DType::F64),
        Some(4 * cube)
    );
    assert_eq!(
        factored(FactorOp::Inv, &[square, square], DType::C128),
        Some(16 * cube)
    );
    let solve = FactorOp::Solve { vector: false };
    let parts: [&[usize]; 3] = [square, &[2, 30, 5], &[2, 30, 5]];
    let one = 2 * cube / 3 + 2 * 30 * 30 * 5;
    assert_eq!(factored(solve, &parts, DType::F64), Some(2 * one));
    let tall: &[usize] = &[1, 60, 30];
    let qr = 4 * (60 * 30 * 30 - cube / 3);
    assert_eq!(factored(FactorOp::Qr, &[tall], DType::F64), Some(qr));
}
