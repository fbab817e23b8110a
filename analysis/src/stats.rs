//! Costs of a joined trace, computed from its columns without SQL.
//!
//! Records with impossible times do not contribute to any value; the column `unknown` counts them.
//!
//! Every row has the count; the sum of times; their mean, sample standard deviation, minimum,
//! median, 95th and 99th percentile, and maximum; and the row's share of all rows. The columns of
//! times are:
//! - Times of tasks of a GPU are device times: those of the task's kernels, copies and fills. If no
//!   GPU work was recorded, the issue time is all that is known.
//! - `issue time` is the host's time for issuing the work.
//! - `compile time` is the time for preparing kernels that the row needed first. It is in neither
//!   of the other two.
//! - `cuda overhead` is the part of these times in which CUPTI, Nsight Systems or the driver did
//!   something other than the row's work. It is in no total of its own.
//! - The kernel time and the overhead are shown if kernels belong to the rows. GPU work may be
//!   later than the task that launched it. The overhead of a task is its time minus the time of its
//!   kernels. Both are empty if the inputs have no kernels.
//! - `estimated` is the part of the total that depends on estimated shares. A launch that serves
//!   several tasks counts for each by its share, and so do its kernels. The column is empty without
//!   estimated shares. It is 0 if all tasks of such launches are in one row: single values are then
//!   estimated, but not their total.
//!
//! `GB/s` is the bytes that kernels read and write, each byte of an operand once, divided by the
//! time in which at least one kernel of the row ran. Rates of concurrent kernels therefore add up.
//! Kernels with unknown bytes count for neither. If a kernel served several tasks, each has its
//! share of the bytes and of the time, as if they followed each other. By channel, moved bytes
//! count once although they are both read and written. `of bandwidth` is the rate divided by that
//! of the memory.

mod absent;
mod busy;
mod by;
pub mod change;
mod channel;
mod cost;
mod critical;
pub mod diff;
mod flow;
mod gap;
mod groups;
mod kernel;
mod line;
mod machine;
mod overhead;
mod program;
mod range;
mod reason;
pub mod roofline;
mod untimed;
mod wait;

use weft_model::Trace;
use weft_model::table::Table;

pub use by::By;
pub(crate) use cost::work_times;
pub(crate) use program::{OperationTimes, operation_of, operation_times};

/// Returns the table of costs, greatest total first.
pub fn table(trace: &Trace, by: By) -> Table {
    match by {
        By::Task => program::by_task(trace),
        By::Operation => program::by_operation(trace),
        By::Line => line::by_line(trace),
        By::Scope => line::by_scope(trace),
        By::Kernel => kernel::by_kernel(trace),
        By::Range => range::by_range(trace),
        By::RangeName => range::by_name(trace, range::Numbers::Folded),
        By::RangeMessage => range::by_name(trace, range::Numbers::Kept),
        By::Processor => machine::by_processor(trace),
        By::Memory => machine::by_memory(trace),
        By::Channel => channel::by_channel(trace),
        By::Gap => gap::by_gap(trace),
        By::Wait => wait::by_wait(trace),
        By::Critical => critical::by_critical(trace),
    }
}

/// Returns a sentence with information that the numbers of a table do not show: why it has no rows,
/// what it leaves out, or an unexpected origin of its rows.
pub fn note(trace: &Trace, by: By, table: &Table) -> Option<String> {
    absent::note(trace, by, table)
}
