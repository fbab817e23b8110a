//! Ranges with their costs on devices, of all sessions or, without a session, of the corresponding
//! launches.

use super::columns;
use super::project::Projection;
use crate::stats::groups::Sum;
use rustc_hash::FxHashMap;
use weft_model::{Session, SourceIndex, Spans, StringIndex, Strings, Trace};

/// A range within which work was started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    pub(super) source: SourceIndex,
    /// The name, interned in [`Instances::names`].
    pub(super) name: StringIndex,
    /// The earliest start of its operations.
    pub(super) first: i64,
    /// The latest end of its operations.
    pub(super) last: i64,
    pub(super) start: i64,
    pub(super) end: i64,
    /// Whether it was pushed and popped, as opposed to started and ended.
    pub(super) pushed: bool,
    /// The process and thread, as numbered by Nsight Systems.
    pub(super) thread: i64,
    pub(super) operations: u32,
    pub(super) level: u32,
    pub(super) children: u32,
    pub(super) id: i64,
    /// The index of the session, and the row in it.
    pub(super) range: Option<(u32, u32)>,
}

impl Instance {
    /// Returns the time from the first start to the last end of its operations, in ns.
    pub(super) fn projected(&self) -> i64 {
        self.last.saturating_sub(self.first)
    }

    /// Returns Nsight Systems' word for the way it was opened and closed.
    pub(super) fn style(&self) -> &'static str {
        style(self.pushed)
    }
}

/// Returns Nsight Systems' word for ranges that were pushed and popped, or started and ended.
pub(super) fn style(pushed: bool) -> &'static str {
    if pushed { "PushPop" } else { "StartEnd" }
}

/// Ranges in the order of their ids.
#[derive(Default)]
pub(super) struct Instances {
    pub(super) names: Strings,
    /// Ranges with work on a device.
    pub(super) rows: Vec<Instance>,
    /// The durations of all ranges, with and without work, by name and by whether they were pushed;
    /// if requested.
    pub(super) own: Option<FxHashMap<(StringIndex, bool), Sum>>,
    /// The total duration of outermost ranges, if durations are requested.
    pub(super) outermost: i128,
    stacks: Vec<Stacks>,
}

/// The ranges around each range of a session.
struct Stacks {
    ids: Vec<i64>,
    parents: Vec<Option<u32>>,
}

/// The maximum number of ranges of a stack that are written. Further outer ones are left out.
const STACK: usize = 512;

impl Instances {
    /// Reads the ranges of the sessions.
    pub(super) fn new(trace: &Trace) -> Self {
        Self::read(trace, None)
    }

    /// Reads the ranges like [`new`](Self::new), with the durations of all of them.
    pub(super) fn with_own(trace: &Trace) -> Self {
        Self::read(trace, Some(FxHashMap::default()))
    }

    fn read(trace: &Trace, own: Option<FxHashMap<(StringIndex, bool), Sum>>) -> Self {
        let mut instances = Instances {
            own,
            ..Instances::default()
        };
        for session in &trace.devices.sessions {
            match &session.spans {
                Some(spans) => instances.add(session, spans),
                None => instances.add(session, &columns::collect(trace, session.source)),
            }
        }
        instances.sort();
        instances
    }

    /// Sorts the ranges by their ids.
    pub(super) fn sort(&mut self) {
        self.rows.sort_unstable_by_key(|row| (row.source, row.id));
    }

    fn add(&mut self, session: &Session, spans: &Spans) {
        let projection = Projection::new(spans);
        let names: Vec<StringIndex> = (spans.names.iter())
            .map(|(_, name)| self.names.intern(name))
            .collect();
        let number = self.stacks.len() as u32;
        let ranges = &spans.ranges;
        self.rows.reserve(projection.rows.len());
        let rows = projection.rows.iter().filter_map(|row| {
            let at = row.range as usize;
            let thread = *ranges.thread.get(at)? as usize;
            Some(Instance {
                source: session.source,
                name: *names.get(ranges.name.get(at)?.0 as usize)?,
                first: row.first,
                last: row.last,
                start: *ranges.start.get(at)?,
                end: *ranges.end.get(at)?,
                pushed: *ranges.pushed.get(at)?,
                thread: *spans.threads.ids().get(thread)?,
                operations: row.operations,
                level: row.level,
                children: row.children,
                id: *ranges.id.get(at)?,
                range: Some((number, row.range)),
            })
        });
        self.rows.extend(rows);
        if let Some(own) = &mut self.own {
            let columns = ranges.name.iter().zip(&ranges.pushed);
            let times = ranges
                .start
                .iter()
                .zip(&ranges.end)
                .zip(&projection.parents);
            for ((name, pushed), ((start, end), parent)) in columns.zip(times) {
                if parent.is_none() {
                    self.outermost += i128::from(end.saturating_sub(*start));
                }
                if let Some(name) = names.get(name.0 as usize) {
                    let own = own.entry((*name, *pushed)).or_default();
                    own.add(end.saturating_sub(*start));
                }
            }
        }
        self.stacks.push(Stacks {
            ids: ranges.id.clone(),
            parents: projection.parents,
        });
    }

    /// Returns the id of the range directly around another one.
    pub(super) fn parent(&self, row: &Instance) -> Option<i64> {
        let (session, range) = row.range?;
        let stacks = self.stacks.get(session as usize)?;
        let parent = stacks.parents.get(range as usize).copied()??;
        stacks.ids.get(parent as usize).copied()
    }

    /// Returns the ids of the ranges around one and its own id, outermost first, each after a
    /// colon.
    pub(super) fn stack(&self, row: &Instance) -> String {
        let around = row.range.and_then(|(session, range)| {
            let stacks = self.stacks.get(session as usize)?;
            let parent = |range: &u32| stacks.parents.get(*range as usize).copied().flatten();
            let first = parent(&range);
            let ids = std::iter::successors(first, parent);
            let ids = ids.filter_map(|range| stacks.ids.get(range as usize));
            Some(ids.take(STACK).copied().collect::<Vec<i64>>())
        });
        let around = around.unwrap_or_default();
        let mut text = String::new();
        if around.len() >= STACK {
            text.push_str(":\u{2026}");
        }
        let written = around.iter().take(STACK - 1).rev().chain([&row.id]);
        for id in written {
            text.push(':');
            text.push_str(itoa::Buffer::new().format(*id));
        }
        text
    }
}
