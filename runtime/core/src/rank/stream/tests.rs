//! The first difference between two programs is found.

use smallvec::smallvec;

use super::*;
use crate::dtype::Scalar;
use crate::error::Cause;
use crate::operation::{CpuTask, Declared, Descriptor, Kernels};
use crate::shape::Shape;
use crate::site::Site;

/// Kernels that are never run.
#[derive(Debug, Hash)]
struct NotRun;

impl Kernels for NotRun {
    fn cpu(&self, _task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        unreachable!("operations are only added to streams")
    }
}

#[test]
fn values_differ_by_bits_and_dtype() {
    let of = |value| {
        let request = filled(value, 3);
        ProgramStream::default().add(&request)
    };
    let [one, same, other] = [Scalar::F64(1.0), Scalar::F64(1.0), Scalar::I64(1)].map(of);
    assert_eq!(one, same);
    assert_ne!(one, other, "values of two dtypes");
}

#[track_caller]
fn fill(value: f64, length: usize) -> Request {
    filled(Scalar::F64(value), length)
}

#[track_caller]
fn filled(value: Scalar, length: usize) -> Request {
    let shape = Shape::new(&[length]).unwrap();
    let operands = smallvec![Operand::Scalar(value), Operand::Scalar(value)];
    let fill = Descriptor::new("fill", vec![Declared::READ, Declared::WRITE], NotRun);
    Request::new(fill.shared(), shape, operands)
}

fn first_difference(one: &[Request], other: &[Request]) -> Option<Divergence> {
    let tail = |rank, requests: &[Request]| {
        let mut stream = ProgramStream::default();
        for request in requests {
            stream.add(request);
        }
        let tail = stream.tail(rank);
        let copy = Tail::decode(&tail.encode()).unwrap();
        assert_eq!(copy, tail);
        copy
    };
    tail(0, one).differs(&tail(1, other))
}

fn fills(values: &[f64]) -> Vec<Request> {
    values.iter().map(|value| fill(*value, 3)).collect()
}

#[test]
fn lagging_rank_is_not_a_difference() {
    assert_eq!(
        first_difference(&fills(&[1.0, 2.0]), &fills(&[1.0, 2.0, 3.0])),
        None
    );
    assert_eq!(first_difference(&[], &fills(&[1.0])), None);
}

#[test]
fn first_difference_names_both_lines() {
    let found = first_difference(&fills(&[1.0, 2.0, 4.0]), &fills(&[1.0, 3.0, 4.0])).unwrap();
    assert_eq!((found.number, found.is_late), (2, false));
    let lines = [line!() + 1, line!() + 2];
    let one = fill(1.0, 2);
    let other = fill(1.0, 2);
    let text = first_difference(&[one], &[other]).unwrap().to_string();
    for line in lines {
        assert!(
            text.contains(&format!("fill at {}:{line}:", file!())),
            "{text}"
        );
    }
    // Two calls in one line differ in their columns.
    let (one, other) = (fill(1.0, 2), fill(1.0, 2));
    let column = |request: &Request| request.call.column();
    assert_ne!(column(&one), column(&other));
    let text = first_difference(&[one], &[other]).unwrap().to_string();
    assert!(!text.contains("on each"), "{text}");
}

#[test]
fn omits_columns_of_lines_without_them() {
    let at = |line| {
        let _entered = Site::intern("rk2.py", line, 0, "").enter();
        fill(1.0, 2)
    };
    let text = first_difference(&[at(21)], &[at(22)]).unwrap().to_string();
    for line in ["rk2.py:21", "rk2.py:22"] {
        assert!(text.contains(&format!("fill at {line}")), "{text}");
        assert!(!text.contains(&format!("{line}:0")), "{text}");
    }
}

#[test]
fn detects_different_shapes_values_and_ends() {
    assert!(first_difference(&[fill(1.0, 2)], &[fill(1.0, 3)]).is_some());
    let mut ended = ProgramStream::default();
    ended.end();
    let mut other = ProgramStream::default();
    other.add(&fill(1.0, 2));
    assert!(ended.tail(0).differs(&other.tail(1)).is_some());
}

#[test]
fn keeps_a_bounded_tail_of_the_stream() {
    let (mut one, mut other) = (ProgramStream::default(), ProgramStream::default());
    one.add(&fill(1.0, 2));
    for _ in 0..2 * KEPT {
        let request = fill(2.0, 2);
        one.add(&request);
        other.add(&request);
    }
    let found = one.tail(0).differs(&other.tail(1)).unwrap();
    assert!(found.is_late);
    assert_eq!(one.last.len(), KEPT);
}
