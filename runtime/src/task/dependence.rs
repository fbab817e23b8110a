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
}

impl Entry {
    /// Whether a task must wait for this access. Tiles of one operation do not meet.
    fn meets(&self, region: &Region, task: &Task) -> bool {
        self.task.operation_uid != task.operation_uid && self.region.overlaps(region)
    }
}

/// The accesses to one store that a later one may have to wait for, in program order.
#[derive(Default)]
pub(crate) struct Accesses {
    writes: Vec<Entry>,
    /// Apart, because reads need not look at each other, and an array can have many.
    reads: Vec<Entry>,
    /// Number of reads at which those that have ended are looked for.
    crowded: usize,
}

/// The fewest reads worth tidying.
const CROWDED: usize = 64;

impl Accesses {
    /// Adds an access and calls `depends` for each earlier task it must wait for, maybe more than once for one task.
    pub(crate) fn add(
        &mut self,
        region: Region,
        task: &Arc<Task>,
        access: Access,
        mut depends: impl FnMut(&Arc<Task>, DependencyKind),
    ) {
        let after_write = match access {
            Access::Write => DependencyKind::WriteAfterWrite,
            Access::Read | Access::ReadWrite => DependencyKind::ReadAfterWrite,
        };
        for write in self
            .writes
            .iter()
            .filter(|write| write.meets(&region, task))
        {
            depends(&write.task, after_write);
        }
        if access == Access::Read {
            self.reads.push(Entry {
                region,
                task: task.clone(),
            });
            if self.reads.len() > self.crowded.max(CROWDED) {
                self.reads.retain(|read| !read.task.has_ended());
                self.crowded = 2 * self.reads.len();
            }
            return;
        }
        for read in self.reads.iter().filter(|read| read.meets(&region, task)) {
            depends(&read.task, DependencyKind::WriteAfterRead);
        }
        // Whoever comes later waits for this write, and through it for all that it covers.
        let uncovered = |earlier: &mut Entry| {
            if earlier.task.operation_uid == task.operation_uid {
                return true;
            }
            if region.contains(&earlier.region) {
                return false;
            }
            earlier.region.without(&region);
            true
        };
        self.writes.retain_mut(uncovered);
        self.reads.retain_mut(uncovered);
        self.writes.push(Entry {
            region,
            task: task.clone(),
        });
    }
}
