//! A part of a run: the work that began within a window of time.

mod members;
mod parse;
mod window;

use members::Members;
use rustc_hash::FxHashMap;
use weft_model::{Outcome, SourceIndex, Trace, Window};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// A part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    /// The beginning of the part; the beginning of the run if absent.
    pub from: Option<Edge>,
    /// The end of the part; the end of the run if absent.
    pub to: Option<Edge>,
}

/// An end of a part of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge {
    /// This many ns after the beginning of the run.
    After(i64),
    /// This fraction of the run's time, from 0 to 1.
    Share(f64),
    /// The first call within a scope with this name, or the end of the last task of such a call.
    Scope(String),
    /// The beginning or end of this iteration, counted from 0, of the loop whose operations took
    /// most time.
    Iteration(usize),
    /// The beginning of the first iteration of that loop that is not
    /// [warm-up](crate::iterations::LoopTimes::steady), or the end of the last iteration.
    Steady,
}

/// Returns the time some ns later, on the same clock.
fn later(time: Timestamp, ns: i64) -> Timestamp {
    // All times are on the base clock; its origin does not matter.
    Timestamp::from_nanos_since_boot(time.nanos().saturating_add(ns))
}

/// The reason why there is no such part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPart {
    /// The inputs have no records with times.
    #[error("the inputs have no work with times")]
    NoTimes,
    /// No call is in a scope with this name.
    #[error("no call is in a scope `{name}`; {known}")]
    NoScope {
        /// The name.
        name: String,
        /// The existing scopes.
        known: String,
    },
    /// No calls repeat.
    #[error(
        "no loop was found: no calls repeat at least {} times in a way that shows the number of iterations",
        crate::iterations::LEAST
    )]
    NoLoop,
    /// The loop has fewer iterations.
    #[error("there is no iteration {given}; the loop has {count}, from 0")]
    NoIteration {
        /// The number.
        given: usize,
        /// The number of iterations.
        count: usize,
    },
    /// The part begins after the run.
    #[error("the part begins after the end of the run, which took {length}")]
    AfterTheEnd {
        /// The length of the run.
        length: String,
    },
    /// The part ends before it begins.
    #[error("{part} ends before it begins")]
    Backwards {
        /// The part, as requested.
        part: String,
    },
}

impl Between {
    /// Keeps the work that began within a part of the run, completely, so that the costs of
    /// adjacent parts add up to those of the run.
    ///
    /// Device work begins with the launch that it belongs to. If the part consists of iterations,
    /// the work of the loop's operations belongs to their iterations, whenever it ran. A launch
    /// that serves several iterations belongs to that of its first task. Operations, launches,
    /// ranges and arrays are kept, because other rows refer to them.
    ///
    /// # Errors
    /// Returns an error if the run has no such part.
    pub fn keep(&self, trace: &mut Trace) -> Result<Window, NoPart> {
        let window = self.window(trace)?;
        let members = Members::new(self, trace);
        let holds = |time: Timestamp| window.holds(time);
        let is_kept = |source: SourceIndex, operation: Uid, start: Timestamp| {
            let members = members.as_ref();
            let member = members.and_then(|all| all.holds((source, operation), start, window));
            member.unwrap_or_else(|| holds(start))
        };
        // The first task or copy that a launch serves decides.
        let launches = trace.work.launches.iter().map(|launch| {
            let source = launch.source;
            let first = launch.served().next();
            let first = members.as_ref().zip(first);
            let operation = first.and_then(|(all, (uid, _))| all.operation(trace, source, uid));
            operation.map_or_else(
                || holds(launch.start),
                |operation| is_kept(source, operation, launch.start),
            )
        });
        let launches: Vec<bool> = launches.collect();
        // Operations of several iterations can share a launch, which has one time.
        let shared = trace.work.launches.iter().zip(&launches);
        let shared = shared.filter(|(launch, _)| members.is_some() && launch.shares.len() > 1);
        let shared = shared.flat_map(|(launch, kept)| {
            let source = launch.source;
            launch.served().map(move |(uid, _)| ((source, uid), *kept))
        });
        let shared: FxHashMap<(SourceIndex, Uid), bool> = shared.collect();
        let of_launch = |source: SourceIndex, uid: Uid| shared.get(&(source, uid)).copied();
        trace.work.tasks.retain(|task| {
            of_launch(task.source, task.uid)
                .unwrap_or_else(|| is_kept(task.source, task.operation, task.start))
        });
        trace.work.copies.retain(|copy| {
            of_launch(copy.source, copy.uid)
                .unwrap_or_else(|| is_kept(copy.source, copy.operation, copy.start))
        });
        let compilations = &mut trace.work.compilations;
        compilations.retain(|row| is_kept(row.source, row.operation, row.start));
        trace.work.partitionings.retain(|row| holds(row.start));
        trace.work.waits.retain(|wait| holds(wait.start));
        trace
            .work
            .runtime_calls
            .retain(|call| match call.operation {
                Some(operation) => is_kept(call.source, operation, call.start),
                None => holds(call.start),
            });
        trace.devices.calls.retain(|call| holds(call.start));
        trace.devices.overheads.retain(|row| holds(row.start));
        trace.work.memory_uses.retain(|memory| holds(memory.at));
        let starts = trace.devices.kernels.iter().zip(&trace.links.outcomes);
        let kept: Vec<bool> = starts
            .map(|(kernel, outcome)| {
                let launch = match outcome {
                    Outcome::Linked { launch, .. } => launches.get(launch.0 as usize).copied(),
                    Outcome::Unmatched(_) => None,
                };
                launch.unwrap_or_else(|| holds(kernel.start))
            })
            .collect();
        fn keep<T>(rows: &mut Vec<T>, kept: &[bool]) {
            let mut kept = kept.iter();
            rows.retain(|_| kept.next().copied().unwrap_or(true));
        }
        let mut flags = kept.iter();
        trace
            .devices
            .kernels
            .retain(|_| flags.next().copied().unwrap_or(true));
        keep(&mut trace.links.outcomes, &kept);
        keep(&mut trace.links.kernel_ranges, &kept);
        keep(&mut trace.links.kernel_calls, &kept);
        trace.quality.part = Some(window);
        Ok(window)
    }
}
