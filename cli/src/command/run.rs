//! `weft run`: a program under a plan.
//!
//! The flags become a plan ([`args`]), the plan a command with its environment ([`launch`], [`nsys`]); earlier files
//! of that name are removed ([`outputs`]), the program runs ([`child`]), and what it left is joined ([`join`]).

mod args;
mod child;
mod join;
mod launch;
mod nsys;
mod outputs;

use weft_config::flag::Flag;

pub(crate) use args::RunArgs;
use launch::Launch;
use outputs::Outputs;

use crate::command::joined;
use crate::error::{CliError, Outcome};
use crate::say::say;

/// Runs the program, joins its traces, and passes its status on.
pub(crate) fn execute(args: &RunArgs) -> Result<Outcome, CliError> {
    let launch = Launch::new(args)?;
    let flag = |flag| launch.flags.switch(flag).unwrap_or(false);
    if flag(Flag::DryRun) {
        let summary = if launch.plan.show_config {
            launch.plan.summary()
        } else {
            String::new()
        };
        joined::print(&format!("{summary}{}", launch.shown()))?;
        return Ok(Outcome::Done);
    }
    launch.check()?;
    if flag(Flag::Verbose) {
        say(launch.shown().trim_end());
    }
    let outputs = Outputs::new(&launch.plan);
    if launch.leaves_files() {
        outputs.prepare()?;
    }
    let status = child::run(&launch)?;
    if !launch.leaves_files() {
        return Ok(Outcome::Program(status));
    }
    match join::join(&launch, &outputs) {
        Ok(Outcome::Partly) if status == 0 => Ok(Outcome::Partly),
        Ok(_) => Ok(Outcome::Program(status)),
        // The program's own failure matters more than that of the join, which is told all the same.
        Err(error) if status != 0 => {
            say(&format!("weft: {}", crate::error::chain(&error)));
            Ok(Outcome::Program(status))
        }
        Err(error) => Err(error),
    }
}
