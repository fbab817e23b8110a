//! Programs over narrow integers, half precision and complex numbers. If a result is NumPy's, the
//! call that returned it is in a comment.

#![allow(clippy::unwrap_used, reason = "a mistake in a test must stop it")]

#[path = "support/runtimes.rs"]
mod support;

use weft::dtype::DType;
use weft::error::CallError;
use weft::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft::program::DynArray;
use weft::{Array, Complex, complex, f16, from_slice};

use support::{on, small_tiles};

type C64 = Complex<f32>;
type C128 = Complex<f64>;

fn on_two_workers(program: impl FnOnce()) {
    on(&small_tiles(2), program);
}

fn halves(values: &[f32]) -> Array<f16> {
    let values: Vec<f16> = values.iter().map(|&value| f16::from_f32(value)).collect();
    from_slice(&values)
}

fn singles(array: &Array<f16>) -> Vec<f32> {
    array
        .to_vec()
        .unwrap()
        .iter()
        .map(|value| value.to_f32())
        .collect()
}

#[test]
fn narrow_integers_wrap_and_sum_in_wide_types() {
    on_two_workers(|| {
        let x = from_slice(&[100i8, 100, -128]);
        assert_eq!((&x + 100).to_vec().unwrap(), [-56, -56, -28]);
        assert_eq!((2 * &x).to_vec().unwrap(), [-56, -56, 0]);
        assert_eq!((-&x).to_vec().unwrap(), [-100, -100, -128]);
        assert_eq!(x.sum().item(), 72i64);
        let y = from_slice(&[200u8, 100]);
        assert_eq!(y.sum().item(), 300u64);
        assert_eq!(y.max().item(), 200u8);
        assert_eq!(y.cumsum().to_vec().unwrap(), [200u64, 300]);
        assert_eq!(y.left_shift(1u8).to_vec().unwrap(), [144, 200]);
        let matrix = from_slice(&[300u16, 2, 3, 4]).reshape(&[2, 2]);
        // numpy.array([[300, 2], [3, 4]], numpy.uint16) @ the same
        assert_eq!(
            matrix.matmul(&matrix).to_vec().unwrap(),
            [24470, 608, 912, 22]
        );
    });
}

#[test]
fn promotes_array_dtypes_like_numpy() {
    on_two_workers(|| {
        let add =
            |a: &DynArray, b: &DynArray| DynArray::binary(BinaryOp::Add, a, b).unwrap().dtype();
        let (i8s, u8s) = (from_slice(&[1i8]), from_slice(&[1u8]));
        assert_eq!(add(i8s.as_dyn(), u8s.as_dyn()), DType::I16);
        assert_eq!(add(halves(&[1.0]).as_dyn(), i8s.as_dyn()), DType::F16);
        assert_eq!(
            add(
                from_slice(&[1i32]).as_dyn(),
                from_slice(&[C64::ONE]).as_dyn()
            ),
            DType::C128
        );
        // A single value takes a dtype of the array's kind: numpy.float32([1]) + 1j is complex64,
        // numpy.int8([1]) + 1.0 is float64.
        let beside = |array: &DynArray, value: weft::dtype::Scalar| {
            DynArray::binary(BinaryOp::Add, array, value)
                .unwrap()
                .dtype()
        };
        assert_eq!(
            beside(from_slice(&[1f32]).as_dyn(), C128::I.into()),
            DType::C64
        );
        assert_eq!(
            beside(from_slice(&[1i64]).as_dyn(), C128::I.into()),
            DType::C128
        );
        assert_eq!(
            beside(from_slice(&[C64::ONE]).as_dyn(), 1f64.into()),
            DType::C64
        );
        assert_eq!(beside(halves(&[1.0]).as_dyn(), 1f64.into()), DType::F16);
        assert_eq!(beside(i8s.as_dyn(), 1f64.into()), DType::F64);
        // numpy.sqrt(numpy.int8(4)).dtype, numpy.divide(numpy.int8(4), numpy.int8(2)).dtype
        assert_eq!(
            i8s.as_dyn().unary(UnaryOp::Sqrt).unwrap().dtype(),
            DType::F16
        );
        let quotient = DynArray::binary(BinaryOp::Div, i8s.as_dyn(), i8s.as_dyn()).unwrap();
        assert_eq!(quotient.dtype(), DType::F64);
    });
}

