//! Membership of work in the iterations of a loop, for parts of a run that begin or end with an
//! iteration.

use crate::between::{Between, Edge};
use crate::iterations::{Iteration, Iterations, LoopTimes, RangeLoop, Times};
use weft_model::{Index, Served, SourceIndex, Trace, Window};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// The operations of a loop, and the iterations in a part.
pub(super) struct Members {
    index: Index,
    iterations: Vec<Option<Iteration>>,
    /// The loop.
    of: u32,
    /// The first iteration in the part, if it begins with one.
    from: Option<usize>,
    /// The last iteration in the part, if it ends with one.
    to: Option<usize>,
}

impl Members {
    /// Returns the members of the loop whose operations took most time; `None` if the part does not
    /// name iterations, or the loop consists of ranges.
    pub(super) fn new(between: &Between, trace: &Trace) -> Option<Members> {
        let is_iteration =
            |edge: &Option<Edge>| matches!(edge, Some(Edge::Iteration(_) | Edge::Steady));
        if !is_iteration(&between.from) && !is_iteration(&between.to)
            || RangeLoop::detect(trace).is_some()
        {
            return None;
        }
        let index = Index::new(trace);
        let iterations = Iterations::detect(trace, &index);
        let of = iterations.longest()?;
        let times = LoopTimes::measure(trace, &index, &iterations, of, Times::Device)?;
        let number = |edge: &Option<Edge>, steady: usize| match edge {
            Some(Edge::Iteration(number)) => Some(*number),
            Some(Edge::Steady) => Some(steady),
            _ => None,
        };
        Some(Members {
            index,
            of,
            from: number(&between.from, times.steady()),
            to: number(&between.to, times.count().saturating_sub(1)),
            iterations: iterations.of,
        })
    }

    /// Returns whether work of an operation that began at `start` is in the part; `None` if the
    /// operation is not in the loop.
    pub(super) fn holds(
        &self,
        (source, operation): (SourceIndex, Uid),
        start: Timestamp,
        window: Window,
    ) -> Option<bool> {
        let row = self.index.operation(source, operation)?;
        let iteration = self.iterations.get(row).copied().flatten()?;
        if iteration.of != self.of {
            return None;
        }
        let number = iteration.number as usize;
        let is_after = self
            .from
            .map_or(window.from <= start, |from| from <= number);
        let is_before = self.to.map_or(start < window.to, |to| number <= to);
        Some(is_after && is_before)
    }

    /// Returns the operation of the task or copy with a UID.
    pub(super) fn operation(&self, trace: &Trace, source: SourceIndex, uid: Uid) -> Option<Uid> {
        match self.index.served(source, uid)? {
            Served::Task(row) => trace.work.tasks.get(row as usize).map(|row| row.operation),
            Served::Copy(row) => trace.work.copies.get(row as usize).map(|row| row.operation),
        }
    }
}
