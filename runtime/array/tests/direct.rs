//! Small operations that run at once, without an operation. They give the same bits, and run only
//! if no difference is observable.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

#[path = "support/runtimes.rs"]
mod support;

use support::{drawn, runtime};
use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft::program::{Value, ValueRef};
use weft::{DynArray, Runtime};

/// The number of elements of most arrays along each axis.
const SIDE: usize = 7;

fn vector(runtime: &Runtime, seed: u64, count: usize) -> DynArray {
    DynArray::from_vec(runtime, &[count], drawn(seed, count)).unwrap()
}

fn matrix(runtime: &Runtime, seed: u64) -> DynArray {
    let all = vector(runtime, seed, SIDE * SIDE);
    all.reshape(&[SIDE, SIDE]).unwrap()
}

fn bytes(array: &DynArray) -> (Vec<usize>, DType, Vec<u8>) {
    let value = array.request().unwrap().value().unwrap();
    (
        array.shape().to_vec(),
        array.dtype(),
        value.as_bytes().to_vec(),
    )
}

/// Returns the results of a program with small operations of all kinds.
fn program(runtime: &Runtime) -> Vec<(Vec<usize>, DType, Vec<u8>)> {
    let (a, b) = (matrix(runtime, 1), matrix(runtime, 2));
    let row = vector(runtime, 3, SIDE);
    let column = b.at(1, 2).unwrap();
    let backwards = a.range(0, SIDE as isize - 1, -1, SIDE).unwrap();
    let number = Scalar::F64(0.3);
    let mut made = Vec::new();
    let binary = |op, left: Value, right: Value| DynArray::binary(op, left, right).unwrap();
    for op in BinaryOp::ALL {
        if op.input_dtype(DType::F64) != Some(DType::F64) {
            continue;
        }
        made.push(binary(*op, (&a).into(), (&b).into()));
        made.push(binary(*op, (&backwards).into(), (&row).into()));
        made.push(binary(*op, (&column).into(), number.into()));
        made.push(binary(*op, number.into(), (&column).into()));
    }
    for op in UnaryOp::ALL {
        if op.input_dtype(DType::F64) == Some(DType::F64) {
            made.push(backwards.unary(*op).unwrap());
        }
    }
    for op in ReduceOp::ALL {
        made.push(a.reduce(*op, None).unwrap());
        made.push(backwards.reduce(*op, Some(0)).unwrap());
        made.push(a.reduce(*op, Some(1)).unwrap());
    }
    let is_less = DynArray::binary(BinaryOp::Less, &a, &b).unwrap();
    made.push(DynArray::select(&is_less, &row, &b).unwrap());
    made.push(a.cast(DType::F32).unwrap());
    made.push(backwards.cast(DType::C128).unwrap());
    for (left, right) in [(&a, &b), (&a, &row), (&row, &backwards), (&row, &column)] {
        made.push(left.matmul(right).unwrap());
    }
    // Operations in place, including over elements that are read.
    let part = |start| a.range(1, start, 1, SIDE - 1).unwrap();
    part(1)
        .binary_into(BinaryOp::Add, &part(1), &part(0))
        .unwrap();
    part(0)
        .binary_into(BinaryOp::Mul, &part(0), number)
        .unwrap();
    part(0).assign(&part(1)).unwrap();
    backwards.at(0, 2).unwrap().assign(number).unwrap();
    a.putmask(&is_less, &row).unwrap();
    made.push(a);
    made.iter().map(bytes).collect()
}

#[test]
fn small_operations_give_identical_bits_when_inlined() {
    let of = |words: &str| {
        let runtime = runtime(words);
        let made = runtime.enter(|| program(&runtime));
        runtime.finish().unwrap();
        made
    };
    let expected = of("--cpus 2 --max-inline-chunk 0");
    for words in ["--cpus 2", "--cpus 1 --utility 0"] {
        let made = of(words);
        assert_eq!(made.len(), expected.len());
        for (number, (made, expected)) in made.iter().zip(&expected).enumerate() {
            assert_eq!(made, expected, "number {number} with {words}");
        }
    }
}

/// Whether a sum of two vectors can be computed at once, and written at once.
fn goes_at_once(left: &DynArray, right: ValueRef<'_>) -> (bool, bool) {
    let sum = DynArray::binary_at_once(BinaryOp::Add, left.into(), right);
    let is_made = sum.is_some();
    let is_written = left.set_binary_at_once(BinaryOp::Add, left.into(), right);
    (is_made, is_written)
}

