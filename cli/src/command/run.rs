//! `weft run`: runs a program as planned.
//!
//! Flags become a plan ([`args`]) and a number of [`ranks`]. From both, [`prepared`] builds the
//! command and its environment, from the outside in: [`launcher`], [`binding`], [`wrappers`] with
//! [`nsys`], the [interpreter](interpreted), program. [`outputs`] finds a folder in which no file
//! is replaced, [`child`] runs the program, and [`join`] joins the files it wrote.

mod args;
mod binding;
mod child;
mod forwarded;
mod interpreted;
mod join;
mod launcher;
mod missing;
mod names;
mod nsys;
mod outputs;
mod prepared;
mod ranks;
mod shown;
mod stopped;
mod timing;
mod wrappers;

use weft_config::flag::Flag;

pub(crate) use args::{RunArgs, check_words};
pub(crate) use interpreted::translate;
use outputs::Outputs;
use prepared::Prepared;
use timing::Timing;

use crate::command::trace;
use crate::error::{CliError, Outcome};
use crate::say::say;

/// Runs the program, joins its traces, and passes its status on.
pub(crate) fn execute(args: &RunArgs) -> Result<Outcome, CliError> {
    let prepared = Prepared::new(args)?;
    interpreted::tell_inherited(&prepared.flags);
    let flag = |flag| prepared.flags.switch(flag).unwrap_or(false);
    if flag(Flag::DryRun) {
        let summary = if prepared.plan.show_config {
            prepared.plan.summary()
        } else {
            String::new()
        };
        trace::print(&format!("{summary}{}", prepared.shown()))?;
        return Ok(Outcome::Done);
    }
    prepared.check()?;
    let (prepared, outputs) = ready(args, prepared)?;
    let flag = |flag| prepared.flags.switch(flag).unwrap_or(false);
    if flag(Flag::Verbose) {
        say(prepared.shown().trim_end());
    }
    let timing = flag(Flag::Timing).then(Timing::start);
    let status = child::run(&prepared)?;
    if let Some(timing) = timing {
        timing.end();
    }
    tell_end(&prepared, &outputs, status);
    match join::join(&prepared, &outputs.names, status) {
        Ok(Outcome::Partly) if status == 0 => Ok(Outcome::Partly),
        Ok(_) => Ok(Outcome::Program(status)),
        // The program's failure takes precedence over that of the join, which is printed too.
        Err(error) if status != 0 => {
            say(&format!("weft: {}", crate::error::chain(&error)));
            Ok(Outcome::Program(status))
        }
        Err(error) => Err(error),
    }
}

/// Prepares the output folder. If another run takes the names first, it tries again with others.
fn ready(args: &RunArgs, first: Prepared) -> Result<(Prepared, Outputs), CliError> {
    let mut prepared = first;
    loop {
        if let Some(outputs) = Outputs::prepare(&prepared)? {
            return Ok((prepared, outputs));
        }
        prepared = Prepared::new(args)?;
    }
}

/// Prints the status of a failed launch, and the place of the ranks' output.
fn tell_end(prepared: &Prepared, outputs: &Outputs, status: u8) {
    let ranks = &prepared.ranks;
    let logs = prepared.logs() && ranks.joined.is_none_or(|own| own.rank == 0);
    if let Some(launcher) = ranks.start.as_ref().filter(|_| status != 0) {
        let how = match status {
            129..=192 => format!("status {status} (signal {})", status - 128),
            _ => format!("status {status}"),
        };
        say(&format!(
            "weft: {} ended with {how} and ended the ranks; its messages are above",
            launcher.program(),
        ));
        // Without an allocation the launcher can only use this machine.
        if ranks.nodes > 1 && std::env::var_os("SLURM_JOB_ID").is_none() {
            say(&format!(
                "weft: if it found fewer than {} nodes, name them with --launcher-extra \"--hostfile FILE\"; on this machine alone use --ranks-per-node {}",
                ranks.nodes, ranks.all
            ));
        }
    }
    if logs {
        say(&format!(
            "weft: the output of each rank is in {} and {}",
            shown::pattern(&outputs.names.pattern("out")),
            shown::pattern(&outputs.names.pattern("err"))
        ));
    }
}
