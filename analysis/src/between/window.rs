//! The beginning and end of a part of a run.

use crate::between::{Between, Edge, NoPart, later};
use crate::iterations::{Iterations, LoopTimes, RangeLoop, Times};
use rustc_hash::FxHashSet;
use weft_model::table::{Cell, Unit, human};
use weft_model::{Family, Index, Moment, ScopeIndex, Trace, Window};
use weft_trace::time::Timestamp;

impl Between {
    /// Returns the beginning and end of the part.
    ///
    /// # Errors
    /// Returns an error if the run has no such part.
    pub fn window(&self, trace: &Trace) -> Result<Window, NoPart> {
        let (mut first, mut last): (Option<Timestamp>, Option<Timestamp>) = (None, None);
        let work = [
            Family::Operations,
            Family::Tasks,
            Family::TasksOnDevices,
            Family::Launches,
            Family::Kernels,
            Family::Copies,
            Family::Ranges,
        ];
        trace.times(|of, time| {
            if work.contains(&of.family) {
                match of.moment {
                    Moment::End => last = Some(last.map_or(time, |last| last.max(time))),
                    _ => first = Some(first.map_or(time, |first| first.min(time))),
                }
            }
        });
        let (Some(first), Some(last)) = (first, last) else {
            return Err(NoPart::NoTimes);
        };
        let at = |ns: i64| later(first, ns);
        let length = last.nanos().saturating_sub(first.nanos());
        let moment = |edge: &Edge, is_end: bool| match edge {
            Edge::After(ns) => Ok(at(*ns)),
            Edge::Share(share) if *share >= 1.0 => Ok(at(length.saturating_add(1))),
            Edge::Share(share) => Ok(at((length as f64 * share) as i64)),
            Edge::Scope(name) => scope_times(trace, name).map(|times| match is_end {
                true => later(times.1, 1),
                false => times.0,
            }),
            Edge::Iteration(number) => iteration(&loop_times(trace)?.0, *number, is_end),
            Edge::Steady => {
                let (times, steady) = loop_times(trace)?;
                let number = match is_end {
                    true => times.count().saturating_sub(1),
                    false => steady,
                };
                iteration(&times, number, is_end)
            }
        };
        let from = self
            .from
            .as_ref()
            .map_or(Ok(first), |edge| moment(edge, false))?;
        // The last instant belongs to the run.
        if from > last && matches!(self.from, Some(Edge::After(_))) {
            return Err(NoPart::AfterTheEnd {
                length: human(&Cell::Integer(length), Unit::Nanos),
            });
        }
        let to = match &self.to {
            None => at(length.saturating_add(1)),
            Some(edge) => moment(edge, true)?,
        };
        match from <= to {
            true => Ok(Window { from, to }),
            false => Err(NoPart::Backwards {
                part: self.to_string(),
            }),
        }
    }
}

/// Returns the times of the loop whose operations took most time, and its first steady iteration.
/// Device work belongs to the part in which it was issued. The device times of iterations determine
/// which are steady, as in [`note`](crate::iterations::note).
fn loop_times(trace: &Trace) -> Result<(LoopTimes, usize), NoPart> {
    if let Some(found) = RangeLoop::detect(trace) {
        let steady = found.times.steady();
        return Ok((found.times, steady));
    }
    let index = Index::new(trace);
    let iterations = Iterations::detect(trace, &index);
    let longest = iterations.longest();
    let times = |clock| LoopTimes::measure(trace, &index, &iterations, longest?, clock);
    let steady = times(Times::Device).map(|times| times.steady());
    times(Times::Issue).zip(steady).ok_or(NoPart::NoLoop)
}

/// Returns the first call in scopes with a name, and the end of the last task of such calls.
fn scope_times(trace: &Trace, name: &str) -> Result<(Timestamp, Timestamp), NoPart> {
    let text = |scope: ScopeIndex| trace.strings.get(trace.program.scopes.get(scope).name);
    let is_within = |mut scope: ScopeIndex| {
        while scope.0 != 0 {
            if text(scope) == name {
                return true;
            }
            scope = trace.program.scopes.get(scope).parent;
        }
        false
    };
    let mut times: Option<(Timestamp, Timestamp)> = None;
    let mut add = |from: Timestamp, to: Timestamp| {
        let known = times.unwrap_or((from, to));
        times = Some((known.0.min(from), known.1.max(to)));
    };
    let mut operations = FxHashSet::default();
    for operation in trace
        .program
        .operations
        .iter()
        .filter(|row| is_within(row.scope))
    {
        add(operation.created, operation.created);
        operations.insert((operation.run, operation.uid));
    }
    for task in &trace.work.tasks {
        if operations.contains(&(trace.run_of(task.source), task.operation)) {
            add(task.start, task.end);
        }
    }
    times.ok_or_else(|| {
        let mut names: Vec<&str> = trace
            .program
            .scopes
            .iter()
            .map(|(scope, _)| text(scope))
            .collect();
        names.sort_unstable();
        names.dedup();
        NoPart::NoScope {
            name: name.to_owned(),
            known: match names.is_empty() {
                true => "the program named none (`annotate`)".to_owned(),
                false => format!("there are: {}", names.join(", ")),
            },
        }
    })
}

/// Returns the beginning or end of an iteration. Ends are exclusive, except for the last iteration.
fn iteration(times: &LoopTimes, number: usize, is_end: bool) -> Result<Timestamp, NoPart> {
    let count = times.count();
    let span = times.span(number).ok_or(NoPart::NoIteration {
        given: number,
        count,
    })?;
    Ok(match is_end {
        true if number + 1 == count => later(span.1, 1),
        true => span.1,
        false => span.0,
    })
}
