//! Every operation for every type, compared with separate scalar code, over operands with any
//! memory layout.

#![allow(unsafe_code, reason = "computes in place")]

mod reference;

use proptest::prelude::*;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::elementwise::*;
use weft_kernels::shape::{Layout, Shape};
use weft_kernels::testing::{Draw, Operand, assert_near, assert_same};
use weft_kernels::{BinaryOp, UnaryOp};

use crate::shapes::dims;
use reference::{binary_reference, unary_reference};

/// Returns an output filled with values that the kernel must overwrite.
fn output(draw: &mut Draw, dtype: DType, dims: &[usize]) -> Operand {
    Operand::new(draw, dtype, dims, true, |draw| draw.value(dtype))
}

fn input(draw: &mut Draw, dtype: DType, dims: &[usize]) -> Operand {
    Operand::new(draw, dtype, dims, false, |draw| draw.value(dtype))
}

/// Returns the allowed distance from the standard library's result, in units in the last place.
/// Each of the two is within one unit of the exact value.
fn ulps(op: UnaryOp) -> u64 {
    use UnaryOp::{
        Abs, Acos, Acosh, Angle, Asin, Asinh, Atan, Atanh, Cbrt, Cos, Cosh, Exp, Exp2, Expm1, Log,
        Log1p, Log2, Log10, Sin, Sinh, Tan, Tanh,
    };
    match op {
        // The standard library itself is off by a unit now and then.
        Exp | Exp2 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Tanh | Sinh | Cosh
        | Asin | Acos | Atan | Angle | Cbrt => 2,
        Asinh | Acosh | Atanh => 3,
        // Of complex numbers.
        Abs => 1,
        _ => 0,
    }
}

/// Like [`ulps`], for two operands.
fn ulps_of_two(op: BinaryOp) -> u64 {
    match op {
        BinaryOp::Pow | BinaryOp::Atan2 => 2,
        BinaryOp::Hypot => 1,
        _ => 0,
    }
}

