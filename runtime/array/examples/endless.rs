//! A program that computes in rounds and ends in the given way in the middle of its work.
//!
//! `endless` goes on until it is stopped from outside. `endless ROUNDS END` ends after so many rounds: END is `return`,
//! `exit`, `panic` or `kill` (signal 9 to itself). Each round adds 1 to every element, reads the sum back, compares it
//! and prints the number of rounds so far. What is asked for just before the end is never read.
#![allow(clippy::print_stdout, clippy::panic, reason = "this is what it is for")]

use std::process::ExitCode;

/// Elements of the array: a sum of small whole numbers that many is exact.
const ELEMENTS: usize = 4096;
/// Operations that are on their way when the program ends.
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
            // Nothing runs after it where it works.
            let killed = std::process::Command::new("kill")
                .args(["-9", &own])
                .status();
            panic!("still here: {killed:?}");
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
