//! The launches and compilations during which CUPTI, Nsight Systems or the driver took time on the
//! thread that issued them.
//!
//! Overheads of other threads, and those between launches, belong to no line: they are in
//! WEFT_OVERHEAD alone. An overhead that the driver needs to prepare a kernel belongs to the
//! compilation around it, whichever thread prepares the kernel.

use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::{LaunchIndex, Outcome, ProcessorKey, SourceIndex, Trace, process_of};
use weft_trace::record::ProcessorKind;

/// The cause of an overhead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum During {
    /// The issue of a launch.
    Launch(LaunchIndex),
    /// A row of [`Work::compilations`](weft_model::Work::compilations).
    Compilation(u32),
}

/// A part of an overhead, in ns. Parts do not overlap on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) during: During,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Intervals of one processor, with their causes.
#[derive(Default)]
struct Intervals {
    /// By their start.
    rows: Vec<(i64, i64, During)>,
    /// The latest end up to each row.
    latest: Vec<i64>,
}

impl Intervals {
    fn sort(&mut self) {
        self.rows.sort_unstable();
        let ends = self.rows.iter().map(|(_, end, _)| *end);
        let latest = ends.scan(i64::MIN, |latest, end| {
            *latest = end.max(*latest);
            Some(*latest)
        });
        self.latest = latest.collect();
    }

    /// Divides a time among the intervals that it overlaps; each instant has the cause that began
    /// first. Appends the parts and returns whether there are any.
    fn divide(&self, start: i64, end: i64, to: &mut Vec<Part>) -> bool {
        let first = self.latest.partition_point(|latest| *latest <= start);
        let mut from = start;
        for (begin, until, during) in self.rows.iter().skip(first) {
            if *begin >= end {
                break;
            }
            let (begin, until) = (from.max(*begin), end.min(*until));
            if begin < until {
                to.push(Part {
                    during: *during,
                    start: begin,
                    end: until,
                });
                from = until;
            }
        }
        from > start
    }
}

/// Returns the parts of overheads that launches and compilations of GPUs paid for.
pub(super) fn parts(trace: &Trace) -> Vec<Part> {
    let overheads = &trace.devices.overheads;
    if overheads.is_empty() {
        return Vec::new();
    }
    let processors = trace.machine.processors.iter();
    let gpus: FxHashSet<ProcessorKey> = processors
        .filter(|row| row.kind == ProcessorKind::Gpu)
        .map(|row| (row.source, row.id))
        .collect();
    let mut issued: FxHashMap<ProcessorKey, Intervals> = FxHashMap::default();
    for (row, launch) in (0..).zip(&trace.work.launches) {
        let key = (launch.source, launch.processor);
        if gpus.contains(&key) {
            let (start, end) = (launch.start.nanos(), launch.end.nanos());
            let during = During::Launch(LaunchIndex(row));
            issued
                .entry(key)
                .or_default()
                .rows
                .push((start, end, during));
        }
    }
    let mut compiled: FxHashMap<SourceIndex, Intervals> = FxHashMap::default();
    for (row, compilation) in (0..).zip(&trace.work.compilations) {
        let (start, end) = (compilation.start.nanos(), compilation.end.nanos());
        let during = During::Compilation(row);
        let all = compiled.entry(compilation.source).or_default();
        all.rows.push((start, end, during));
        if let Some(waited) = compilation.waited_from() {
            let key = (compilation.source, compilation.processor);
            let all = issued.entry(key).or_default();
            all.rows.push((waited.nanos(), end, during));
        }
    }
    issued.values_mut().for_each(Intervals::sort);
    compiled.values_mut().for_each(Intervals::sort);
    let threads = Threads::new(trace);
    let mut parts = Vec::new();
    for row in overheads {
        let (start, end) = (row.start.nanos(), row.end.nanos());
        let Some(thread) = row.thread else {
            continue;
        };
        if row.kind.prepares_kernel()
            && let Some(source) = threads.sources.get(&process_of(thread))
            && let Some(compiled) = compiled.get(source)
            && compiled.divide(start, end, &mut parts)
        {
            continue;
        }
        for key in threads.issuing.get(&thread).into_iter().flatten() {
            if let Some(issued) = issued.get(key)
                && issued.divide(start, end, &mut parts)
            {
                break;
            }
        }
    }
    drop_nested(&mut parts);
    parts
}

