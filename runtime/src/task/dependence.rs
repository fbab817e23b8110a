//! Which tasks touched a store, and what a new access must therefore wait for.

use std::sync::Arc;

use weft_trace::record::DependencyKind;

use super::Task;
use crate::memory::Region;

/// What a task does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads it.
    Read,
    /// Writes every element of it.
    Write,
    /// Reads or keeps some of its elements, and writes others.
    ReadWrite,
}

struct Entry {
    region: Region,
    task: Arc<Task>,
    writes: bool,
}

/// The accesses to one store that a later one may have to wait for, in program order.
#[derive(Default)]
pub(crate) struct Accesses {
    entries: Vec<Entry>,
    /// Length at which reads that have ended are looked for.
    crowded: usize,
}

/// The shortest list worth tidying.
const CROWDED: usize = 64;

impl Accesses {
    /// Adds an access and calls `depends` for each earlier task it must wait for, maybe more than once for one task.
    ///
    /// Tasks of the accessing task's own operation are passed over: their tiles do not meet.
    pub(crate) fn add(
        &mut self,
        region: Region,
        task: &Arc<Task>,
        access: Access,
        mut depends: impl FnMut(&Arc<Task>, DependencyKind),
    ) {
        let writes = access != Access::Read;
        for entry in &self.entries {
            if !(writes || entry.writes)
                || entry.task.operation_uid == task.operation_uid
                || !entry.region.overlaps(&region)
            {
                continue;
            }
            let kind = match (entry.writes, access) {
                (true, Access::Write) => DependencyKind::WriteAfterWrite,
                (true, _) => DependencyKind::ReadAfterWrite,
                (false, _) => DependencyKind::WriteAfterRead,
            };
            depends(&entry.task, kind);
        }
        if writes {
            // Whoever comes later waits for this write, and through it for all that it covers.
            self.entries.retain_mut(|entry| {
                if entry.task.operation_uid == task.operation_uid {
                    return true;
                }
                if region.contains(&entry.region) {
                    return false;
                }
                entry.region.without(&region);
                true
            });
        }
        self.entries.push(Entry {
            region,
            task: task.clone(),
            writes,
        });
        if self.entries.len() > self.crowded.max(CROWDED) {
            self.entries
                .retain(|entry| entry.writes || !entry.task.has_ended());
            self.crowded = 2 * self.entries.len();
        }
    }
}
