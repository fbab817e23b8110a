//! Four arrays of 8 MiB in a memory with room for three: the message, and ways to fit.
//!
//! `WEFT_CONFIG="--cpus 1 --gpus 0 --sysmem 25" oom` fails, and prints the holders and remedies.
//! These run: `--sysmem 33`; `oom drop`; `oom batches`; and on a GPU, where `--fbmem 25` is too small, `oom offload` or `--spill`.
#![allow(clippy::print_stdout, reason = "this is its purpose")]

use std::process::ExitCode;

use ndarray::s;
use weft::{Error, MemoryKind};

const N: usize = 1 << 20;

fn main() -> Result<ExitCode, Error> {
    let way = std::env::args().nth(1).unwrap_or_default();
    let sum = match way.as_str() {
        "" | "drop" | "offload" => whole(&way)?,
        "batches" => in_batches()?,
        _ => {
            eprintln!("usage: oom [drop|offload|batches]");
            return Ok(ExitCode::from(2));
        }
    };
    println!("sum {sum}");
    weft::finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Computes all elements at once.
fn whole(way: &str) -> Result<f64, Error> {
    let a = weft::ones::<f64>(&[N - 2]);
    let b = weft::zeros::<f64>(&[N]);
    b.slice(s![1..-1]).assign(&a);
    // Reading a value waits for it: afterwards no operation needs `a`.
    println!("b {}", b.sum().try_item()?);
    match way {
        // Its memory is free at once.
        "drop" => drop(a),
        // It is needed later, but not now.
        "offload" => a.offload_to(MemoryKind::System),
        _ => std::mem::forget(a),
    }
    let c = &b + 2.0;
    let d = &c + 3.0;
    let sum = d.sum().try_item()?;
    drop(c);
    Ok(sum)
}

/// Computes as many elements at a time as fit.
fn in_batches() -> Result<f64, Error> {
    let mut sum = 0.0;
    // Four arrays of f64, and as much again for the values read.
    for part in weft::batches(N, 64) {
        let a = weft::ones::<f64>(&[part.len()]);
        let b = weft::zeros::<f64>(&[part.len()]);
        b.assign(&a);
        // The first and the last element of the whole array stay 0.
        for end in [0, N - 1] {
            if part.contains(&end) {
                let at = end - part.start;
                b.slice(s![at..at + 1]).fill(0.0);
            }
        }
        let c = &b + 2.0;
        let d = &c + 3.0;
        sum += d.sum().try_item()?;
    }
    Ok(sum)
}