#[test]
fn halves_round_after_each_operation_and_sum_in_f32() {
    on_two_workers(|| {
        let x = halves(&[1.0, 2048.0, 65504.0]);
        // 2049 is not representable as a half.
        assert_eq!(singles(&(&x + f16::ONE)), [2.0, 2048.0, 65504.0]);
        assert_eq!(singles(&(&x * &x)), [1.0, f32::INFINITY, f32::INFINITY]);
        assert_eq!(
            singles(&(&x / f16::from_f32(3.0))),
            [0.33325195, 682.5, 21840.0]
        );
        assert_eq!(singles(&x.sqrt()), [1.0, 45.25, 255.875]);
        // Added up in halves, the sum would stay at 2048.
        let many = weft::ones::<f16>(&[5000]);
        assert_eq!(many.sum().item().to_f32(), 5000.0);
        assert_eq!(many.dot(&many).item().to_f32(), 5000.0);
        assert_eq!(
            weft::full(&[5000], f16::from_f32(60000.0))
                .mean()
                .item()
                .to_f32(),
            60000.0
        );
        // A cumulative sum rounds each of its results, as NumPy's does.
        assert_eq!(many.cumsum().to_vec().unwrap()[4095].to_f32(), 2048.0);
        assert_eq!(x.max().item().to_f32(), 65504.0);
        assert_eq!(
            weft::arange(f16::from_f32(5.0))
                .cast::<i32>()
                .to_vec()
                .unwrap(),
            [0, 1, 2, 3, 4]
        );
        let drawn = weft::random::seeded(1)
            .uniform::<f16>(&[1000])
            .to_vec()
            .unwrap();
        assert!(
            drawn
                .iter()
                .all(|value| (0.0..1.0).contains(&value.to_f32()))
        );
    });
}

#[test]
fn supports_complex_arithmetic_and_parts() {
    on_two_workers(|| {
        let z = complex(from_slice(&[1.0, -2.0]), from_slice(&[2.0, 0.5]));
        assert_eq!(
            z.to_vec().unwrap(),
            [C128::new(1.0, 2.0), C128::new(-2.0, 0.5)]
        );
        assert_eq!(z.real().to_vec().unwrap(), [1.0, -2.0]);
        assert_eq!(z.imag().to_vec().unwrap(), [2.0, 0.5]);
        assert_eq!(z.conj().imag().to_vec().unwrap(), [-2.0, -0.5]);
        assert_eq!(
            (&z * C128::I).to_vec().unwrap(),
            [C128::new(-2.0, 1.0), C128::new(-0.5, -2.0)]
        );
        assert_eq!((C128::ONE + &z - &z).to_vec().unwrap(), [C128::ONE; 2]);
        assert_eq!((&z / &z).to_vec().unwrap(), [C128::ONE; 2]);
        assert_eq!(z.square().to_vec().unwrap()[0], C128::new(-3.0, 4.0));
        assert_eq!(
            from_slice(&[C64::new(3.0, -4.0)]).abs().to_vec().unwrap(),
            [5f32]
        );
        assert_eq!(
            from_slice(&[-C128::ONE, C128::I]).angle().to_vec().unwrap()[1],
            std::f64::consts::FRAC_PI_2
        );
        assert_eq!(z.equal(&z).to_vec().unwrap(), [true, true]);
        let root = from_slice(&[C128::new(-4.0, 0.0)]).sqrt();
        assert_eq!(root.to_vec().unwrap(), [C128::new(0.0, 2.0)]);
        let back = z.exp().log();
        for (got, wanted) in back.to_vec().unwrap().iter().zip(z.to_vec().unwrap()) {
            assert!((got - wanted).norm() < 1e-14);
        }
    });
}

