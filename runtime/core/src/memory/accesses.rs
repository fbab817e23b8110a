//! Accesses of tasks to a store, and the predecessors that follow from them for a new access.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::{Access, Region};
use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::record::DependencyKind;

/// A task, as the stores that it accesses need it.
pub(crate) trait AccessingTask: Any + Debug + Send + Sync {
    /// Whether it has ended.
    fn has_ended(&self) -> bool;
}

/// The task that made an access.
#[derive(Clone, Debug)]
pub(crate) struct Accessor {
    /// The UID of the task as the program knows it.
    pub(crate) uid: TaskUid,
    /// The operation that it is a tile of; for a group, its first operation. Tiles of one operation
    /// never conflict.
    pub(crate) whole: OperationUid,
    /// The task that runs it; `None` if it has run.
    pub(crate) task: Option<Arc<dyn AccessingTask>>,
}

impl Accessor {
    fn has_ended(&self) -> bool {
        self.task.as_ref().is_none_or(|task| task.has_ended())
    }
}

#[derive(Debug)]
struct Entry {
    region: Region,
    by: Accessor,
}

impl Entry {
    /// Whether a task must wait for this access.
    fn conflicts(&self, region: &Region, by: &Accessor) -> bool {
        self.by.whole != by.whole && self.region.overlaps(region)
    }
}

/// The predecessors of a new access's task, direct and indirect.
pub(crate) trait Follows {
    /// Whether a task is one of the predecessors.
    fn has(&self, by: &Accessor) -> bool;

    /// Returns the direct predecessors.
    fn at_once(&self) -> impl ExactSizeIterator<Item = TaskUid>;
}

/// Accesses by position. Most stores have few, which are searched linearly. Many are kept in
/// classes of similar extent. Each class is sorted by first element and then by task. So the
/// accesses that may overlap a region are neighbours, and a task's accesses among them can be found
/// by bisection.
#[derive(Debug, Default)]
struct Places {
    few: SmallVec<[Entry; 1]>,
    classes: Vec<(u32, Vec<Entry>)>,
    /// Number of accesses at which those of ended tasks are searched for.
    crowded: usize,
}

/// Maximum number of accesses that are searched linearly.
const MAX_LINEAR: usize = 8;

/// Number of most recent reads that are searched for indirect predecessors. It is at least the
/// number of tasks whose indirect predecessors are known.
const LAST: usize = 128;

/// Returns the class of a region: regions of one class differ in extent by less than a factor of
/// two.
fn class(region: &Region) -> u32 {
    let (first, last) = region.interval();
    usize::BITS - (last - first).leading_zeros()
}

/// Returns the range of a class's entries that may overlap a region.
fn near(class: u32, entries: &[Entry], region: &Region) -> Range<usize> {
    let (first, last) = region.interval();
    // In the class `c` the last element is less than 2^c after the first. Reads of the element
    // before a region, which a loop over neighbours leaves, are not near it.
    let beyond = 1_usize.checked_shl(class).unwrap_or(usize::MAX);
    let from = first.saturating_sub(beyond - 1);
    let start = entries.partition_point(|entry| entry.region.interval().0 < from);
    let end = entries.partition_point(|entry| entry.region.interval().0 <= last);
    start..end.max(start)
}

impl Places {
    /// Returns the accesses that may overlap a region.
    fn near(&self, region: &Region) -> impl Iterator<Item = &Entry> {
        let many = self.classes.iter();
        let many = many.flat_map(|(class, entries)| &entries[near(*class, entries, region)]);
        self.few.iter().chain(many)
    }

    fn len(&self) -> usize {
        let many = self.classes.iter().map(|(_, entries)| entries.len());
        self.few.len() + many.sum::<usize>()
    }

    fn insert(&mut self, entry: Entry) {
        if self.few.len() < MAX_LINEAR {
            self.few.push(entry);
            return;
        }
        for few in std::mem::take(&mut self.few) {
            self.insert_in_class(few);
        }
        self.insert_in_class(entry);
    }

    fn insert_in_class(&mut self, entry: Entry) {
        let class = class(&entry.region);
        let at = match self.classes.iter().position(|(known, _)| *known == class) {
            Some(at) => at,
            None => {
                self.classes.push((class, Vec::new()));
                self.classes.len() - 1
            }
        };
        let entries = &mut self.classes[at].1;
        let key = |entry: &Entry| (entry.region.interval().0, entry.by.uid);
        let place = entries.partition_point(|known| key(known) <= key(&entry));
        entries.insert(place, entry);
    }

