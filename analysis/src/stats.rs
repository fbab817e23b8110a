//! What it cost, added up from the columns of the joined trace; SQL is not involved.
//!
//! Records whose times cannot be true have no part in any value; the column `unknown` counts them.
//!
//! Every row has the count, the sum of times with its mean, standard deviation (of the sample), least, median, 95th and 99th
//! percentile and greatest, and its share of all rows. The time of a task of a GPU is device time, that of its kernels, copies and fills
//! there; `issue time` is what the host took to issue them. If no work of GPUs was recorded, the issue time is all that is known.
//! `compile time` is that of making kernels ready which the row needed first; it is in neither of the two. Where kernels belong to
//! the rows, it has their time, which for the work of a GPU may lie after the task that launched it, and the overhead: for each task what its time exceeds that of its kernels by. Both are empty
//! where the inputs hold no kernels at all. A launch that serves several tasks, and its kernels, count for each by its share;
//! where that share is estimated, the column `estimated` says how much of the total is: empty if nothing is, 0 if all tasks
//! of such launches are of one row, so that single values are estimated and their total is not.
//!
//! `GB/s` is what kernels read and write, each byte of an operand once, over the time in which at least one of a row ran, so that
//! kernels that ran at once add up; kernels whose bytes are not known count for neither. Of a kernel that worked for several tasks each
//! has the bytes and the time of its share, as if they followed each other. By channel it is the bytes moved, which count once though
//! they are read and written. `of bandwidth` is the same as a part of what the memory could have moved in that time.

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

/// Returns a sentence about the table of these costs that its numbers do not say: why it has no
/// rows, what it leaves out, or that its rows come from elsewhere than one would think.
pub fn note(trace: &Trace, by: By, table: &Table) -> Option<String> {
    absent::note(trace, by, table)
}
