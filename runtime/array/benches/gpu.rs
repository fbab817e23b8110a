//! The overhead of tasks on a GPU, without their kernels: `gpu MODE COUNT [LENGTH]`, with flags in
//! `WEFT_CONFIG`.
//!
//! - `adds`: a chain of adds of LENGTH elements, several of which the runtime may fuse;
//! - `dots`: dot products of two vectors of LENGTH elements, each with one or two kernels of its
//!   own;
//! - `loop`: a repeated body of four operations on LENGTH elements, as `--cuda-graphs` detects it.
//!
//! Prints the nanoseconds of an operation from start to end. Without a GPU it reports this and
//! measures nothing.

#![allow(clippy::print_stdout, reason = "it prints a measurement")]

use std::time::Instant;

use weft::Error;

fn main() -> Result<(), Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| {
        words
            .get(at)
            .and_then(|word| word.parse().ok())
            .unwrap_or(otherwise)
    };
    let (count, length) = (number(1, 20_000), number(2, 100));
    let running = weft::start()?;
    if weft::runtime::current()?.plan().gpus == 0 {
        println!("gpu: this process uses no GPU; nothing was measured");
        return Ok(());
    }
    let nanos = match words.first().map(String::as_str) {
        Some("adds") => adds(count, length)?,
        Some("dots") => dots(count, length)?,
        Some("loop") => body(count, length)?,
        _ => {
            println!("gpu: give adds, dots or loop, a count and a length");
            return Ok(());
        }
    };
    println!("each {nanos:.1} ns");
    drop(running);
    Ok(())
}

/// Waits for all operations, so that measurements begin with an idle runtime.
fn settle() -> Result<(), Error> {
    weft::runtime::current()?.wait()?;
    Ok(())
}

fn each(start: Instant, operations: usize) -> f64 {
    start.elapsed().as_nanos() as f64 / operations as f64
}

fn adds(count: usize, length: usize) -> Result<f64, Error> {
    let one = weft::ones::<f64>(&[length]);
    let mut nanos = 0.0;
    // The first round compiles kernels.
    for _ in 0..2 {
        let mut sum = weft::zeros::<f64>(&[length]);
        settle()?;
        let start = Instant::now();
        for _ in 0..count {
            sum = &sum + &one;
        }
        let total = sum.sum().try_item()?;
        nanos = each(start, count);
        assert_eq!(total, (count * length) as f64);
    }
    Ok(nanos)
}

fn dots(count: usize, length: usize) -> Result<f64, Error> {
    let (x, y) = (weft::ones::<f64>(&[length]), weft::full(&[length], 2.0));
    let mut nanos = 0.0;
    for _ in 0..2 {
        let mut last = x.dot(&y);
        settle()?;
        let start = Instant::now();
        for _ in 0..count {
            last = x.dot(&y);
        }
        let value = last.try_item()?;
        nanos = each(start, count);
        assert_eq!(value, (2 * length) as f64);
    }
    Ok(nanos)
}

/// Runs bodies of four operations that cannot all be fused: a dot product, a quotient, an add in
/// place and a sum.
fn body(count: usize, length: usize) -> Result<f64, Error> {
    let x = weft::ones::<f64>(&[length]);
    let y = weft::full(&[length], 1.0);
    let mut nanos = 0.0;
    for _ in 0..2 {
        let mut total = x.sum();
        settle()?;
        let start = Instant::now();
        for _ in 0..count {
            let product = x.dot(&y);
            x.assign(&x / &product);
            total = x.sum();
        }
        let value = total.try_item()?;
        nanos = each(start, 4 * count);
        assert!(value.is_finite());
    }
    Ok(nanos)
}
