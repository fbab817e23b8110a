//! The stores through which tasks depend on each other.

use super::types::{Edge, StoreUse};
use rustc_hash::{FxHashMap, FxHashSet};
use weft_model::text::place;
use weft_model::{ProvenanceIndex, RunIndex, SourceIndex, StringIndex, Trace};
use weft_trace::id::Uid;

/// A store of a dependence: a row of [`Program::stores`](weft_model::Program::stores), and the
/// number of bytes of it that both ends access.
pub(super) type Through = (usize, u64);

/// The rows of stores.
pub(super) struct Stores<'a> {
    trace: &'a Trace,
    rows: FxHashMap<(RunIndex, Uid), usize>,
}

impl<'a> Stores<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        let mut rows = FxHashMap::default();
        for (at, row) in trace.program.stores.iter().enumerate() {
            let key = (trace.run_of(row.source), row.uid);
            rows.entry(key).or_insert(at);
        }
        Stores { trace, rows }
    }

    /// Returns the row of the store that a record of `source` names.
    pub(super) fn row(&self, source: SourceIndex, uid: Uid) -> Option<usize> {
        let key = (self.trace.run_of(source), uid);
        self.rows.get(&key).copied()
    }
}

/// The key of stores of one type, shape and line.
type StoreGroupKey = (StringIndex, Box<[u64]>, ProvenanceIndex);

/// The stores of an edge, with the bytes of each.
#[derive(Debug, Default)]
pub(super) struct Uses(FxHashMap<usize, u64>);

impl Uses {
    pub(super) fn add(&mut self, (store, bytes): Through) {
        let sum = self.0.entry(store).or_default();
        *sum = sum.saturating_add(bytes);
    }

    /// Writes the stores to an edge.
    pub(super) fn write_to(self, trace: &Trace, edge: &mut Edge) {
        let mut alike: FxHashMap<StoreGroupKey, (FxHashSet<Uid>, u64)> = FxHashMap::default();
        for (store, bytes) in self.0 {
            let Some(row) = trace.program.stores.get(store) else {
                continue;
            };
            let key = (row.dtype, row.shape.clone(), row.provenance);
            let (members, sum) = alike.entry(key).or_default();
            members.insert(row.uid);
            *sum = sum.saturating_add(bytes);
        }
        for ((dtype, shape, provenance), (members, bytes)) in alike {
            let first = members.iter().min();
            edge.stores.push(StoreUse {
                uid: first.map(|uid| uid.to_string()).unwrap_or_default(),
                dtype: trace.strings.get(dtype).to_owned(),
                shape: shape.into_vec(),
                place: place(trace, provenance),
                count: members.len() as u64,
                bytes_at_most: bytes,
            });
        }
        let key = |store: &StoreUse| (u64::MAX - store.bytes_at_most, store.uid.clone());
        edge.stores.sort_by_key(key);
        if !edge.stores.is_empty() {
            let bytes = edge.stores.iter().map(|store| store.bytes_at_most);
            edge.shared_bytes_at_most = Some(bytes.fold(0, u64::saturating_add));
        }
    }
}
