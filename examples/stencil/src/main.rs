//! Heat on a plate: in each step an inner point becomes the average of itself and its neighbours.
//!
//! `stencil -n 1000 -i 100 -t` prints the time, `--check` compares with the same program on `ndarray`.

#![allow(clippy::print_stdout, reason = "prints its results")]

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, value_parser};
use ndarray::{Array2, s};
use weft::Array;

/// Five-point stencil on a plate with a warm northern edge.
#[derive(Parser)]
struct Arguments {
    /// Points along the northern and southern side, edges not counted.
    #[arg(short = 'n', long, default_value_t = 1000, value_parser = value_parser!(u32).range(..=1_000_000))]
    size: u32,
    /// Points along the other sides, if the plate is not square.
    #[arg(long, value_parser = value_parser!(u32).range(..=1_000_000))]
    rows: Option<u32>,
    /// Number of iterations.
    #[arg(short, long, default_value_t = 100)]
    iterations: usize,
    /// Print the elapsed time.
    #[arg(short, long)]
    time: bool,
    /// Compare the result with an eager reference.
    #[arg(long)]
    check: bool,
}

fn initialize(rows: usize, n: usize) -> Array<f64> {
    let grid = weft::zeros::<f64>(&[rows + 2, n + 2]);
    grid.slice(s![.., 0]).fill(-273.15);
    grid.slice(s![.., -1]).fill(-273.15);
    grid.slice(s![-1, ..]).fill(-273.15);
    grid.slice(s![0, ..]).fill(40.0);
    grid
}

fn run(grid: &Array<f64>, iterations: usize) {
    let center = grid.slice(s![1..-1, 1..-1]);
    let north = grid.slice(s![..-2, 1..-1]);
    let east = grid.slice(s![1..-1, 2..]);
    let west = grid.slice(s![1..-1, ..-2]);
    let south = grid.slice(s![2.., 1..-1]);
    for _ in 0..iterations {
        let average = &center + &north + &east + &west + &south;
        let average = 0.2 * average;
        center.assign(&average);
    }
}

/// Computes the same on `ndarray`, step by step.
fn reference(rows: usize, n: usize, iterations: usize) -> Array2<f64> {
    let mut grid = Array2::zeros((rows + 2, n + 2));
    grid.slice_mut(s![.., 0]).fill(-273.15);
    grid.slice_mut(s![.., -1]).fill(-273.15);
    grid.slice_mut(s![-1, ..]).fill(-273.15);
    grid.slice_mut(s![0, ..]).fill(40.0);
    for _ in 0..iterations {
        let average = grid.slice(s![1..-1, 1..-1]).to_owned()
            + grid.slice(s![..-2, 1..-1])
            + grid.slice(s![1..-1, 2..])
            + grid.slice(s![1..-1, ..-2])
            + grid.slice(s![2.., 1..-1]);
        grid.slice_mut(s![1..-1, 1..-1]).assign(&(average * 0.2));
    }
    grid
}

fn main() -> Result<ExitCode, weft::Error> {
    let arguments = Arguments::parse();
    let (n, iterations) = (arguments.size as usize, arguments.iterations);
    let rows = arguments.rows.map_or(n, |rows| rows as usize);
    let runtime = weft::start()?;

    let start = Instant::now();
    let grid = initialize(rows, n);
    run(&grid, iterations);
    let total = grid.sum().item();
    let elapsed = start.elapsed();

    println!("Sum of all points: {total:.6}");
    if arguments.time {
        println!("Elapsed Time: {:.3} ms", elapsed.as_secs_f64() * 1e3);
    }
    let result = grid.to_ndarray()?;
    drop(runtime);
    if arguments.check && result != reference(rows, n, iterations).into_dyn() {
        eprintln!("stencil: the grid differs from the reference");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