/// Removes the parts of overheads that lie within others of the same cause.
fn drop_nested(parts: &mut Vec<Part>) {
    parts.sort_unstable_by_key(|part| (part.during, part.start, std::cmp::Reverse(part.end)));
    let mut last: Option<(During, i64)> = None;
    parts.retain_mut(|part| {
        if let Some((during, end)) = last
            && during == part.during
        {
            part.start = part.start.max(end);
        }
        let is_kept = part.start < part.end;
        if is_kept {
            last = Some((part.during, part.end));
        }
        is_kept
    });
}

/// The threads that issue work to GPUs.
struct Threads {
    /// The processors to which each thread issues.
    issuing: FxHashMap<i64, Vec<ProcessorKey>>,
    /// The runtime's file of each process.
    sources: FxHashMap<i64, SourceIndex>,
}

impl Threads {
    fn new(trace: &Trace) -> Self {
        let calls = trace.devices.calls.iter();
        let calls: FxHashMap<(i64, i64), i64> = calls
            .map(|call| ((process_of(call.thread), call.correlation), call.thread))
            .collect();
        let mut threads = Threads {
            issuing: FxHashMap::default(),
            sources: FxHashMap::default(),
        };
        for (kernel, outcome) in trace.devices.kernels.iter().zip(&trace.links.outcomes) {
            let Outcome::Linked { launch, .. } = outcome else {
                continue;
            };
            let Some(launch) = trace.work.launches.get(launch.0 as usize) else {
                continue;
            };
            let Some(process) = kernel.process else {
                continue;
            };
            threads.sources.insert(process, launch.source);
            let Some(correlation) = kernel.correlation else {
                continue;
            };
            if let Some(thread) = calls.get(&(process, correlation)) {
                let keys = threads.issuing.entry(*thread).or_default();
                let key = (launch.source, launch.processor);
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        threads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn during(row: u32) -> During {
        During::Launch(LaunchIndex(row))
    }

    fn part(row: u32, start: i64, end: i64) -> Part {
        Part {
            during: during(row),
            start,
            end,
        }
    }

    #[test]
    fn divides_overheads_among_the_launches_that_they_overlap() {
        let mut all = Intervals::default();
        all.rows.extend([
            (30, 40, during(2)),
            (10, 20, during(0)),
            (15, 28, during(1)),
        ]);
        all.sort();
        let parts = |start, end| {
            let mut parts = Vec::new();
            let found = all.divide(start, end, &mut parts);
            assert_eq!(found, !parts.is_empty());
            parts
        };
        assert_eq!(parts(0, 10), []);
        assert_eq!(parts(28, 30), []);
        assert_eq!(parts(40, 90), []);
        assert_eq!(parts(12, 14), [part(0, 12, 14)]);
        assert_eq!(
            parts(5, 35),
            [part(0, 10, 20), part(1, 20, 28), part(2, 30, 35)]
        );
        assert_eq!(parts(16, 18), [part(0, 16, 18)]);
        assert_eq!(parts(22, 99), [part(1, 22, 28), part(2, 30, 40)]);
    }

    #[test]
    fn overheads_within_others_count_once() {
        let mut parts = vec![
            part(0, 12, 14),
            part(0, 10, 20),
            part(1, 11, 13),
            part(0, 18, 25),
            part(0, 30, 31),
        ];
        drop_nested(&mut parts);
        assert_eq!(
            parts,
            [
                part(0, 10, 20),
                part(0, 20, 25),
                part(0, 30, 31),
                part(1, 11, 13)
            ]
        );
    }
}
