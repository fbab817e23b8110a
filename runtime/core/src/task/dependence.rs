//! Which tasks touched a store, and what a new access must therefore wait for.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;
use weft_geometry::{Access, Region};
use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::record::DependencyKind;

use super::Task;

/// Who touches a store.
#[derive(Clone, Debug)]
pub(crate) struct Accessor {
    /// The task, as the program sees it.
    pub(crate) uid: TaskUid,
    /// What it is a tile of: its operation, or the first of those that are done together. Tiles of one do not meet.
    pub(crate) whole: OperationUid,
    /// Who runs it; `None` where it has run.
    pub(crate) task: Option<Arc<Task>>,
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

/// Whom the task of a new access follows, at once or through others.
pub(crate) trait Follows {
    /// Whether it follows a task.
    fn has(&self, by: &Accessor) -> bool;

    /// The tasks that it follows at once.
    fn at_once(&self) -> impl ExactSizeIterator<Item = TaskUid>;
}

/// Accesses by place. Most stores have a few, which are looked at one by one. Many are kept in classes of about the same extent,
/// each in the order of their first elements, and those with the same one in that of their tasks, so that those that may meet a region
/// lie together, and a task's are found among them.
#[derive(Debug, Default)]
struct Places {
    few: SmallVec<[Entry; 1]>,
    classes: Vec<(u32, Vec<Entry>)>,
    /// Number of accesses at which those that have ended are looked for.
    crowded: usize,
}

/// Most accesses that are looked at one by one.
const MAX_LINEAR: usize = 8;

/// Most reads, the last ones, among which those are looked for that a new one follows through others. It is at least the number of tasks
/// of which that is known.
const LAST: usize = 128;

/// The class of a region: regions of one class differ in extent by less than a factor of two.
fn class(region: &Region) -> u32 {
    let (first, last) = region.interval();
    usize::BITS - (last - first).leading_zeros()
}

/// Where those of one class lie that may meet a region.
fn near(class: u32, entries: &[Entry], region: &Region) -> Range<usize> {
    let (first, last) = region.interval();
    // In the class `c` the last element is less than 2^c after the first.
    let reach = 1_usize.checked_shl(class).unwrap_or(usize::MAX);
    let from = first.saturating_sub(reach);
    let start = entries.partition_point(|entry| entry.region.interval().0 < from);
    let end = entries.partition_point(|entry| entry.region.interval().0 <= last);
    start..end.max(start)
}

impl Places {
    /// Those that may meet a region.
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

    /// Forgets accesses to parts of a region by tasks that the task of a new one follows. Of many accesses those are found that begin with
    /// the region and are of a task that is followed at once; others only among the last ones.
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
                    // Operations that are done together have neighbouring UIDs in each task.
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

    /// Removes those near a region of which `keep` says so.
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

    /// Forgets the accesses of tasks that have ended, where there are more than `most` and more than twice those that were left
    /// the last time: in the classes that make up the crowd. The others have what was done to large parts, which much that comes
    /// later conflicts. Gives the number of those forgotten.
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

/// The accesses to one store that a later one may have to wait for, in program order.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    writes: Places,
    /// Apart, because reads need not look at each other, and an array can have many.
    reads: Places,
}

/// How many reads of a store, and how many writes, are kept though their tasks have ended: those that nothing near them has made
/// superfluous, such as of many slices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept {
    /// Nobody asks for them: few enough to be looked through.
    Few,
    /// A profile names them: as many as a loop over slices is likely to make.
    Many,
}

impl Kept {
    const fn count(self) -> usize {
        match self {
            Kept::Few => 64,
            Kept::Many => 4096,
        }
    }
}

impl Accesses {
    /// Calls `depends` for each earlier access that a new one must follow, with its region, maybe more than once for one task. Where
    /// `forgets`, accesses of tasks that have ended are left out and forgotten.
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

    /// Adds an access, once all that its task must follow is found; `follows` says what that is. Where tiles of one whole read what
    /// others of them write, to another instance, all of theirs are found before any is added: it would cover what the
    /// others must follow. Gives the number of accesses that were forgotten since their tasks have ended.
    pub(crate) fn put(
        &mut self,
        region: Region,
        by: Accessor,
        access: Access,
        kept: Kept,
        follows: &impl Follows,
    ) -> usize {
        if access == Access::Read {
            // Whoever waits for this read waits for those that its task waits for: a loop leaves one of each.
            self.reads.replace(&region, follows);
            self.reads.insert(Entry { region, by });
            return self.reads.tidy(kept.count());
        }
        // Whoever comes later waits for this write, and through it for all that it covers.
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