#[test]
fn inlines_only_small_unobserved_operations() {
    let folder = tempfile::tempdir().unwrap();
    let profile = format!(
        "--cpus 1 --profile --profile-bandwidth=false --logdir {}",
        folder.path().display()
    );
    for (words, count, expected) in [
        ("--cpus 1", 100, true),
        ("--cpus 1", 40_000, false),
        ("--cpus 1 --max-inline-chunk 50", 100, false),
        ("--cpus 1 --max-inline-chunk 0", 100, false),
        ("--cpus 1 --logging task=debug", 100, false),
        (&*profile, 100, false),
    ] {
        let runtime = runtime(words);
        runtime.enter(|| {
            let x = vector(&runtime, 1, count);
            // No operation is under way.
            runtime.wait().unwrap();
            let found = goes_at_once(&x, ValueRef::Scalar(Scalar::F64(1.0)));
            assert_eq!(found, (expected, expected), "{count} elements with {words}");
            let root = x.unary_at_once(UnaryOp::Sqrt);
            assert_eq!(root.is_some(), expected, "{count} elements with {words}");
        });
        runtime.finish().unwrap();
    }
}

#[test]
fn small_operations_run_at_once_again_after_a_large_one() {
    let runtime = runtime("--cpus 1");
    runtime.enter(|| {
        let large = vector(&runtime, 1, 1_000_000).unary(UnaryOp::Exp).unwrap();
        let mut x = large.range(0, 0, 1, 100).unwrap();
        let one = Scalar::F64(1.0);
        assert_eq!(goes_at_once(&x, ValueRef::Scalar(one)), (false, false));
        // The program submits these faster than other threads run them.
        for _ in 0..2000 {
            x = DynArray::binary(BinaryOp::Add, &x, one).unwrap();
        }
        assert_eq!(goes_at_once(&x, ValueRef::Scalar(one)), (true, true));
    });
    runtime.finish().unwrap();
}

#[test]
fn falls_back_to_operations_for_unsupported_operands() {
    let (own, others) = (runtime("--cpus 1"), runtime("--cpus 1"));
    let x = vector(&own, 1, 10);
    let whole = x.clone();
    let (head, tail) = (x.range(0, 0, 1, 9).unwrap(), x.range(0, 1, 1, 9).unwrap());
    let foreign = vector(&others, 2, 10);
    let short = vector(&own, 3, 4);
    let single = x.cast(DType::F32).unwrap();
    own.wait().unwrap();
    others.wait().unwrap();
    for (left, right) in [(&x, &foreign), (&x, &short), (&x, &single)] {
        assert_eq!(goes_at_once(left, right.into()), (false, false));
    }
    // Its elements would change before they are read.
    assert_eq!(goes_at_once(&tail, (&head).into()), (true, false));
    assert_eq!(goes_at_once(&x, (&whole).into()), (true, true));
    // A view of one element, repeated.
    let many = short.at(0, 0).unwrap().broadcast_to(&[4]).unwrap();
    assert_eq!(goes_at_once(&many, (&short).into()), (true, false));
    // The result would need a cast to integers.
    assert!(!single.set_binary_at_once(BinaryOp::Less, (&single).into(), (&single).into()));
    own.finish().unwrap();
    assert_eq!(goes_at_once(&x, (&whole).into()), (false, false));
    others.finish().unwrap();
}

#[test]
fn multi_step_view_matches_successive_views() {
    let runtime = runtime("--cpus 1");
    let whole = vector(&runtime, 1, 120).reshape(&[4, 5, 6]).unwrap();
    let mut view = whole.viewing();
    view.at(0, -2).unwrap();
    view.range(1, 5, -2, 3).unwrap();
    view.insert(1).unwrap();
    let steps = whole.at(0, 2).unwrap().range(1, 5, -2, 3).unwrap();
    let steps = steps.expand_dims(1).unwrap();
    assert_eq!(view.shape(), [5, 1, 3]);
    assert!(view.is(&steps) && !view.is(&whole));
    assert!(view.at(2, 3).is_err() && view.at(3, 0).is_err() && view.range(0, 3, 1, 3).is_err());
    assert_eq!(bytes(&view.done()), bytes(&steps));
    runtime.finish().unwrap();
}

/// Large arrays have the contents of their memory until they are written. Small ones and those of
/// booleans are zeros.
#[test]
fn empty_array_contains_written_values() {
    let runtime = runtime("--cpus 2");
    let large = DynArray::empty(&runtime, &[300, 100], DType::F64).unwrap();
    let first = large.range(0, 0, 1, 150).unwrap();
    let last = large.range(0, 150, 1, 150).unwrap();
    first.assign(Scalar::F64(1.0)).unwrap();
    last.assign(Scalar::F64(2.0)).unwrap();
    let (shape, _, written) = bytes(&large);
    let wanted = [1.0f64, 2.0].map(|value| value.to_ne_bytes().repeat(150 * 100));
    assert_eq!((shape, written), (vec![300, 100], wanted.concat()));
    let zeros = [(7, DType::C128), (200_000, DType::Bool)];
    for (count, dtype) in zeros {
        let small = DynArray::empty(&runtime, &[count], dtype).unwrap();
        assert!(bytes(&small).2.iter().all(|byte| *byte == 0));
    }
    assert!(DynArray::empty(&runtime, &[usize::MAX, 2], DType::F64).is_err());
}
