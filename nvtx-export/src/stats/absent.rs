//! What a user should know about a table of costs that its numbers do not say.

use super::{By, line};
use crate::critical;
use crate::joined::Joined;
use crate::output::table::{Cell, Table};

/// Why the table has no rows, or what it leaves out, or where its rows come from if not from where one would think.
pub(super) fn note(joined: &Joined, by: By, table: &Table) -> Option<String> {
    if by == By::Critical
        && let Some(why) = critical::missing(joined)
    {
        return Some(why);
    }
    if table.is_empty() {
        return Some(format!("{}; {}", why(joined, by), instead(joined, by)));
    }
    if by == By::RangeName && projects_nothing(table) {
        return Some(
            "no range in these inputs encloses a call that started GPU work; times are those of the ranges themselves"
                .to_owned(),
        );
    }
    if by != By::Line {
        return None;
    }
    if line::is_by_message(joined) {
        return Some(
            "these inputs have no tasks; lines are taken from the messages of NVTX ranges, and each kernel counts for the innermost range around its launch"
                .to_owned(),
        );
    }
    let (tasks, time) = line::left_out(joined);
    (tasks > 0).then(|| {
        format!(
            "not shown: {tasks} tasks of the program itself, which have no line, with {:.3} s; --by task shows them",
            time as f64 / 1e9
        )
    })
}

/// Whether no range of the table has work on a device.
fn projects_nothing(table: &Table) -> bool {
    let operations = table.column("operations");
    let mut cells = (table.rows().iter()).filter_map(|row| row.get(operations?));
    cells.all(|cell| *cell == Cell::Integer(0))
}

fn why(joined: &Joined, by: By) -> &'static str {
    match by {
        By::Line if !joined.tasks.is_empty() => "no task in these inputs has a source line",
        By::Line if !joined.ranges.is_empty() => {
            "these inputs have no tasks, and no NVTX range message contains file:line"
        }
        By::Task | By::Operation | By::Line | By::Critical => {
            "these inputs have no tasks; only .prof files record them"
        }
        By::Kernel => "these inputs have no kernels",
        By::Range => "no range in these inputs encloses a call that started GPU work",
        By::RangeName => "these inputs have no NVTX ranges and no launches",
        By::Processor => "these inputs have no tasks and no kernels",
        By::Memory => "these inputs have no allocations; only .prof files record them",
        By::Channel => "these inputs have no copies and no fills",
        By::Wait => "these inputs have no waits; only .prof files record them",
        By::Gap => "these inputs have no tasks and no GPU work",
    }
}

fn has_ranges(joined: &Joined) -> bool {
    let mut columns = joined.sessions.iter().flat_map(|session| &session.spans);
    !joined.ranges.is_empty() || columns.any(|spans| !spans.ranges.id.is_empty())
}

/// What these inputs can be asked for.
fn instead(joined: &Joined, by: By) -> String {
    let has = [
        ("--by task", By::Task, !joined.tasks.is_empty()),
        ("--by kernel", By::Kernel, !joined.kernels.is_empty()),
        ("--by range-name", By::RangeName, has_ranges(joined)),
    ];
    let other = has.into_iter().filter(|(_, what, has)| *has && *what != by);
    let other: Vec<&str> = other.map(|(flag, ..)| flag).collect();
    if other.is_empty() {
        "add the other files of the run".to_owned()
    } else {
        format!("try {}", other.join(" or "))
    }
}
