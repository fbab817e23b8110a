//! `weft diff --against`: predictions and results.

use std::path::{Path, PathBuf};

use weft_analysis::advise::{self, Advice, Grade};
use weft_model::Trace;
use weft_model::table::{Cell, Column, Table, Unit};
use weft_nvtx_export::{ReadOptions, RequiredParts};

use super::super::costs::CostArgs;
use super::super::trace;
use crate::error::{CliError, Outcome};
use crate::progress::ProgressDisplay;
use crate::say::say;

/// Reads the advice and both runs, and prints a row for each finding and one for all together.
pub(super) fn execute(
    advice: &Path,
    before: &[PathBuf],
    after: &[PathBuf],
    costs: &CostArgs,
    bar: &ProgressDisplay,
) -> Result<Outcome, CliError> {
    let advice = read(advice)?;
    let trace = |inputs: &[PathBuf]| -> Result<(Trace, Outcome), CliError> {
        let options = ReadOptions {
            keep: RequiredParts::Everything,
            mix_runs: costs.mix_runs,
            progress: bar.progress(),
            ..ReadOptions::default()
        };
        let trace = trace::read(inputs, &options)?;
        let outcome = trace::outcome(&trace);
        Ok((trace, outcome))
    };
    let (old, first) = trace(before)?;
    let (new, second) = trace(after)?;
    let windows = [costs.part.window(&old)?, costs.part.window(&new)?];
    let grade = advise::grade(&advice, [&old, &new], windows);
    bar.clear();
    let asked = costs.part.requested_part().map(ToString::to_string);
    if asked != advice.part {
        let part = |part: &Option<String>| part.as_deref().unwrap_or("all of the run").to_owned();
        say(&format!(
            "weft: the advice was given on {}, and {} is compared; give both the same --between",
            part(&advice.part),
            part(&asked)
        ));
    } else if grade.before_ns != advice.replay.measured_ns {
        say("weft: the advice was given on another recording than the first run");
    }
    costs.print(table(&grade))?;
    Ok(first.and(second))
}

fn read(path: &Path) -> Result<Advice, CliError> {
    let remedy = "give what `weft advise --format json` printed";
    let failed = |error: String| CliError::failed(format!("{}: {error}", path.display()), remedy);
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let advice: Advice = serde_json::from_str(&text)
        .map_err(|error| failed(format!("this is not advice: {error}")))?;
    match advice.format {
        1 => Ok(advice),
        other => Err(failed(format!("unknown format {other} of the advice"))),
    }
}

fn table(grade: &Grade) -> Table {
    let column = |name, unit| Column { name, unit };
    let mut table = Table::new(&[
        column("finding", Unit::None),
        column("predicted", Unit::Nanos),
        column("error", Unit::Nanos),
        column("before", Unit::Nanos),
        column("after", Unit::Nanos),
        column("saved", Unit::Nanos),
        column("of predicted", Unit::Share),
        column("still found", Unit::None),
    ]);
    for (rule, predicted) in &grade.findings {
        let is_gone = grade.gone.contains(rule);
        let mut row = vec![
            Cell::Text(rule.clone()),
            Cell::Integer(*predicted),
            Cell::Integer(grade.error_ns),
        ];
        // The saving of one of several changes cannot be measured.
        row.extend(std::iter::repeat_n(Cell::Null, 4));
        row.push(Cell::Text(if is_gone { "no" } else { "yes" }.to_owned()));
        table.push(row);
    }
    table.push(vec![
        Cell::Text("all together".to_owned()),
        Cell::Integer(grade.predicted_ns),
        Cell::Integer(grade.error_ns),
        Cell::Integer(grade.before_ns),
        Cell::Integer(grade.after_ns),
        Cell::Integer(grade.saved_ns),
        grade.ratio().map_or(Cell::Null, Cell::Real),
        Cell::Null,
    ]);
    table
}
