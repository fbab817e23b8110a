//! `weft diff --fail-over`: whether costs have grown, for CI.

use std::path::PathBuf;

use weft_analysis::stats::By;
use weft_analysis::stats::change::{self, Limit};
use weft_files::is_same;
use weft_input::runs_of;
use weft_model::printable::printable;
use weft_model::table::Table;

use super::super::costs::CostArgs;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;

/// The maximum number of rows named in the message.
const NAMED: usize = 3;

/// Parses a share of one, such as `5%`.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    match number.parse::<f64>() {
        Ok(percent) if percent.is_finite() && percent >= 0.0 => Ok(percent / 100.0),
        _ => Err(format!("`{text}` is not a percentage; give one such as 5%")),
    }
}

/// Adds up each run of both sides, prints the changes, and reports rows that have grown beyond the
/// limit.
pub(super) fn execute(
    before: &[PathBuf],
    after: &[PathBuf],
    costs: &CostArgs,
    limit: Limit,
    bar: ProgressDisplay,
) -> Result<Outcome, CliError> {
    if costs.by == By::Memory {
        return Err(CliError::usage(
            "the rows of --by memory do not add up to a cost",
            "leave out --fail-over, or choose --by line, task or kernel",
        ));
    }
    let both = before
        .iter()
        .find(|one| after.iter().any(|other| is_same(one, other)));
    let mut outcome = Outcome::Done;
    let mut side = |inputs: &[PathBuf]| -> Result<Vec<Table>, CliError> {
        let mut tables = Vec::new();
        for run in runs_of(inputs)? {
            let (table, one) = costs.add_up(&run, &bar)?;
            outcome = outcome.and(one);
            tables.push(table);
        }
        Ok(tables)
    };
    let (before, after) = (side(before)?, side(after)?);
    drop(bar);
    let runs = [before.len(), after.len()];
    let made = change::changes(&before, &after, costs.by, limit);
    costs.print(made.table)?;
    if let Some(both) = both {
        say(&format!(
            "weft: {} is on both sides, so nothing of it can have grown; check which files are compared",
            printable(&both.display().to_string())
        ));
    }
    match runs {
        [1, 1] => say(
            "weft: with one run of each side it is not known by how much runs differ; give several for --fail-over",
        ),
        [1, _] => say(
            "weft: the first side has one run; its variation is assumed to be that of the second side",
        ),
        [_, 1] => say(
            "weft: the second side has one run; its variation is assumed to be that of the first side",
        ),
        _ => {}
    }
    let percent = 100.0 * limit.growth;
    if let Some(fallen) = made.fallen {
        say(&format!(
            "weft: the total has fallen by {:.1} %; if that is not expected, check that the earlier runs stand before `--`",
            100.0 * fallen
        ));
    }
    if made.uncertain > 0 {
        say(&format!(
            "weft: {} grew by more than {percent} %, but not by more than runs differ: see `uncertain`, and give more runs",
            rows(made.uncertain)
        ));
    }
    if made.new > 0 {
        say(&format!(
            "weft: {} of the second side only ({} and {} runs): see `new`; a line whose number changed counts as new, but not with --by operation",
            rows(made.new),
            runs[0],
            runs[1]
        ));
    }
    if made.grown.is_empty() {
        return Ok(outcome);
    }
    let named = made.grown.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|(name, growth)| format!("{name} by {:.1} %", 100.0 * growth))
        .collect();
    let more = made.grown.len().saturating_sub(NAMED);
    let more = match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    say(&format!(
        "weft: grown by more than {percent} %: {}{more}",
        named.join(", ")
    ));
    Ok(Outcome::Grown)
}

fn rows(count: usize) -> String {
    match count {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    }
}