#[test]
fn sums_and_multiplies_complex_numbers() {
    on_two_workers(|| {
        let z = from_slice(&[
            C128::new(1.0, 2.0),
            C128::new(3.0, -1.0),
            C128::new(0.0, 1.0),
        ]);
        assert_eq!(z.sum().item(), C128::new(4.0, 2.0));
        assert_eq!(z.prod().item(), C128::new(-5.0, 5.0));
        assert_eq!((z.mean() * C128::new(3.0, 0.0)).item(), C128::new(4.0, 2.0));
        assert_eq!(z.cumsum().to_vec().unwrap()[1], C128::new(4.0, 1.0));
        assert_eq!(z.dot(&z).item(), C128::new(4.0, -2.0));
        assert_eq!(z.count_nonzero().item(), 3);
        // numpy.array([[1, 1j], [2, 3]]) @ the same
        let rows = [C64::ONE, C64::I, C64::new(2.0, 0.0), C64::new(3.0, 0.0)];
        let matrix = from_slice(&rows).reshape(&[2, 2]);
        let wanted = [
            C64::new(1.0, 2.0),
            C64::new(0.0, 4.0),
            C64::new(8.0, 0.0),
            C64::new(9.0, 2.0),
        ];
        assert_eq!(matrix.matmul(&matrix).to_vec().unwrap(), wanted);
        let column = matrix.matmul(&from_slice(&[C64::ONE, C64::I]));
        assert_eq!(
            column.to_vec().unwrap(),
            [C64::new(0.0, 0.0), C64::new(2.0, 3.0)]
        );
        // numpy.var([1+2j, 3-1j, 1j])
        let var = z.as_dyn().var(None, 0).unwrap();
        assert!((var.to_ndarray::<f64>().unwrap().sum() - 3.111111111111111).abs() < 1e-14);
    });
}

#[test]
fn casts_drop_imaginary_parts_and_round_once() {
    on_two_workers(|| {
        let z = from_slice(&[
            C128::new(1.9, 5.0),
            C128::new(-3.5, 0.0),
            C128::new(0.0, 1.0),
        ]);
        assert_eq!(z.cast::<i8>().to_vec().unwrap(), [1, -3, 0]);
        assert_eq!(z.cast::<f32>().to_vec().unwrap(), [1.9, -3.5, 0.0]);
        assert_eq!(z.cast::<bool>().to_vec().unwrap(), [true; 3]);
        assert_eq!(
            from_slice(&[3u8]).cast::<C64>().to_vec().unwrap(),
            [C64::new(3.0, 0.0)]
        );
        // numpy.float64(1 + 2**-11 + 2**-40).astype(numpy.float16)
        let above = from_slice(&[1.0 + 2f64.powi(-11) + 2f64.powi(-40)]).cast::<f16>();
        assert_eq!(above.to_vec().unwrap()[0].to_bits(), 0x3c01);
        let x = weft::zeros::<C128>(&[2]);
        x.assign(C128::I);
        x.slice(ndarray::s![..1]).fill(C128::ONE);
        assert_eq!(x.to_vec().unwrap(), [C128::ONE, C128::I]);
    });
}

#[test]
fn rejects_operations_undefined_for_complex_numbers() {
    on_two_workers(|| {
        let z = from_slice(&[C128::ONE]).into_dyn();
        let is_undefined = |result: Result<DynArray, CallError>| {
            matches!(
                result,
                Err(CallError::DType {
                    dtype: DType::C128,
                    ..
                })
            )
        };
        for op in [
            BinaryOp::Less,
            BinaryOp::Maximum,
            BinaryOp::FloorDiv,
            BinaryOp::Hypot,
            BinaryOp::BitAnd,
        ] {
            assert!(is_undefined(DynArray::binary(op, &z, &z)), "{op}");
        }
        for op in [
            UnaryOp::Floor,
            UnaryOp::Cbrt,
            UnaryOp::SignBit,
            UnaryOp::BitNot,
        ] {
            assert!(is_undefined(z.unary(op)), "{op}");
        }
        for op in [ReduceOp::Min, ReduceOp::ArgMax] {
            assert!(is_undefined(z.reduce(op, None)), "{op}");
        }
        assert!(is_undefined(z.median(None)));
    });
}
