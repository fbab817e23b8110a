//! Arrays that together are larger than the memory of one rank, in a different way for each
//! argument; for tests/mpi/memory.sh.
#![allow(clippy::print_stdout, reason = "reports its findings")]

use std::process::ExitCode;

use ndarray::s;
use weft::{Array, Error};

/// 40 MiB of `f64`.
const ROWS: usize = 2560;
const COLUMNS: usize = 2048;
const STEPS: usize = 5;

fn main() -> Result<ExitCode, Error> {
    let way = std::env::args().nth(1).unwrap_or_default();
    let outcome = match way.as_str() {
        "stencil" => stencil(),
        "ring" => ring(),
        "loop" => many(),
        "batches" => batches(),
        "read" => read(),
        "transpose" => transpose(),
        _ => {
            eprintln!("usage: memory stencil|ring|loop|batches|read|transpose");
            return Ok(ExitCode::from(2));
        }
    };
    let has_failed = outcome.is_err();
    match outcome {
        Ok((value, expected)) => {
            let is_right = (value - expected).abs() <= 1e-12 * expected.abs();
            println!("{way} is {}", if is_right { "right" } else { "wrong" });
            if !is_right {
                println!("{value}, not {expected}");
            }
        }
        Err(error) => println!("error {} {error}", error.is_out_of_memory()),
    }
    let status = weft::pool_status().swap_remove(0);
    println!(
        "{way}: {} bytes at most of {}",
        status.peak, status.capacity
    );
    match weft::finish() {
        // The error was reported already.
        Err(_) if has_failed => Ok(ExitCode::from(3)),
        other => other.map(|_| ExitCode::SUCCESS),
    }
}

/// Returns the initial plate: warm along its first row and its last column.
fn plate() -> Array<f64> {
    let plate = weft::zeros::<f64>(&[ROWS, COLUMNS]);
    plate.slice(s![..1, ..]).fill(1.0);
    plate.slice(s![.., COLUMNS - 1..]).fill(2.0);
    plate
}

/// Computes steps of a stencil in place, then sums over it and two other arrays.
fn stencil() -> Result<(f64, f64), Error> {
    let grid = plate();
    let inner = grid.slice(s![1..-1, 1..-1]);
    for _ in 0..STEPS {
        let [up, down] = [s![..-2, 1..-1], s![2.., 1..-1]].map(|part| grid.slice(part));
        let [left, right] = [s![1..-1, ..-2], s![1..-1, 2..]].map(|part| grid.slice(part));
        inner.assign(0.25 * (up + down + left + right));
    }
    // No more steps follow, for which a second instance would be kept.
    weft::reclaim();
    let others = [2.0, 3.0].map(|factor| factor * &grid);
    let mut value = grid.sum().try_item()?;
    for other in &others {
        value += other.sum().try_item()?;
    }
    let row = grid.slice(s![ROWS / 2 - 2..ROWS / 2 + 2, ..]).to_vec()?;
    let mut old = vec![0.0; ROWS * COLUMNS];
    old[..COLUMNS].fill(1.0);
    (0..ROWS).for_each(|row| old[(row + 1) * COLUMNS - 1] = 2.0);
    let mut new = old.clone();
    for _ in 0..STEPS {
        for at in (1..ROWS - 1).flat_map(|row| (1..COLUMNS - 1).map(move |at| row * COLUMNS + at)) {
            new[at] = 0.25 * (old[at - COLUMNS] + old[at + COLUMNS] + old[at - 1] + old[at + 1]);
        }
        std::mem::swap(&mut old, &mut new);
    }
    let middle = (ROWS / 2 - 2) * COLUMNS;
    let has_same = row == old[middle..middle + 4 * COLUMNS];
    let expected: f64 = old.iter().sum::<f64>() * 6.0;
    Ok((if has_same { value } else { f64::NAN }, expected))
}

/// Computes a ring, in which the first rank needs the last row, and the last rank the first.
fn ring() -> Result<(f64, f64), Error> {
    let mut ring = weft::arange::<f64>((ROWS * COLUMNS) as f64).reshape(&[ROWS, COLUMNS]);
    let mut total = 0.0;
    for _ in 0..3 {
        let next = weft::zeros::<f64>(&[ROWS, COLUMNS]);
        next.slice(s![..-1, ..]).assign(ring.slice(s![1.., ..]));
        next.slice(s![-1.., ..]).assign(ring.slice(s![..1, ..]));
        ring = next;
        total += ring.slice(s![-1, 0]).copy().try_item()?;
    }
    let value = ring.sum().try_item()? + total;
    let count = (ROWS * COLUMNS) as f64;
    Ok((value, count * (count - 1.0) / 2.0 + 3.0 * COLUMNS as f64))
}

/// Creates many arrays, one after the other.
fn many() -> Result<(f64, f64), Error> {
    let a = weft::ones::<f64>(&[ROWS, COLUMNS]);
    let mut value = 0.0;
    for step in 0..20 {
        let part = &a * f64::from(step);
        value += part.slice(s![.., ..COLUMNS / 2]).sum().try_item()?;
    }
    Ok((value, (ROWS * COLUMNS / 2) as f64 * 190.0))
}

/// Creates ranges that fit, while ranks have different amounts of room. If ranks took different
/// ranges, the program would end.
fn batches() -> Result<(f64, f64), Error> {
    let grid = plate();
    grid.slice(s![ROWS / 4.., ..]).fill(1.0);
    let mut value = 0.0;
    for part in weft::batches(3 * ROWS, 8 * COLUMNS) {
        value += weft::ones::<f64>(&[part.len(), COLUMNS]).sum().try_item()?;
    }
    Ok((value, (3 * ROWS * COLUMNS) as f64))
}

/// Reads all of an array on every rank.
fn read() -> Result<(f64, f64), Error> {
    let grid = plate();
    let values = grid.to_vec()?;
    Ok((
        values.iter().sum(),
        (COLUMNS - 1) as f64 + 2.0 * ROWS as f64,
    ))
}

/// Reads a part of each row on every rank.
fn transpose() -> Result<(f64, f64), Error> {
    let grid = plate();
    let turned = grid.t().copy();
    let mut value = turned.sum().try_item()?;
    value += turned.slice(s![.., 0]).copy().sum().try_item()?;
    let row = (COLUMNS - 1) as f64;
    Ok((value, row + 2.0 * ROWS as f64 + row + 2.0))
}
