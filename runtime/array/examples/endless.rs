//! A program that computes in rounds, and ends in a given way in the middle of its work.
//!
//! `endless` runs until it is stopped from outside. `endless ROUNDS END` ends after ROUNDS rounds:
//! END is `return`, `exit`, `panic` or `kill` (signal 9 to itself). Each round adds 1 to every
//! element, reads the sum, checks it and prints the number of rounds so far. Results of the
//! operations just before the end are never read.
#![allow(clippy::print_stdout, clippy::panic, reason = "this is its purpose")]

use std::process::ExitCode;

/// The elements of the array: a sum of as many small whole numbers is exact.
const ELEMENTS: usize = 4096;
/// The number of operations under way when the program ends.
const UNREAD: usize = 200;

fn main() -> Result<ExitCode, weft::Error> {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(usize::MAX);
    let end = arguments.next().unwrap_or_default();

    let _running = weft::start()?;
    let mut x = weft::zeros::<f64>(&[ELEMENTS]);
    for round in 1..=rounds {
        x = &x + 1.0;
        let sum = x.sum().try_item()?;
        if sum != (round * ELEMENTS) as f64 {
            eprintln!("endless: the sum of round {round} is {sum}");
            return Ok(ExitCode::FAILURE);
        }
        println!("{round}");
    }
    for _ in 0..UNREAD {
        x = &x + 1.0;
    }
    match end.as_str() {
        "exit" => std::process::exit(7),
        "panic" => panic!("as told"),
        "kill" => {
            let own = std::process::id().to_string();
            // If this works, nothing runs after it.
            let killed = std::process::Command::new("kill")
                .args(["-9", &own])
                .status();
            panic!("still here: {killed:?}");
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
