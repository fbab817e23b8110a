//! What it cost, added up from the columns of the joined trace; SQL is not involved.
//!
//! Every row has the count, the sum of times with its mean, standard deviation, least and greatest, its share of all
//! rows, the time of kernels in it, and the overhead: time of tasks without a kernel.

mod cost;
mod groups;
mod machine;
mod program;
mod range;

use crate::joined::Joined;
use crate::output::table::Table;

/// What to add up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Tasks, by name and variant.
    Task,
    /// Operations, by name; an operation takes the time of its tasks.
    Operation,
    /// Kernels, by name.
    Kernel,
    /// Tasks and copies, by source line.
    Line,
    /// NVTX ranges by message; kernels count for the innermost range around their launch.
    Range,
    /// Tasks, by processor.
    Processor,
    /// Instances, by memory, in bytes.
    Memory,
    /// Copies, by source and destination memory.
    Channel,
}

/// The table of costs, greatest total first.
pub fn table(joined: &Joined, by: By) -> Table {
    match by {
        By::Task => program::by_task(joined),
        By::Operation => program::by_operation(joined),
        By::Line => program::by_line(joined),
        By::Kernel => program::by_kernel(joined),
        By::Range => range::by_range(joined),
        By::Processor => machine::by_processor(joined),
        By::Memory => machine::by_memory(joined),
        By::Channel => machine::by_channel(joined),
    }
}
