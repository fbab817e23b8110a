//! Masked updates of one array, in the bad and the good way of Legate's profiling guide.
//!
//! `threshold inefficient -n 10000000 -t` goes through lists of indices and through chunks of 4096 elements;
//! `threshold efficient -n 10000000 -t` works on whole arrays with masks. `--check` compares with the same steps on
//! `ndarray`. The profile shows the time of each: `weft run --profile threshold inefficient`, then
//! `weft stats --by line weft_0.prof`.

#![allow(clippy::print_stdout, reason = "prints its results")]

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use ndarray::{Array1, Zip, s};
use weft::Array;
use weft::kernel::BinaryOp;

/// Overwrites where a condition on two random arrays holds, then moves values away from 1.
#[derive(Parser)]
struct Arguments {
    /// The way to update.
    way: Variant,
    /// Number of elements.
    #[arg(short = 'n', long, default_value_t = 1_000_000)]
    size: usize,
    /// Print the elapsed time.
    #[arg(short, long)]
    time: bool,
    /// Compare the result with an eager reference.
    #[arg(long)]
    check: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Variant {
    /// Lists of indices, temporaries, and many small chunks.
    Inefficient,
    /// Whole arrays and masks.
    Efficient,
}

/// Elements of a chunk of the inefficient way.
const CHUNK: usize = 4096;

/// The inputs and the result of both ways.
type Arrays = [Array<f32>; 3];

fn inefficient(n: usize) -> Arrays {
    let random = weft::random::seeded(0);
    let x: Array<f32> = random.uniform::<f64>(&[n]).cast();
    let y: Array<f32> = random.uniform::<f64>(&[n]).cast();

    // Indices of the elements that are overwritten; values are also made for the others.
    let places = (x.less(0.25) & y.greater(0.5)).nonzero();
    let z = &x + &y;
    let instead = &x * &y + 1.0;
    let indices: Vec<&Array<i64>> = places.iter().collect();
    z.put_at(&indices, instead.take_at(&indices));

    // Thousands of small operations, each of which gathers elements or writes them back.
    for start in (0..n).step_by(CHUNK) {
        let part = z.slice(s![start..n.min(start + CHUNK)]);
        let above = part.greater(1.0);
        part.put_where(&above, part.take_where(&above) + 2.0);
        let others = !&above;
        part.put_where(&others, part.take_where(&others) - 2.0);
    }
    [x, y, z]
}

fn efficient(n: usize) -> Arrays {
    let random = weft::random::seeded(0);
    let x = random.uniform::<f32>(&[n]);
    let y = random.uniform::<f32>(&[n]);

    let z = weft::zeros(&[n]);
    z.store(BinaryOp::Add, &x, &y);
    let overwritten = x.less(0.25) & y.greater(0.5);
    z.putmask(&overwritten, &x * &y + 1.0);

    let above = z.greater(1.0);
    z.putmask(&above, &z + 2.0);
    z.putmask(&!&above, &z - 2.0);
    [x, y, z]
}

/// Computes the same on `ndarray`, element by element.
fn reference(x: &Array1<f32>, y: &Array1<f32>) -> Array1<f32> {
    Zip::from(x).and(y).map_collect(|x, y| {
        let z = if *x < 0.25 && *y > 0.5 {
            x * y + 1.0
        } else {
            x + y
        };
        if z > 1.0 { z + 2.0 } else { z - 2.0 }
    })
}

/// Waits for an array and returns its values.
fn vector(array: &Array<f32>) -> Result<Array1<f32>, weft::Error> {
    Ok(Array1::from_vec(array.to_vec()?))
}

fn main() -> Result<ExitCode, weft::Error> {
    let arguments = Arguments::parse();
    let runtime = weft::start()?;

    let start = Instant::now();
    let [x, y, z] = match arguments.way {
        Variant::Inefficient => inefficient(arguments.size),
        Variant::Efficient => efficient(arguments.size),
    };
    let total = z.sum().item();
    let elapsed = start.elapsed();

    println!("Sum of all elements: {total:.3}");
    if arguments.time {
        println!("Elapsed Time: {:.3} ms", elapsed.as_secs_f64() * 1e3);
    }
    let [x, y, z] = [vector(&x)?, vector(&y)?, vector(&z)?];
    drop(runtime);
    if arguments.check && z != reference(&x, &y) {
        eprintln!("threshold: the result differs from the reference");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
