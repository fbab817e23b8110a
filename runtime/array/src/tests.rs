//! Programs that inspect the runtime while they run, or make it fail.

mod crash;
mod gpu_cost;
mod gpus;
mod loops;
mod memory;
mod program_hash;

use weft_config::{Machine, Plan};

fn plan(words: &str) -> Plan {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    Plan::from_words(&words, &Machine::probe()).unwrap()
}
