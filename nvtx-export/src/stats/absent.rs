//! What a user should know about a table of costs that its numbers do not say.

use super::{By, line};
use crate::joined::Joined;
use crate::output::table::Table;

/// Why the table has no rows, or where its rows come from if not from where one would think.
pub(super) fn note(joined: &Joined, by: By, table: &Table) -> Option<&'static str> {
    if !table.rows().is_empty() {
        let by_message = by == By::Line && line::is_by_message(joined);
        return by_message.then_some(
            "no task is in these inputs: lines are those in the messages of NVTX ranges, \
             and a kernel counts for the innermost range around its launch",
        );
    }
    Some(match by {
        By::Line if !joined.ranges.is_empty() => {
            "no task is in these inputs, and no message of an NVTX range holds a file:line; \
             give the .prof files of the run too, or see --by range-name or --by kernel"
        }
        By::Task | By::Operation | By::Line => {
            "no task is in these inputs: only .prof files hold them; \
             give those of the run too, or see --by range-name or --by kernel"
        }
        By::Kernel => "no kernel is in these inputs; see --by task or --by range-name",
        By::Processor => "no task and no kernel is in these inputs; see --by range-name",
        By::Memory => {
            "no allocation is in these inputs: only .prof files hold them; \
             see --by channel for the bytes that were moved"
        }
        By::Channel => "no copy and no fill is in these inputs; see --by processor",
        By::Range | By::RangeName => {
            "no range in these inputs encloses a call that started work on a device; see --by task or --by kernel"
        }
    })
}
