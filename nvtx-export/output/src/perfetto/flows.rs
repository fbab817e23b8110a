//! Arrows: from tasks and copies to the kernels of their launches, and from tasks to their
//! successors.

use weft_model::rows::launch_of;
use weft_model::{Index, Served, Trace};
use weft_trace::time::Timestamp;

/// The numbers of arrows, from 1. Those to kernels come first, in the order of the kernels.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// For each kernel, the number of arrows to the kernels before it.
    before: Vec<u64>,
    from_tasks: Ends,
    from_copies: Ends,
    to_tasks: Ends,
    /// The number of arrows.
    pub(super) count: u64,
    /// The number of links to tasks and copies without a row.
    pub(super) dangling_links: u64,
    /// The number of dependences of tasks without a row.
    pub(super) dangling_dependencies: u64,
}

/// Arrows, by the row at one of their ends.
#[derive(Debug, Default)]
struct Ends(Vec<(u32, u64)>);

impl Ends {
    fn for_row(&self, row: u32) -> impl Iterator<Item = u64> + '_ {
        let first = self.0.partition_point(|(known, _)| *known < row);
        let rows = self.0.get(first..).unwrap_or_default().iter();
        rows.take_while(move |(known, _)| *known == row)
            .map(|(_, flow)| *flow)
    }
}

impl Flows {
    /// Collects the arrows to kernels and, with `dependencies`, between tasks.
    pub(super) fn new(trace: &Trace, index: &Index, dependencies: bool) -> Self {
        let mut flows = Flows {
            before: Vec::with_capacity(trace.links.outcomes.len()),
            ..Flows::default()
        };
        for outcome in &trace.links.outcomes {
            flows.before.push(flows.count);
            let Some(launch) = launch_of(trace, outcome) else {
                continue;
            };
            for (uid, _) in launch.served() {
                let ends = match index.served(launch.source, uid) {
                    Some(Served::Task(row)) => (&mut flows.from_tasks, row),
                    Some(Served::Copy(row)) => (&mut flows.from_copies, row),
                    None => {
                        flows.dangling_links += 1;
                        continue;
                    }
                };
                flows.count += 1;
                ends.0.0.push((ends.1, flows.count));
            }
        }
        let edges = trace.work.dependencies.iter().filter(|_| dependencies);
        for edge in edges {
            let ends = [edge.from, edge.to].map(|uid| index.served(edge.source, uid));
            let [Some(Served::Task(from)), Some(Served::Task(to))] = ends else {
                flows.dangling_dependencies += 1;
                continue;
            };
            flows.count += 1;
            flows.from_tasks.0.push((from, flows.count));
            flows.to_tasks.0.push((to, flows.count));
        }
        for ends in [
            &mut flows.from_tasks,
            &mut flows.from_copies,
            &mut flows.to_tasks,
        ] {
            ends.0.sort_unstable();
        }
        flows
    }

    /// Returns the arrows that leave a task.
    pub(super) fn leaving_task(&self, row: u32) -> impl Iterator<Item = u64> + '_ {
        self.from_tasks.for_row(row)
    }

    /// Returns the arrows that leave a copy.
    pub(super) fn leaving_copy(&self, row: u32) -> impl Iterator<Item = u64> + '_ {
        self.from_copies.for_row(row)
    }

    /// Returns the arrows that reach a task from its predecessors.
    pub(super) fn reaching_task(&self, row: u32) -> impl Iterator<Item = u64> + '_ {
        self.to_tasks.for_row(row)
    }

    /// Returns the arrows that reach a kernel, each with the start of the row that it leaves. If
    /// that is not before the kernel's start, the arrow must not be marked as ending at the kernel.
    pub(super) fn reaching_kernel<'a>(
        &self,
        trace: &'a Trace,
        index: &'a Index,
        kernel: u32,
    ) -> impl Iterator<Item = (u64, Timestamp)> + 'a {
        let row = kernel as usize;
        let first = self.before.get(row).copied().unwrap_or(self.count) + 1;
        let outcome = trace.links.outcomes.get(row);
        let launch = outcome.and_then(|outcome| launch_of(trace, outcome));
        let starts = launch.into_iter().flat_map(move |launch| {
            launch
                .served()
                .filter_map(move |(uid, _)| match index.served(launch.source, uid)? {
                    Served::Task(row) => trace.work.tasks.get(row as usize).map(|task| task.start),
                    Served::Copy(row) => trace.work.copies.get(row as usize).map(|copy| copy.start),
                })
        });
        (first..).zip(starts)
    }
}
