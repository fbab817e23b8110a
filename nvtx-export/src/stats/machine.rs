//! By processor, memory and channel.

use super::cost::Cost;
use super::groups::Groups;
use crate::joined::{Index, Joined, SourceIndex};
use crate::output::table::{Cell, Table, Unit};
use rustc_hash::FxHashMap;
use weft_trace::id::MemoryId;
use weft_trace::record::MemoryKind;

fn rank(joined: &Joined, source: SourceIndex) -> Cell {
    let rank = joined
        .sources
        .get(source.0 as usize)
        .and_then(|source| source.rank);
    rank.map_or(Cell::Null, |rank| Cell::Integer(rank.into()))
}

pub(super) fn by_processor(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let cost = Cost::of(joined, &index);
    let mut groups = Groups::new();
    for (task, kernel_time) in joined.tasks.iter().zip(&cost.tasks) {
        let sum = groups.of((task.source, task.processor));
        sum.add((task.end - task.start).0);
        sum.kernel_time += kernel_time;
    }
    let names: FxHashMap<_, _> = joined
        .processors
        .iter()
        .map(|processor| {
            (
                (processor.source, processor.id),
                joined.strings.get(processor.name),
            )
        })
        .collect();
    groups.table(
        &["rank", "processor"],
        Unit::Nanos,
        true,
        |(source, processor)| {
            let name = names
                .get(&(source, processor))
                .map(|name| (*name).to_owned());
            let name = name.unwrap_or_else(|| format!("processor {processor}"));
            vec![rank(joined, source), Cell::Text(name)]
        },
    )
}

fn memories(joined: &Joined) -> FxHashMap<(SourceIndex, MemoryId), MemoryKind> {
    let rows = joined.memories.iter();
    rows.map(|memory| ((memory.source, memory.id), memory.kind))
        .collect()
}

fn memory_name(
    names: &FxHashMap<(SourceIndex, MemoryId), MemoryKind>,
    key: (SourceIndex, MemoryId),
) -> String {
    match names.get(&key) {
        Some(kind) => format!("{kind} {}", key.1),
        None => format!("memory {}", key.1),
    }
}

pub(super) fn by_memory(joined: &Joined) -> Table {
    let mut groups = Groups::new();
    for instance in &joined.instances {
        let bytes = i64::try_from(instance.bytes).unwrap_or(i64::MAX);
        groups.of((instance.source, instance.memory)).add(bytes);
    }
    let names = memories(joined);
    groups.table(&["rank", "memory"], Unit::Bytes, false, |key| {
        vec![rank(joined, key.0), Cell::Text(memory_name(&names, key))]
    })
}

pub(super) fn by_channel(joined: &Joined) -> Table {
    let index = Index::of(joined);
    let cost = Cost::of(joined, &index);
    let mut groups = Groups::new();
    for (copy, kernel_time) in joined.copies.iter().zip(&cost.copies) {
        let sum = groups.of((copy.source, copy.from, copy.to));
        sum.add((copy.end - copy.start).0);
        sum.kernel_time += kernel_time;
    }
    let names = memories(joined);
    groups.table(
        &["rank", "from", "to"],
        Unit::Nanos,
        true,
        |(source, from, to)| {
            let name = |memory| Cell::Text(memory_name(&names, (source, memory)));
            let from = from.map_or_else(|| Cell::Text("(fill)".to_owned()), name);
            vec![rank(joined, source), from, name(to)]
        },
    )
}
