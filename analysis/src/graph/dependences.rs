//! Dependences between operations, derived from those between their tasks.

use super::dependence::Dependence;
use super::legion;
use super::stores::{Stores, Through};
use crate::stats::operation_of;
use rustc_hash::FxHashMap;
use weft_model::{Index, Trace};
use weft_trace::record::DependencyKind;

/// Numbers of dependences of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) read_after_write: u64,
    pub(super) write_after_read: u64,
    pub(super) write_after_write: u64,
    pub(super) order: u64,
}

impl Kinds {
    /// Adds a dependence of a kind; `None` if only the order is known.
    pub(super) fn add(&mut self, kind: Option<DependencyKind>) {
        *match kind {
            Some(DependencyKind::ReadAfterWrite) => &mut self.read_after_write,
            Some(DependencyKind::WriteAfterRead) => &mut self.write_after_read,
            Some(DependencyKind::WriteAfterWrite) => &mut self.write_after_write,
            None => &mut self.order,
        } += 1;
    }

    pub(super) const fn total(&self) -> u64 {
        self.read_after_write + self.write_after_read + self.write_after_write + self.order
    }
}

/// Returns all dependences, and the number of further ones that name a task without a record.
pub(super) fn collect(trace: &Trace, index: &Index) -> (Vec<Dependence>, u64) {
    let mut unknown = 0;
    let stores = Stores::new(trace);
    let mut rows = Vec::with_capacity(trace.work.dependencies.len());
    for row in &trace.work.dependencies {
        let ends = (
            index.served(row.source, row.from),
            index.served(row.source, row.to),
        );
        let (Some(from), Some(to)) = ends else {
            unknown += 1;
            continue;
        };
        rows.push(Dependence {
            from,
            to,
            kind: Some(row.kind),
            through: row.store.and_then(|uid| {
                let store = stores.row(row.source, uid)?;
                Some((store, row.bytes.unwrap_or(0)))
            }),
            moved: 0,
        });
    }
    unknown += legion::dependences(trace, &mut rows);
    (rows, unknown)
}

/// The dependences of one operation on another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OperationDependences {
    pub(super) kinds: Kinds,
    /// The stores, each with the bytes of all dependences through it.
    pub(super) through: Vec<Through>,
    /// Number of dependences without a known store.
    pub(super) unknown_store: u64,
    pub(super) moved: u64,
}

impl OperationDependences {
    fn add(&mut self, through: Option<Through>) {
        let Some((store, bytes)) = through else {
            self.unknown_store += 1;
            return;
        };
        match self.through.iter_mut().find(|row| row.0 == store) {
            Some(row) => row.1 = row.1.saturating_add(bytes),
            None => self.through.push((store, bytes)),
        }
    }
}

/// The rows of two operations in [`Program::operations`](weft_model::Program::operations), the
/// earlier first, and the dependences between them.
pub(super) type Pair = ((usize, usize), OperationDependences);

/// Groups dependences by the rows of their operations, in order. Also returns the number of
/// dependences within an operation, and of those of operations without a record; both are left out.
pub(super) fn by_operation(
    trace: &Trace,
    index: &Index,
    dependences: &[Dependence],
) -> (Vec<Pair>, u64, u64) {
    let mut sums: FxHashMap<(usize, usize), OperationDependences> = FxHashMap::default();
    let (mut within, mut unknown) = (0, 0);
    for row in dependences {
        let ends = (
            operation_of(trace, index, row.from),
            operation_of(trace, index, row.to),
        );
        match ends {
            (Some(from), Some(to)) if from == to => within += 1,
            (Some(from), Some(to)) => {
                let sum = sums.entry((from, to)).or_default();
                sum.kinds.add(row.kind);
                sum.add(row.through);
                sum.moved = sum.moved.saturating_add(row.moved);
            }
            _ => unknown += 1,
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|row| row.0);
    (sums, within, unknown)
}
