//! A part of a run: what began within a window of time.

use super::{Family, Joined, Moment, Outcome, ScopeIndex};
use rustc_hash::FxHashSet;
use std::fmt;
use std::str::FromStr;
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
}

/// A window of time on the base clock. Its end does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where it begins.
    pub from: Timestamp,
    /// Where it ends.
    pub to: Timestamp,
}

impl Window {
    fn holds(&self, time: Timestamp) -> bool {
        self.from <= time && time < self.to
    }
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
    /// The part ends before it begins.
    #[error("{part} ends before it begins")]
    Backwards {
        /// The part, as it was asked for.
        part: String,
    },
}

impl FromStr for Between {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = match text.split_once("..") {
            Some((from, to)) => (edge(from)?, edge(to)?),
            None => {
                let both = edge(text)?;
                if !matches!(both, Some(Edge::Scope(_))) {
                    return Err(format!(
                        "`{text}` is one moment; give two, such as 10ms..50ms"
                    ));
                }
                (both.clone(), both)
            }
        };
        Ok(Between { from, to })
    }
}

fn edge(text: &str) -> Result<Option<Edge>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Some(name) = text.strip_prefix("scope:") {
        return Ok(Some(Edge::Scope(name.trim().to_owned())));
    }
    let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic() || letter == '%');
    let unit = text.get(digits.len()..).unwrap_or_default();
    let number: Option<f64> = digits.trim().parse().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    let scale = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "%" => {
            return match number {
                Some(number) if number <= 100.0 => Ok(Some(Edge::Share(number / 100.0))),
                _ => Err(format!("`{text}` is no part of a run; give 0% to 100%")),
            };
        }
        _ => {
            return Err(format!(
                "`{text}` is no moment of a run; give a time such as 10ms, a part such as 20%, or scope:NAME"
            ));
        }
    };
    match number {
        Some(number) => Ok(Some(Edge::After((number * scale).round() as i64))),
        None => Err(format!(
            "`{text}` is no time; give one such as 10ms or 1.5s"
        )),
    }
}

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |edge: &Option<Edge>| match edge {
            None => String::new(),
            Some(Edge::After(ns)) => format!("{}ms", *ns as f64 / 1e6),
            Some(Edge::Share(share)) => format!("{}%", share * 100.0),
            Some(Edge::Scope(name)) => format!("scope:{name}"),
        };
        write!(f, "{}..{}", text(&self.from), text(&self.to))
    }
}

impl Joined {
    /// Keeps what began within a part of the run, whole: so the costs of parts that meet add up to those of the run. Work on a device
    /// began with the launch that it belongs to. Operations, launches, ranges and arrays stay, since others refer to them.
    ///
    /// # Errors
    /// There is no such part.
    pub fn keep_between(&mut self, between: &Between) -> Result<Window, NoPart> {
        let window = self.window(between)?;
        let holds = |time: Timestamp| window.holds(time);
        self.tasks.retain(|task| holds(task.start));
        self.copies.retain(|copy| holds(copy.start));
        self.waits.retain(|wait| holds(wait.start));
        self.runtime_calls.retain(|call| holds(call.start));
        self.calls.retain(|call| holds(call.start));
        self.memory_uses.retain(|memory| holds(memory.at));
        let starts = self.kernels.iter().zip(&self.outcomes);
        let kept: Vec<bool> = starts
            .map(|(kernel, outcome)| {
                let launch = match outcome {
                    Outcome::Linked { launch, .. } => self.launches.get(launch.0 as usize),
                    Outcome::Unmatched(_) => None,
                };
                holds(launch.map_or(kernel.start, |launch| launch.start))
            })
            .collect();
        fn keep<T>(rows: &mut Vec<T>, kept: &[bool]) {
            let mut kept = kept.iter();
            rows.retain(|_| kept.next().copied().unwrap_or(true));
        }
        keep(&mut self.kernels, &kept);
        keep(&mut self.outcomes, &kept);
        keep(&mut self.kernel_ranges, &kept);
        keep(&mut self.kernel_calls, &kept);
        Ok(window)
    }

    /// When a part of the run begins and ends.
    ///
    /// # Errors
    /// There is no such part.
    pub fn window(&self, between: &Between) -> Result<Window, NoPart> {
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
        self.times(|of, time| {
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
            Edge::Scope(name) => self.scope_times(name).map(|times| match is_end {
                true => later(times.1, 1),
                false => times.0,
            }),
        };
        let from = between
            .from
            .as_ref()
            .map_or(Ok(first), |edge| moment(edge, false))?;
        let to = match &between.to {
            None => at(length.saturating_add(1)),
            Some(edge) => moment(edge, true)?,
        };
        match from <= to {
            true => Ok(Window { from, to }),
            false => Err(NoPart::Backwards {
                part: between.to_string(),
            }),
        }
    }

    /// The first call in scopes of a name, and the end of the last task of such calls.
    fn scope_times(&self, name: &str) -> Result<(Timestamp, Timestamp), NoPart> {
        let text = |scope: ScopeIndex| self.strings.get(self.scopes.get(scope).name);
        let is_within = |mut scope: ScopeIndex| {
            while scope.0 != 0 {
                if text(scope) == name {
                    return true;
                }
                scope = self.scopes.get(scope).parent;
            }
            false
        };
        let mut times: Option<(Timestamp, Timestamp)> = None;
        let mut add = |from: Timestamp, to: Timestamp| {
            let known = times.unwrap_or((from, to));
            times = Some((known.0.min(from), known.1.max(to)));
        };
        let mut operations = FxHashSet::default();
        for operation in self.operations.iter().filter(|row| is_within(row.scope)) {
            add(operation.created, operation.created);
            operations.insert((operation.run, operation.uid));
        }
        for task in &self.tasks {
            if operations.contains(&(self.run_of(task.source), task.operation)) {
                add(task.start, task.end);
            }
        }
        times.ok_or_else(|| {
            let mut names: Vec<&str> = self.scopes.iter().map(|(scope, _)| text(scope)).collect();
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_run_are_read() {
        let read = |text: &str| text.parse::<Between>();
        let between = read("10ms..1.5s").unwrap();
        assert_eq!(between.from, Some(Edge::After(10_000_000)));
        assert_eq!(between.to, Some(Edge::After(1_500_000_000)));
        assert_eq!(read("20%..").unwrap().from, Some(Edge::Share(0.2)));
        assert_eq!(read("20%..").unwrap().to, None);
        let scope = Some(Edge::Scope("solve".to_owned()));
        assert_eq!(
            read("scope:solve").unwrap(),
            Between {
                from: scope.clone(),
                to: scope
            }
        );
        for wrong in [
            "10ms", "a..b", "10..20", "-5ms..", "120%..", "nanms..", "1e400s..",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        for text in ["10ms..1500ms", "20%..", "scope:a..scope:b"] {
            assert_eq!(
                read(text).unwrap(),
                read(&read(text).unwrap().to_string()).unwrap()
            );
        }
    }
}