/// Asserts that results are as near as [`ulps_of_two`] says. Logarithms of sums may almost cancel:
/// their bound is absolute below 1, and `math` tests the exact one.
#[track_caller]
fn assert_near_of_two(op: BinaryOp, got: &[Scalar], expected: &[Scalar], what: &str) {
    if !matches!(op, BinaryOp::LogAddExp | BinaryOp::LogAddExp2) {
        return assert_near(got, expected, ulps_of_two(op), &what);
    }
    for (got, expected) in got.iter().zip(expected) {
        let (value, exact): (f64, f64) = (got.to(), expected.to());
        let digits = match got.dtype() {
            DType::F16 => 10,
            DType::F32 => 23,
            _ => 52,
        };
        let bound = 2f64.powi(3 - digits) * exact.abs().max(1.0);
        let is_near = (value - exact).abs() <= bound || value == exact;
        assert!(
            is_near || (value.is_nan() && exact.is_nan()),
            "{what}: {got:?}, not {expected:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn unary_functions_match_reference(dims in dims(), seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            for &op in UnaryOp::ALL {
                let Some(to) = op.output_dtype(dtype) else { continue };
                let (a, mut out) = (input(&mut draw, dtype, &dims), output(&mut draw, to, &dims));
                let outside = out.others();
                let expected: Vec<Scalar> = a.values().iter().map(|a| unary_reference(op, a)).collect();
                unary(op, &a.tile(), &mut out.tile_mut());
                assert_near(&out.values(), &expected, ulps(op), &format!("{op} of {dtype}"));
                for ((at, before), (_, after)) in outside.iter().zip(out.others()) {
                    assert_same(&[after], &[*before], &format!("{op} of {dtype}, outside at {at}"));
                }
                if to == dtype {
                    let a = output(&mut draw, dtype, &dims);
                    let expected: Vec<Scalar> = a.values().iter().map(|a| unary_reference(op, a)).collect();
                    // SAFETY: a function of elements may be computed in place.
                    unary(op, &a.tile(), &mut unsafe { a.tile_in_place() });
                    assert_near(&a.values(), &expected, ulps(op), &format!("{op} of {dtype}, in place"));
                }
            }
        }
    }

    #[test]
    fn binary_functions_match_reference(dims in dims(), seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            for &op in BinaryOp::ALL {
                let Some(to) = op.output_dtype(dtype) else { continue };
                let (a, b) = (input(&mut draw, dtype, &dims), input(&mut draw, dtype, &dims));
                let mut out = output(&mut draw, to, &dims);
                let expect = |a: &Operand, b: &Operand| -> Vec<Scalar> {
                    let pairs = a.values().into_iter().zip(b.values());
                    pairs.map(|(a, b)| binary_reference(op, &a, &b)).collect()
                };
                let expected = expect(&a, &b);
                binary(op, &a.tile(), &b.tile(), &mut out.tile_mut());
                assert_near_of_two(op, &out.values(), &expected, &format!("{op} of {dtype}"));
                if to == dtype {
                    let (first, second) = (output(&mut draw, dtype, &dims), output(&mut draw, dtype, &dims));
                    let expected = expect(&first, &b);
                    // SAFETY: a function of elements may be computed in place.
                    binary(op, &first.tile(), &b.tile(), &mut unsafe { first.tile_in_place() });
                    assert_near_of_two(op, &first.values(), &expected, &format!("{op} of {dtype}, in the first"));
                    let expected = expect(&a, &second);
                    // SAFETY: as above.
                    binary(op, &a.tile(), &second.tile(), &mut unsafe { second.tile_in_place() });
                    assert_near_of_two(op, &second.values(), &expected, &format!("{op} of {dtype}, in the second"));
                    let expected = expect(&second, &second);
                    // SAFETY: as above.
                    binary(op, &second.tile(), &second.tile(), &mut unsafe { second.tile_in_place() });
                    assert_near_of_two(op, &second.values(), &expected, &format!("{op} of {dtype}, in both"));
                }
            }
        }
    }

    #[test]
    fn casts_and_copies_match_reference(dims in dims(), seed: u64) {
        let mut draw = Draw(seed);
        for from in DType::ALL {
            for to in DType::ALL {
                let (a, mut out) = (input(&mut draw, from, &dims), output(&mut draw, to, &dims));
                cast(&a.tile(), &mut out.tile_mut());
                let expected: Vec<Scalar> = a.values().iter().map(|a| a.cast(to)).collect();
                assert_same(&out.values(), &expected, &format!("cast from {from} to {to}"));
            }
        }
    }

    #[test]
    fn selects_and_fills_match_reference(dims in dims(), seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            let mask = input(&mut draw, DType::Bool, &dims);
            let (a, b) = (input(&mut draw, dtype, &dims), input(&mut draw, dtype, &dims));
            let mut out = output(&mut draw, dtype, &dims);
            let choose = |a: &Operand, b: &Operand| -> Vec<Scalar> {
                let (mask, a, b) = (mask.values(), a.values(), b.values());
                (0..mask.len()).map(|i| if mask[i] == Scalar::Bool(true) { a[i] } else { b[i] }).collect()
            };
            select(&mask.tile(), &a.tile(), &b.tile(), &mut out.tile_mut());
            assert_same(&out.values(), &choose(&a, &b), &format!("where of {dtype}"));
            let expected = choose(&b, &out);
            putmask(&mask.tile(), &b.tile(), &mut out.tile_mut());
            assert_same(&out.values(), &expected, &format!("putmask of {dtype}"));
            let value = draw.value(DType::F64);
            let outside = out.others();
            fill(value, &mut out.tile_mut());
            assert_same(&out.values(), &vec![value.cast(dtype); expected.len()], &"fill");
            for ((_, before), (at, after)) in outside.iter().zip(out.others()) {
                assert_same(&[after], &[*before], &format!("fill of {dtype}, outside at {at}"));
            }
        }
    }
}

#[test]
#[should_panic(expected = "differ in shape")]
fn rejects_different_shapes() {
    let (a, mut b) = (
        Operand::zeros(&[2], DType::I32),
        Operand::zeros(&[3], DType::I32),
    );
    unary(UnaryOp::Neg, &a.tile(), &mut b.tile_mut());
}

#[test]
#[should_panic(expected = "gives bool")]
fn rejects_wrong_output_dtype() {
    let a = Operand::zeros(&[2], DType::I32);
    let mut out = Operand::zeros(&[2], DType::I32);
    binary(BinaryOp::Less, &a.tile(), &a.tile(), &mut out.tile_mut());
}