    /// Removes accesses to parts of a region by predecessors of a new read. In a large class, it
    /// finds those of direct predecessors that begin with the region. All others are found only
    /// among the most recent reads.
    fn replace(&mut self, region: &Region, follows: &impl Follows) {
        let is_replaced = |entry: &Entry| region.contains(&entry.region) && follows.has(&entry.by);
        self.few.retain(|entry| !is_replaced(entry));
        let (first, last) = region.interval();
        let mut found: SmallVec<[usize; 16]> = SmallVec::new();
        for (_, entries) in &mut self.classes {
            let begins = |at: usize| entries.partition_point(|one| one.region.interval().0 < at);
            let (start, end) = (begins(first), begins(last.saturating_add(1)));
            let mut look =
                |at: Range<usize>| found.extend(at.filter(|at| is_replaced(&entries[*at])));
            let direct = follows.at_once();
            if end - start <= 2 * LAST + direct.len() {
                look(start..end);
            } else {
                let own = begins(first.saturating_add(1));
                look(own.saturating_sub(LAST).max(start)..own);
                look((end - LAST).max(own)..end);
                let run = &entries[start..own];
                for uid in direct {
                    let at = run.partition_point(|entry| entry.by.uid < uid);
                    // The operations of a group have neighbouring UIDs in each tile.
                    let is_followed = |entry: &&Entry| follows.has(&entry.by);
                    let behind = run[at..].iter().take_while(is_followed).count();
                    let before = run[..at].iter().rev().take_while(is_followed).count();
                    look(start + at - before..start + at + behind);
                }
                found.sort_unstable();
                found.dedup();
            }
            for at in found.drain(..).rev() {
                entries.remove(at);
            }
        }
    }

    /// Removes the accesses near a region for which `keep` returns false.
    fn retain_near(&mut self, region: &Region, mut keep: impl FnMut(&mut Entry) -> bool) {
        self.few.retain(&mut keep);
        for (class, entries) in &mut self.classes {
            let Range { start, end } = near(*class, entries, region);
            let mut kept = start;
            for at in start..end {
                if keep(&mut entries[at]) {
                    entries.swap(kept, at);
                    kept += 1;
                }
            }
            entries.drain(kept..end);
        }
    }

    /// Removes accesses of ended tasks if there are more than `most`, and more than twice the
    /// number left after the last call. Only the largest classes are searched. The others hold
    /// accesses to large regions, which conflict with many later ones. Returns the number of
    /// accesses removed.
    fn tidy(&mut self, most: usize) -> usize {
        let count = self.len();
        if count <= self.crowded.max(most) {
            return 0;
        }
        // There are at most as many classes as bits of an index.
        let crowd = most / usize::BITS as usize;
        for (_, entries) in &mut self.classes {
            if entries.len() > crowd {
                entries.retain(|entry| !entry.by.has_ended());
            }
        }
        self.classes.retain(|(_, entries)| !entries.is_empty());
        let left = self.len();
        self.crowded = 2 * left;
        count - left
    }
}

/// The accesses to one store that a later access may have to wait for, in program order.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    writes: Places,
    /// Kept apart: reads do not conflict with each other, and a store can have many.
    reads: Places,
}

/// Limit on the accesses of ended tasks that a store keeps, for reads and for writes. They stay if
/// no later access near them supersedes them, as with many slices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Retention {
    /// Without a profile they are not needed: few enough to search linearly.
    Few,
    /// A profile names them: as many as a loop over slices is likely to make.
    Many,
}

impl Retention {
    const fn count(self) -> usize {
        match self {
            Retention::Few => 64,
            Retention::Many => 4096,
        }
    }
}

impl Accesses {
    /// Calls `depends` for each earlier access that a new one must wait for, with its region;
    /// possibly more than once for a task. With `forgets`, accesses of ended tasks are skipped and
    /// removed.
    pub(crate) fn find(
        &mut self,
        region: &Region,
        by: &Accessor,
        access: Access,
        forgets: bool,
        mut depends: impl FnMut(&Accessor, DependencyKind, &Region),
    ) {
        let after_write = match access {
            Access::Write => DependencyKind::WriteAfterWrite,
            Access::Read | Access::ReadWrite => DependencyKind::ReadAfterWrite,
        };
        if forgets {
            let keep = |entry: &mut Entry| !entry.by.has_ended();
            self.writes.retain_near(region, keep);
            if access != Access::Read {
                self.reads.retain_near(region, keep);
            }
        }
        for write in self.writes.near(region) {
            if write.conflicts(region, by) {
                depends(&write.by, after_write, &write.region);
            }
        }
        if access == Access::Read {
            return;
        }
        for read in self.reads.near(region) {
            if read.conflicts(region, by) {
                depends(&read.by, DependencyKind::WriteAfterRead, &read.region);
            }
        }
    }

    /// Adds an access, after all predecessors of its task have been found; `follows` are these
    /// predecessors. If tiles of a group read from one instance what other tiles write to another,
    /// find the predecessors of all tiles before adding any access. An added access would hide what
    /// the other tiles must wait for. Returns the number of accesses removed because their tasks
    /// have ended.
    pub(crate) fn put(
        &mut self,
        region: Region,
        by: Accessor,
        access: Access,
        kept: Retention,
        follows: &impl Follows,
    ) -> usize {
        if access == Access::Read {
            // A task that waits for this read also waits for the read's predecessors: a loop leaves
            // one of each.
            self.reads.replace(&region, follows);
            self.reads.insert(Entry { region, by });
            return self.reads.tidy(kept.count());
        }
        // Later tasks wait for this write, and through it for every access that it covers.
        let uncovered = |earlier: &mut Entry| {
            if earlier.by.whole == by.whole {
                return true;
            }
            if region.contains(&earlier.region) {
                return false;
            }
            earlier.region.without(&region);
            true
        };
        self.writes.retain_near(&region, uncovered);
        self.reads.retain_near(&region, uncovered);
        self.writes.insert(Entry { region, by });
        self.writes.tidy(kept.count())
    }
}

#[cfg(test)]
mod tests;
