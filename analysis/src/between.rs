//! A part of a run: what began within a window of time.

mod members;
mod parse;
mod window;

use members::Members;
use rustc_hash::FxHashMap;
use weft_model::{Outcome, SourceIndex, Trace, Window};
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// Which part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    /// Where it begins; at the beginning of the run where not given.
    pub from: Option<Edge>,
    /// Where it ends; at the end of the run where not given.
    pub to: Option<Edge>,
}

/// An end of a part of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Edge {
    /// So many ns after the beginning of the run.
    After(i64),
    /// After this part of the run's time, from 0 to 1.
    Share(f64),
    /// The first call within a scope of this name, or the end of the last task of such a call.
    Scope(String),
    /// The beginning of this iteration, from 0, of the loop whose operations took most time, or its end.
    Iteration(usize),
    /// The beginning of the first iteration of that loop that is not [warm-up](crate::iterations::LoopTimes::steady), or the end of the last.
    Steady,
}

/// So many ns later, on the same clock.
fn later(time: Timestamp, ns: i64) -> Timestamp {
    // All times are on the base clock, whatever it counts from.
    Timestamp::from_nanos_since_boot(time.nanos().saturating_add(ns))
}

/// Why there is no such part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPart {
    /// Nothing was recorded that has a time.
    #[error("the inputs have no work with times")]
    NoTimes,
    /// No call stands in such a scope.
    #[error("no call stands in a scope `{name}`; {known}")]
    NoScope {
        /// The name.
        name: String,
        /// The scopes that there are.
        known: String,
    },
    /// Nothing repeats.
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
        /// How many there are.
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
        /// The part, as it was asked for.
        part: String,
    },
}

impl Between {
    /// Keeps what began within a part of the run, whole: so the costs of parts that meet add up to those of the run. Work on a device
    /// began with the launch that it belongs to. If the part is one of iterations, the work of the loop's operations belongs to their
    /// iterations, whenever it ran; a launch that serves several belongs to that of its first task. Operations, launches, ranges and arrays
    /// stay, since others refer to them.
    ///
    /// # Errors
    /// There is no such part.
    pub fn keep(&self, trace: &mut Trace) -> Result<Window, NoPart> {
        let window = self.window(trace)?;
        let members = Members::of(self, trace);
        let holds = |time: Timestamp| window.holds(time);
        let is_kept = |source: SourceIndex, operation: Uid, start: Timestamp| {
            let members = members.as_ref();
            let member = members.and_then(|all| all.holds((source, operation), start, window));
            member.unwrap_or_else(|| holds(start))
        };
        // Of a launch, the first task or copy that it serves decides.
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
        // Operations of several iterations can share a launch, whose time is one.
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
