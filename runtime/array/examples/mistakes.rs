//! Programs with one mistake each, selected by name, for tests of error messages.
//!
//! The line of a mistake has its name as a comment. A mistake in a call ends the program there. A
//! later failure is printed, and the program continues.
#![allow(clippy::print_stdout, reason = "this is its purpose")]

use std::process::ExitCode;

use ndarray::s;
use weft::error::Cause;
use weft::{Array, Error};

fn main() -> Result<ExitCode, Error> {
    let name = std::env::args().nth(1).unwrap_or_default();
    match name.as_str() {
        "memory" => memory()?,
        "finished" => finished()?,
        "unstarted" => {
            let one = weft::ones::<f64>(&[1]); // unstarted
            println!("{}", one.item());
        }
        name => {
            let _running = weft::start()?;
            return Ok(call(name));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes a mistake that is visible at the call.
fn call(name: &str) -> ExitCode {
    let row = weft::arange::<f64>(3.0);
    let matrix = weft::ones::<f64>(&[4, 5]);
    match name {
        "broadcast" => drop(&row + &matrix),                // broadcast
        "slice" => drop(row.slice(s![5])),                  // slice
        "dimensions" => drop(row.slice(s![.., 0])),         // dimensions
        "item" => drop(row.item()),                         // item
        "reshape" => drop(matrix.reshape(&[3, 7])),         // reshape
        "dot" => drop(matrix.dot(&row)),                    // dot
        "matmul" => drop(matrix.matmul(&matrix)),           // matmul
        "assign" => row.assign(&matrix),                    // assign
        "axis" => drop(matrix.sum_axis(2)),                 // axis
        "stretched" => row.broadcast_to(&[2, 3]).fill(1.0), // stretched
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}

/// Uses more than the memory holds, which fails when the operation runs.
fn memory() -> Result<(), Error> {
    let _running = weft::start()?;
    let small = weft::ones::<f64>(&[100]);
    let large = weft::ones::<f64>(&[1 << 20]); // memory
    let sum = (&large + 1.0).sum();
    for (what, value) in [("read", large.slice(s![..1]).sum()), ("later", sum)] {
        show(what, value.try_item());
    }
    show("again", large.to_vec().map(|values| values.len() as f64));
    drop(large);
    show("small", small.sum().try_item());
    match weft::finish() {
        Ok(_) => println!("finish: well"),
        Err(error) => println!("finish: {error}"),
    }
    Ok(())
}

fn show(what: &str, value: Result<f64, Error>) {
    match value {
        Ok(value) => println!("{what}: {value}"),
        Err(Error::Failed(failure)) => {
            let kind = match &failure.cause {
                Cause::OutOfMemory(shortage) => {
                    format!("memory {} {}", shortage.asked, shortage.capacity)
                }
                other => other.to_string(),
            };
            let (operation, line, uid) = (failure.operation, failure.location.line(), failure.uid);
            println!("{what}: failed {operation} {line} {uid} {kind}: {failure}");
        }
        Err(other) => println!("{what}: {other}"),
    }
}

/// Uses arrays after their runtime has finished, which is an error.
fn finished() -> Result<(), Error> {
    let _running = weft::start()?;
    let array: Array<f64> = weft::ones(&[10]);
    println!("sum: {}", array.sum().item());
    weft::finish()?;
    show("read", array.to_vec().map(|values| values[0]));
    drop(&array + 1.0); // finished
    Ok(())
}
