//! Conjugate gradient: solves `A x = b` for the matrix of a 2-D Poisson problem on an `n` by `n` grid, held dense.
//!
//! `cg -n 50 -t` prints the time, `--check` compares the solution with the same program on `ndarray`.

#![allow(clippy::print_stdout, reason = "prints its results")]

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, value_parser};
use ndarray::{Array1, Array2, s};
use weft::Array;

/// Iterations between two tests of convergence: each test makes the program wait.
const CHECK_EVERY: usize = 25;
/// The square of the residual's norm at which the solution is good enough.
const THRESHOLD: f64 = 1e-10;

/// Conjugate gradient on a dense Poisson matrix.
#[derive(Parser)]
struct Arguments {
    /// Points along each side of the grid; the matrix has n^2 rows.
    #[arg(short = 'n', long, default_value_t = 50, value_parser = value_parser!(u32).range(..=10_000))]
    size: u32,
    /// Maximum number of iterations [default: n^2].
    #[arg(short, long)]
    max_iterations: Option<usize>,
    /// Print the elapsed time.
    #[arg(short, long)]
    time: bool,
    /// Compare the solution with an eager reference.
    #[arg(long)]
    check: bool,
}

/// Returns the five-point Laplacian: 4 on the diagonal, -1 for each neighbour on the grid.
fn poisson(n: usize) -> Array<f64> {
    let d = n * n;
    let a = weft::zeros::<f64>(&[d, d]);
    let flat = a.reshape(&[d * d]);
    // A diagonal of a matrix is every (d + 1)-th of its elements.
    let step = d as isize + 1;
    flat.slice(s![..;step]).fill(4.0);
    if n > 1 {
        flat.slice(s![1..;step]).fill(-1.0);
        flat.slice(s![d..;step]).fill(-1.0);
        flat.slice(s![n..(d - n) * d;step]).fill(-1.0);
        flat.slice(s![n * d..;step]).fill(-1.0);
        // The last point of a row of the grid and the first point of the next are not neighbours.
        let stride = (n * (d + 1)) as isize;
        flat.slice(s![(n - 1) * d + n..;stride]).fill(0.0);
        flat.slice(s![n * d + n - 1..;stride]).fill(0.0);
    }
    a
}

/// Solves `A x = b`; returns the solution and the number of iterations.
fn solve(a: &Array<f64>, b: &Array<f64>, most: usize) -> Result<(Array<f64>, usize), weft::Error> {
    let mut x = weft::zeros::<f64>(b.shape());
    let mut r = b - a.dot(&x);
    let mut p = r.copy();
    let mut rsold = r.dot(&r);
    for i in 0..most {
        let ap = a.dot(&p);
        let alpha = &rsold / p.dot(&ap);
        x += &alpha * &p;
        r -= &alpha * &ap;
        let rsnew = r.dot(&r);
        if (i + 1) % CHECK_EVERY == 0 && rsnew.try_item()? < THRESHOLD {
            return Ok((x, i + 1));
        }
        let beta = &rsnew / &rsold;
        p = &r + beta * &p;
        rsold = rsnew;
    }
    Ok((x, most))
}

/// Computes the same on `ndarray`, step by step.
fn reference(n: usize, b: &Array1<f64>, most: usize) -> Array1<f64> {
    let d = n * n;
    let a = Array2::from_shape_fn((d, d), |(i, j)| {
        let near = i.abs_diff(j) == n || (i.abs_diff(j) == 1 && i / n == j / n);
        if i == j {
            4.0
        } else {
            -f64::from(u8::from(near))
        }
    });
    let mut x = Array1::zeros(d);
    let mut r = b - &a.dot(&x);
    let mut p = r.clone();
    let mut rsold = r.dot(&r);
    for i in 0..most {
        let ap = a.dot(&p);
        let alpha = rsold / p.dot(&ap);
        x += &(alpha * &p);
        r -= &(alpha * &ap);
        let rsnew = r.dot(&r);
        if (i + 1) % CHECK_EVERY == 0 && rsnew < THRESHOLD {
            break;
        }
        p = &r + rsnew / rsold * &p;
        rsold = rsnew;
    }
    x
}

fn main() -> Result<ExitCode, weft::Error> {
    let arguments = Arguments::parse();
    let n = arguments.size as usize;
    let most = arguments.max_iterations.unwrap_or(n * n);
    let runtime = weft::start()?;

    let a = poisson(n);
    let b = weft::random::seeded(0).uniform::<f64>(&[n * n]);
    let right = b.to_vec()?;
    let start = Instant::now();
    let (x, iterations) = solve(&a, &b, most)?;
    let residual = &b - a.dot(&x);
    let error = residual.dot(&residual).sqrt().try_item()?;
    let elapsed = start.elapsed();

    println!("Iterations: {iterations}, residual: {error:.3e}");
    if arguments.time {
        println!("Elapsed Time: {:.3} ms", elapsed.as_secs_f64() * 1e3);
    }
    let solution = x.to_vec()?;
    drop(runtime);
    if arguments.check {
        let expected = reference(n, &Array1::from(right), most);
        let largest = expected.fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let apart = solution
            .iter()
            .zip(&expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        if apart.is_nan() || apart > 1e-6 * largest {
            eprintln!("cg: the solution is {apart:e} off the reference, of {largest:e}");
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
