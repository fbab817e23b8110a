//! The exchange between ranks for indexed elements, by bounds and by exact sets in turn.
//!
//! `mpirun -n 2 images [ELEMENTS [NAMED]]` prints the milliseconds of a round on the first rank. A
//! round writes an array, and reads NAMED random elements through their indices. The program prints
//! the time of the first call, which finds the elements that tiles need, and the median of later
//! ones.
#![allow(clippy::print_stdout, reason = "this is its purpose")]

use std::time::Instant;

use weft::dtype::DType;
use weft::task::{Context, Definition, DefinitionError, Names, Out};
use weft::{Array, Error};
use weft_config::launch::Launch;

const ROUNDS: usize = 41;

fn gather(exact: bool) -> Result<Definition, DefinitionError> {
    let builder = Definition::builder("gather")
        .output("y", DType::F64, 1)
        .input("at", DType::I64, 1)
        .input("x", DType::F64, 1)
        .align(&["y"])
        .project_text("at", "[i0, ..*]");
    let builder = match exact {
        true => builder.exact_image("at", "x", Names::Coordinates),
        false => builder.image("at", "x", Names::Coordinates),
    };
    let body = |context: &mut Context<'_, '_>| {
        let [y, at, x] = context.take_all()?;
        let mut y: Out<'_, f64, 1> = y.into_out()?;
        let (at, x) = (at.into_in::<i64, 1>()?, x.into_in::<f64, 1>()?);
        let first = x.range(0).start;
        for (y, at) in y.iter_mut().zip(at.iter()) {
            *y = x[*at as usize - first];
        }
        Ok(())
    };
    builder.cpu(body).finish()
}

/// Returns the milliseconds of the first round, and the median of the others.
fn measure(task: &Definition, at: &Array<i64>, elements: usize) -> Result<(f64, f64), Error> {
    let (x, y) = (
        weft::zeros::<f64>(&[elements]),
        weft::zeros::<f64>(&[at.len()]),
    );
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let start = Instant::now();
        x.fill(round as f64);
        task.launch(&[(&y).into(), at.into(), (&x).into()])?;
        let sum = y.sum().try_item()?;
        rounds.push(start.elapsed().as_secs_f64() * 1e3);
        assert_eq!(
            sum,
            (round * at.len()) as f64,
            "the elements of round {round}"
        );
    }
    let first = rounds.remove(0);
    rounds.sort_by(f64::total_cmp);
    Ok((first, rounds[rounds.len() / 2]))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse());
    let elements: usize = numbers.next().transpose()?.unwrap_or(1_000_000);
    let named: usize = numbers.next().transpose()?.unwrap_or(elements / 10);
    // Knuth's MMIX generator.
    let mut state = 1_u64;
    let indices = (0..named).map(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize % elements) as i64
    });
    let at = weft::from_slice(&indices.collect::<Vec<_>>());
    let is_first = Launch::detect()?.is_none_or(|launch| launch.rank == 0);
    for (name, exact) in [("bounds", false), ("exact", true)] {
        let (first, usual) = measure(&gather(exact)?, &at, elements)?;
        if is_first {
            println!("{name}: first {first:.2} ms, then {usual:.2} ms");
        }
    }
    weft::finish()?;
    Ok(())
}
