//! Predictions as tables.

use super::engine::Prediction;
use weft_model::Trace;
use weft_model::table::{Cell, Column, Table, Unit};

/// The quantities that grow with the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// Only the ranks.
    Strong,
    /// The ranks and the problem.
    Weak,
}

const fn column(name: &'static str, unit: Unit) -> Column<'static> {
    Column { name, unit }
}

/// Makes a table with a row for each number of ranks. Speed-up and efficiency are relative to
/// `one`, the prediction for one rank: with strong scaling to its time divided by the number of
/// ranks, with weak scaling to its time.
pub fn by_ranks(one: &Prediction, predictions: &[Prediction], scaling: Scaling) -> Table {
    let mut table = Table::new(&[
        column("ranks", Unit::None),
        column("time", Unit::Nanos),
        column("speed-up over 1 rank", Unit::None),
        column("efficiency to 1 rank", Unit::Share),
        column("idle", Unit::Share),
        column("message wait", Unit::Share),
        column("messages per rank", Unit::None),
        column("max bytes per rank", Unit::Bytes),
        column("analysis per operation", Unit::Nanos),
        column("exchange per operation", Unit::Nanos),
    ])
    .leaving_out_last();
    for prediction in predictions {
        let ranks = f64::from(prediction.machine.ranks);
        let ratio = match prediction.time > 0.0 {
            true => one.time / prediction.time,
            false => 1.0,
        };
        let (speed_up, efficiency) = match scaling {
            Scaling::Strong => (ratio, ratio / ranks),
            Scaling::Weak => (ratio * ranks, ratio),
        };
        let most = i64::try_from(prediction.most_bytes).unwrap_or(i64::MAX);
        table.push(vec![
            Cell::Integer(prediction.machine.ranks.into()),
            Cell::Real(prediction.time),
            Cell::Real(speed_up),
            Cell::Real(efficiency),
            Cell::Real(prediction.idle),
            Cell::Real(prediction.waited),
            Cell::Real(prediction.messages as f64 / ranks),
            Cell::Integer(most),
            Cell::Real(prediction.analysis),
            Cell::Real(prediction.exchange),
        ]);
    }
    table
}

/// Makes a table with a row for each line of the program in one prediction; times are means over
/// the ranks.
pub fn by_line(trace: &Trace, prediction: &Prediction) -> Table {
    let mut table = Table::new(&[
        column("line", Unit::None),
        column("operations", Unit::None),
        column("tasks", Unit::Nanos),
        column("message wait", Unit::Nanos),
        column("analysis", Unit::Nanos),
        column("messages per rank", Unit::None),
        column("sent per rank", Unit::Bytes),
    ])
    .leaving_out_last();
    let ranks = f64::from(prediction.machine.ranks);
    let mut lines: Vec<_> = prediction.lines.iter().collect();
    let cost = |line: &super::Line| line.tasks + line.waited + line.analysis * ranks;
    lines.sort_by(|(a, x), (b, y)| cost(y).total_cmp(&cost(x)).then(a.cmp(b)));
    for (provenance, line) in lines {
        let place = trace.program.provenances.get(*provenance);
        let file = trace.strings.get(place.file);
        table.push(vec![
            match place.line {
                0 => Cell::Null,
                number => Cell::Text(format!("{file}:{number}")),
            },
            Cell::Integer(i64::try_from(line.operations).unwrap_or(i64::MAX)),
            Cell::Real(line.tasks / ranks),
            Cell::Real(line.waited / ranks),
            Cell::Real(line.analysis),
            Cell::Real(line.messages as f64 / ranks),
            Cell::Real(line.bytes as f64 / ranks),
        ]);
    }
    table
}

/// Makes a table with a row for each pair of ranks between which messages go in one prediction.
pub fn by_channel(prediction: &Prediction) -> Table {
    let mut table = Table::new(&[
        column("source rank", Unit::None),
        column("destination rank", Unit::None),
        column("messages", Unit::None),
        column("bytes", Unit::None),
    ])
    .leaving_out_last();
    for ((from, to), (messages, bytes)) in &prediction.channels {
        let whole = |number: u64| Cell::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        table.push(vec![
            Cell::Integer((*from).into()),
            Cell::Integer((*to).into()),
            whole(*messages),
            whole(*bytes),
        ]);
    }
    table
}
