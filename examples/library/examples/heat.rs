//! Heat along a rod after some time, as the solution of a system with three diagonals.
//!
//! `weft run --profile heat` reports the cost of each line of it and of the library.

#![allow(clippy::print_stdout, reason = "prints its results")]

use banded::{Banded, BandedError};
use ndarray::s;

fn main() -> Result<(), BandedError> {
    let running = weft::start()?;
    let rows = 1_000_000;
    let bands = weft::zeros::<f64>(&[3, rows]);
    bands.fill(-0.25);
    bands.slice(s![1, ..]).fill(1.5);
    let before = weft::ones::<f64>(&[rows]);
    let matrix = Banded::new(&[-1, 0, 1], bands)?;
    let (after, left) = matrix.jacobi(&before, 30)?;
    let [end, middle] = [0, rows / 2].map(|at| after.slice(s![at..at + 1]).item());
    println!(
        "at the end {end:.3}, in the middle {middle:.3}, and {:.1e} left",
        left.item()
    );
    drop(running);
    Ok(())
}
