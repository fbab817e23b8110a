//! Counters: the share of busy processors of each kind, and the bytes in use and the largest free
//! block of each memory.

use super::tracks::{Track, TrackKey, Tracks};
use rustc_hash::FxHashMap;
use weft_model::{SourceIndex, Trace};
use weft_trace::id::ProcessorId;
use weft_trace::record::ProcessorKind;

/// A counter and its samples, one for each instant at which its value changes.
#[derive(Debug)]
pub(super) struct CounterSamples {
    pub(super) track: TrackKey,
    pub(super) samples: Vec<(i64, i128)>,
    /// The value of 100 %, for a counter that is a share.
    pub(super) full_scale: Option<u32>,
}

/// Returns all counters, in the order of their tracks.
pub(super) fn collect(trace: &Trace, tracks: &mut Tracks<'_>) -> Vec<CounterSamples> {
    let mut counters = busy(trace, tracks);
    counters.extend(bytes(trace, tracks));
    counters.extend(largest_free(trace, tracks));
    counters.sort_by_key(|counter| counter.track);
    counters
}

/// Returns the counters of busy processors. A processor is busy while it runs at least one task.
fn busy(trace: &Trace, tracks: &mut Tracks<'_>) -> Vec<CounterSamples> {
    let mut processors: FxHashMap<(SourceIndex, ProcessorKind), u32> = FxHashMap::default();
    let mut kinds: FxHashMap<(SourceIndex, ProcessorId), ProcessorKind> = FxHashMap::default();
    for processor in &trace.machine.processors {
        let known = kinds.insert((processor.source, processor.id), processor.kind);
        if known.is_none() {
            *processors
                .entry((processor.source, processor.kind))
                .or_default() += 1;
        }
    }
    let mut tasks: Vec<_> = trace
        .work
        .tasks
        .iter()
        .filter_map(|task| {
            let kind = kinds.get(&(task.source, task.processor))?;
            let (start, end) = (task.start.nanos(), task.end.max(task.start).nanos());
            Some((task.source, *kind, task.processor, start, end))
        })
        .collect();
    tasks.sort_unstable();
    let of_kind = tasks.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    of_kind
        .filter_map(|tasks| {
            let (source, kind, ..) = *tasks.first()?;
            let mut changes = Vec::with_capacity(2 * tasks.len());
            for tasks in tasks.chunk_by(|a, b| a.2 == b.2) {
                let mut over = i64::MIN;
                for (.., start, end) in tasks {
                    let begins = (*start).max(over);
                    if *end > begins {
                        changes.push((begins, 1));
                        changes.push((*end, -1));
                    }
                    over = over.max(*end);
                }
            }
            Some(CounterSamples {
                track: (tracks.of_source(source), Track::Busy(source, kind)),
                samples: samples(changes),
                full_scale: processors.get(&(source, kind)).copied(),
            })
        })
        .collect()
}

fn bytes(trace: &Trace, tracks: &mut Tracks<'_>) -> Vec<CounterSamples> {
    let mut instances: Vec<_> = trace.work.instances.iter().collect();
    instances.sort_by_key(|instance| (instance.source, instance.memory));
    let of_memory = instances.chunk_by(|a, b| (a.source, a.memory) == (b.source, b.memory));
    of_memory
        .filter_map(|instances| {
            let first = instances.first()?;
            let mut changes = Vec::with_capacity(2 * instances.len());
            for instance in instances {
                let bytes = i128::from(instance.bytes);
                changes.push((instance.created.nanos(), bytes));
                if let Some(destroyed) = instance.destroyed {
                    let destroyed = destroyed.max(instance.created);
                    changes.push((destroyed.nanos(), -bytes));
                }
            }
            let shows = Track::Bytes(first.source, first.memory);
            Some(CounterSamples {
                track: (tracks.of_source(first.source), shows),
                samples: samples(changes),
                full_scale: None,
            })
        })
        .collect()
}

/// Returns one sample for each recorded instant: the last at that instant.
fn largest_free(trace: &Trace, tracks: &mut Tracks<'_>) -> Vec<CounterSamples> {
    let mut uses: Vec<_> = trace.work.memory_uses.iter().collect();
    uses.sort_by_key(|used| (used.source, used.memory, used.at));
    let of_memory = uses.chunk_by(|a, b| (a.source, a.memory) == (b.source, b.memory));
    let counted = of_memory.filter_map(|uses| {
        let first = uses.first()?;
        let at_once = uses.chunk_by(|a, b| a.at == b.at);
        let samples = at_once.filter_map(|uses| {
            let last = uses.last()?;
            Some((last.at.nanos(), i128::from(last.largest_free)))
        });
        let shows = Track::LargestFree(first.source, first.memory);
        Some(CounterSamples {
            track: (tracks.of_source(first.source), shows),
            samples: samples.collect(),
            full_scale: None,
        })
    });
    counted.collect()
}

/// Returns the running sums of changes, for each instant at which they change.
fn samples(mut changes: Vec<(i64, i128)>) -> Vec<(i64, i128)> {
    changes.sort_unstable();
    let mut sum = 0;
    let at_once = changes.chunk_by(|a, b| a.0 == b.0);
    let sums = at_once.filter_map(|changes| {
        let change: i128 = changes.iter().map(|change| change.1).sum();
        sum += change;
        let (time, _) = changes.first()?;
        (change != 0).then_some((*time, sum))
    });
    sums.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_each_instant_of_change() {
        let changes = vec![(5, 2), (0, 1), (5, -2), (7, -1), (7, 3), (9, -3)];
        assert_eq!(samples(changes), [(0, 1), (7, 3), (9, 0)]);
    }
}
