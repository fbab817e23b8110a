//! Arguments at the ends of their types: they have a result or an error, and calls return.

use weft::DynArray;
use weft::dtype::{DType, Scalar};
use weft::error::CallError;
use weft::kernel::BinaryOp;
use weft::program::{Bins, PadMode, Tolerance};

use super::*;

#[test]
fn repeated_diff_ends_with_an_empty_array() {
    on(1, || {
        let none = weft::zeros::<f64>(&[0]);
        assert_eq!(none.diff(usize::MAX, 0).shape(), [0]);
        let some = weft::arange(5i32);
        assert_eq!(some.diff(usize::MAX, 0).shape(), [0]);
        let rows = weft::zeros::<i8>(&[3, 4]);
        assert_eq!(rows.diff(1 << 40, 1).shape(), [3, 0]);
    });
}

#[test]
fn rejects_lengths_beyond_memory() {
    on(1, || {
        let line = weft::arange(5i32).into_dyn();
        let matrix = weft::zeros::<i32>(&[3, 4]).into_dyn();
        let refused = |result: Result<DynArray, CallError>| assert!(result.is_err());
        refused(line.repeat(usize::MAX, None));
        refused(line.repeat(usize::MAX, Some(0)));
        refused(line.tile(&[usize::MAX]));
        refused(line.tile(&[3, usize::MAX]));
        let edge = |before, behind| line.pad(&[(before, behind)], PadMode::Edge);
        refused(edge(usize::MAX, 0));
        refused(edge(usize::MAX, usize::MAX));
        refused(line.diag(isize::MIN));
        refused(line.diag(isize::MAX));
        assert!(line.histogram(Bins::Count(usize::MAX), None).is_err());
        assert!(line.bincount(None, usize::MAX).is_err());
        // Diagonals beyond the corners are empty, and triangles are whole or empty.
        for far in [isize::MIN, isize::MAX] {
            assert!(matrix.diagonal(far).unwrap().is_empty());
        }
        let ones = weft::ones::<i64>(&[3, 4]);
        for (kept, side) in [(12, isize::MAX), (0, isize::MIN)] {
            assert_eq!(ones.tril(side).sum().item(), kept);
            assert_eq!(ones.triu(side).sum().item(), 12 - kept);
        }
        is(&ones.roll(isize::MIN), &[3, 4], &[1; 12]);
    });
}

#[test]
fn ranges_of_large_integers_have_exact_length() {
    on(1, || {
        let start = 1_700_000_000_000_000_000i64;
        let range = weft::arange_step(start, start + 200, 1);
        assert_eq!(range.len(), 200);
        assert_eq!(vec(&range)[199], start + 199);
        let down = weft::arange_step(u64::MAX, u64::MAX - 3, u64::MAX);
        assert_eq!(down.len(), 0);
        let whole = weft::arange_step(i64::MIN, i64::MAX, i64::MAX);
        is(&whole, &[3], &[i64::MIN, -1, i64::MAX - 1]);
    });
}

#[test]
fn compares_out_of_range_integers_but_rejects_arithmetic() {
    on(1, || {
        let x = weft::from_slice(&[200u8, 44]).into_dyn();
        let bools = |array: DynArray| -> Vec<bool> { vec(&array.try_into().unwrap()) };
        let compared = |op, value: i64| bools(DynArray::binary(op, &x, value).unwrap());
        assert_eq!(compared(BinaryOp::Less, 300), [true, true]);
        assert_eq!(compared(BinaryOp::Equal, 300), [false, false]);
        assert_eq!(compared(BinaryOp::GreaterEqual, -1), [true, true]);
        let turned = DynArray::binary(BinaryOp::Less, 300i64, &x).unwrap();
        assert_eq!(bools(turned), [false, false]);
        assert_eq!(compared(BinaryOp::LogicalAnd, 256), [true, true]);
        let refused = |result: Result<DynArray, CallError>| {
            let (value, dtype) = (Scalar::I64(300), DType::U8);
            assert_eq!(result.unwrap_err(), CallError::Value { value, dtype });
        };
        refused(DynArray::binary(BinaryOp::Add, &x, 300i64));
        refused(DynArray::select(
            weft::from_slice(&[true, false]).as_dyn(),
            &x,
            300i64,
        ));
        refused(x.full_like(300i64));
        refused(x.assign(300i64).map(|()| x.clone()));
        refused(
            x.put(weft::from_slice(&[0i64]).as_dyn(), None, 300i64)
                .map(|()| x.clone()),
        );
        refused(x.pad(&[(1, 1)], PadMode::Constant(Scalar::I64(300))));
        let mask = DynArray::binary(BinaryOp::Less, &x, 100i64).unwrap();
        refused(x.putmask(&mask, 300i64).map(|()| x.clone()));
        let error = x.assign(300i64).unwrap_err().to_string();
        assert_eq!(
            error,
            "300 is out of range for u8 (0 to 255): cast the array to a dtype that can hold it"
        );
        assert_eq!(vec(&Array::<u8>::try_from(x.clone()).unwrap()), [200, 44]);
        // A function computed in floats treats the value as one, and bounds beyond the range have
        // no effect.
        let half = DynArray::binary(BinaryOp::Div, &x, 400i64).unwrap();
        assert_eq!(vec(&Array::<f64>::try_from(half).unwrap()), [0.5, 0.11]);
        let clipped = x.clip(-5i64, 300i64).unwrap();
        assert_eq!(vec(&Array::<u8>::try_from(clipped).unwrap()), [200, 44]);
        refused(x.clip(300i64, 400i64));
        assert_eq!(
            bools(x.isclose(200.0, Tolerance::default()).unwrap()),
            [true, false]
        );
    });
}

#[test]
fn compares_signed_and_unsigned_integers_exactly() {
    on(2, || {
        let signed = weft::from_slice(&[-1i64, i64::MAX, 5]).into_dyn();
        let unsigned = weft::from_slice(&[u64::MAX, 1 << 63, 5]).into_dyn();
        let out = weft::zeros::<bool>(&[3]);
        for (op, wanted) in [
            (BinaryOp::Equal, [false, false, true]),
            (BinaryOp::Less, [true, true, false]),
            (BinaryOp::GreaterEqual, [false, false, true]),
        ] {
            let array = DynArray::binary(op, &signed, &unsigned).unwrap();
            assert_eq!(
                vec(&Array::<bool>::try_from(array).unwrap()),
                wanted,
                "{op}"
            );
            out.as_dyn().binary_into(op, &signed, &unsigned).unwrap();
            assert_eq!(vec(&out), wanted, "{op}");
        }
    });
}
