//! Findings of `--verify`: undeclared accesses, each with its task, line, operand and index.

#![allow(unsafe_code, reason = "bodies with deliberate violations")]

use std::sync::atomic::{AtomicU64, Ordering};

use weft::error::Cause;
use weft::task::{In, InOut, Out, Reduce};
use weft::{Array, Error};

use crate::support::{runtime, small_tiles};

/// Returns the text of the failure of a task that writes `y`.
fn verify_message(call: impl FnOnce(&Array<f64>, &Array<f64>)) -> String {
    let runtime = runtime(&format!("{} --verify", small_tiles(2)));
    let text = runtime.enter(|| {
        let x = weft::arange::<f64>(1000.0) + 1.0;
        let y = weft::zeros::<f64>(&[1000]);
        call(&x, &y);
        match y.to_vec() {
            Ok(_) => "nothing".to_owned(),
            Err(Error::Failed(failure)) => {
                assert!(matches!(failure.cause, Cause::Undeclared(_)), "{failure}");
                failure.to_string()
            }
            Err(error) => panic!("{error}"),
        }
    });
    drop(runtime.finish());
    text
}

#[weft::task(align(x, y))]
fn shifted(x: In<f64, 1>, mut y: Out<f64, 1>) {
    let (first, count) = (x.as_ptr(), x.len());
    let is_last = x.range(0).end == 1000;
    for at in 0..count {
        let next = if at + 1 == count && is_last {
            at
        } else {
            at + 1
        };
        // SAFETY: every element except the last one of the array has a next one.
        y[at] = unsafe { first.add(next).read() };
    }
}

#[test]
fn reports_undeclared_halo() {
    let line = line!() + 1;
    let text = verify_message(|x, y| shifted(x, y).unwrap());
    assert!(
        text.contains(&format!("shifted at {}:{line}", file!())),
        "{text}"
    );
    assert!(
        text.contains("it reads x at [500]") && text.contains("declare a halo"),
        "{text}"
    );
}

/// Writes to an element that was lent for reading only.
fn spoil(x: &In<'_, f64, 1>) {
    if x.range(0).contains(&123) {
        let place = x.as_ptr().wrapping_add(123 - x.range(0).start);
        // SAFETY: none, on purpose: the element was lent for reading only.
        unsafe { place.cast_mut().write(-1.0) };
    }
}

#[weft::task(align(x, y))]
fn spoils_input(x: In<f64, 1>, mut y: Out<f64, 1>) {
    y.assign(&*x);
    spoil(&x);
}

#[test]
fn reports_writes_to_inputs() {
    let text = verify_message(|x, y| spoils_input(x, y).unwrap());
    assert!(
        text.contains("it writes to x at [123], which it only reads"),
        "{text}"
    );
}

#[weft::task(align(x, y))]
fn overruns(x: In<f64, 1>, mut y: Out<f64, 1>) {
    y.assign(&*x);
    if y.range(0).start == 0 {
        let count = y.len();
        // SAFETY: the next element exists, and belongs to another tile.
        unsafe { y.as_mut_ptr().add(count).write(-1.0) };
    }
}

#[test]
fn reports_writes_outside_the_tile() {
    let text = verify_message(|x, y| overruns(x, y).unwrap());
    assert!(
        text.contains("it writes to y at [500], which is not in its tile"),
        "{text}"
    );
}

#[weft::task(align(x, y))]
fn forgets(x: In<f64, 1>, mut y: Out<f64, 1>) {
    for (at, (y, x)) in y.iter_mut().zip(&*x).enumerate() {
        if at % 100 != 7 {
            *y = *x;
        }
    }
}

#[test]
fn reports_unwritten_output_elements() {
    let text = verify_message(|x, y| forgets(x, y).unwrap());
    assert!(text.contains("it does not write y at ["), "{text}");
    assert!(text.contains("[7]") || text.contains("[507]"), "{text}");
}

#[weft::task(align(x, y))]
fn computes(x: In<f64, 1>, y: Out<f64, 1>) {
    // The body changes a copy of the tile's elements.
    let mut y = y.to_owned();
    y.assign(&*x);
}

#[test]
fn reports_entirely_unwritten_outputs() {
    let text = verify_message(|x, y| computes(x, y).unwrap());
    let remedy = "nor at any other index: assign to the elements of y";
    assert!(
        text.contains("it does not write y at [") && text.contains(remedy),
        "{text}"
    );
}

#[weft::task(align(x, y))]
fn adds(x: In<f64, 1>, mut y: Out<f64, 1>) {
    for (y, x) in y.iter_mut().zip(&*x) {
        *y += x;
    }
}

#[test]
fn reports_reads_of_outputs() {
    let text = verify_message(|x, y| adds(x, y).unwrap());
    assert!(
        text.contains("it reads y at [") && text.contains("declare y as InOut"),
        "{text}"
    );
}

static CALLS: AtomicU64 = AtomicU64::new(0);

#[weft::task(align(x, y))]
fn counts(x: In<f64, 1>, mut y: Out<f64, 1>) {
    let call = CALLS.fetch_add(1, Ordering::Relaxed) as f64;
    for (y, x) in y.iter_mut().zip(&*x) {
        *y = x + call;
    }
}

#[test]
fn reports_bodies_with_hidden_state() {
    let text = verify_message(|x, y| counts(x, y).unwrap());
    assert!(text.contains("differs when the body runs again"), "{text}");
}

#[weft::task(align(x, y), halo(x, 1), reduce(total, Add))]
fn correct(x: In<f64, 1>, mut y: InOut<f64, 1>, mut total: Reduce<f64, 0>) {
    let range = y.range(0);
    for at in range.clone() {
        let next = x.at([at + 1]).copied().unwrap_or(0.0);
        y[at - range.start] += next;
        total[[]] += next;
    }
}

#[test]
fn accepts_correctly_declared_accesses() {
    let text = verify_message(|x, y| {
        let total = weft::zeros::<f64>(&[]);
        correct(x, y, &total).unwrap();
        assert_eq!(total.item(), 500_499.0);
    });
    assert_eq!(text, "nothing");
}

#[weft::task(align(x, y))]
fn is_misled(x: In<f64, 1>, mut y: Out<f64, 1>) -> Result<(), String> {
    spoil(&x);
    for (y, x) in y.iter_mut().zip(&*x) {
        *y = *x;
        if *x < 0.0 {
            return Err("a value below zero".to_owned());
        }
    }
    Ok(())
}

#[test]
fn reports_invalid_write_before_body_failure() {
    let text = verify_message(|x, y| is_misled(x, y).unwrap());
    assert!(
        text.contains("it writes to x at [123], which it only reads"),
        "{text}"
    );
}