/// A result depends only on the element: not on its place, the memory layout, or the machine's
/// vectors.
#[test]
fn result_bits_do_not_depend_on_position() {
    use weft_kernels::testing::inner::math;
    type Function = fn(f64) -> f64;
    let functions: [(UnaryOp, Function); 17] = [
        (UnaryOp::Exp, math::exp),
        (UnaryOp::Exp2, math::exp2),
        (UnaryOp::Expm1, math::exp_m1),
        (UnaryOp::Log, math::ln),
        (UnaryOp::Log2, math::log2),
        (UnaryOp::Log10, math::log10),
        (UnaryOp::Log1p, math::ln_1p),
        (UnaryOp::Tanh, math::tanh),
        (UnaryOp::Sinh, math::sinh),
        (UnaryOp::Cosh, math::cosh),
        (UnaryOp::Asinh, math::asinh),
        (UnaryOp::Acosh, math::acosh),
        (UnaryOp::Atanh, math::atanh),
        (UnaryOp::Asin, math::asin),
        (UnaryOp::Acos, math::acos),
        (UnaryOp::Atan, math::atan),
        (UnaryOp::Cbrt, math::cbrt),
    ];
    let mut draw = Draw(11);
    let mut values: Vec<Scalar> = (0..300).map(|_| draw.value(DType::F64)).collect();
    // Arguments too large for vector code.
    values.extend([1e10, -1e100, 1e300].map(Scalar::F64));
    let number = |value: &Scalar| value.to::<f64>();
    let dense = Operand::from_values(&[values.len()], &values, DType::F64);
    let mut apart = Operand::new(&mut draw, DType::F64, &[values.len()], true, |_| {
        Scalar::F64(0.0)
    });
    copy(&dense.tile(), &mut apart.tile_mut());
    let both = |op: UnaryOp| {
        let [first, second] = [&dense, &apart].map(|input| {
            let mut out = Operand::zeros(&[values.len()], DType::F64);
            unary(op, &input.tile(), &mut out.tile_mut());
            out.values()
        });
        assert_same(&first, &second, &format!("{op} of elements apart"));
        first
    };
    for (op, function) in functions {
        let expected: Vec<_> = values
            .iter()
            .map(|x| Scalar::F64(function(number(x))))
            .collect();
        assert_same(&both(op), &expected, &format!("{op} of one element"));
    }
    for (op, near, far) in [
        (
            UnaryOp::Sin,
            math::sin as fn(f64) -> f64,
            f64::sin as fn(f64) -> f64,
        ),
        (UnaryOp::Cos, math::cos, f64::cos),
        (UnaryOp::Tan, math::tan, f64::tan),
    ] {
        let one = |x: f64| if math::is_far(x) { far(x) } else { near(x) };
        let expected: Vec<_> = values.iter().map(|x| Scalar::F64(one(number(x)))).collect();
        assert_same(&both(op), &expected, &format!("{op} of one element"));
    }
}

#[test]
fn copies_elements_that_repeat() {
    let mut draw = Draw(4);
    for dtype in DType::ALL {
        for (count, times) in [1, 2, 3, 7, 8, 30]
            .into_iter()
            .flat_map(|count| (1..12).map(move |times| (count, times)))
        {
            for (outer, step) in [(vec![count], 1), (vec![count], -2), (vec![count, 3], 1)] {
                let length: usize = outer.iter().product();
                let values: Vec<Scalar> = (0..2 * length).map(|_| draw.value(dtype)).collect();
                let line = Operand::from_values(&[2 * length], &values, dtype);
                let mut dims = outer;
                dims.push(times);
                let shape = Shape::new(&dims).unwrap();
                let mut layout = Layout::contiguous(shape);
                for (stride, apart) in layout.strides[..dims.len()].iter_mut().zip(1..) {
                    *stride = if apart == dims.len() {
                        0
                    } else {
                        *stride / times as isize * step
                    };
                }
                layout.offset = if step < 0 { 2 * length - 1 } else { 0 };
                let mut out = Operand::zeros(&dims, dtype);
                let outside = out.others();
                copy(&line.view(layout), &mut out.tile_mut());
                let at = |number: usize| layout.offset.wrapping_add_signed(number as isize * step);
                let expected: Vec<Scalar> = (0..length * times)
                    .map(|flat| values[at(flat / times)])
                    .collect();
                assert_same(&out.values(), &expected, &format!("{dims:?} of {dtype}"));
                assert_eq!(format!("{outside:?}"), format!("{:?}", out.others()));
            }
        }
    }
}
