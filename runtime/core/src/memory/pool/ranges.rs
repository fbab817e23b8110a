//! Free addresses of a pool: ranges that are never adjacent inside a segment, found by size or by
//! address.

use std::collections::{BTreeMap, BTreeSet};

use super::super::uses::Uses;

/// A free range.
#[derive(Debug)]
struct Free {
    size: usize,
    /// Number of its bytes that the operating system may be backing with pages, at any position.
    most: usize,
    /// Size of the part at the start that may be backed.
    low: usize,
    /// Size of the part at the end that may be backed. The bytes in between are not backed.
    high: usize,
    /// Work on devices that may still be using parts of it.
    uses: Uses,
}

impl Free {
    /// Returns an upper bound of the bytes that the operating system is backing.
    fn warm(&self) -> usize {
        self.most.min(self.low + self.high).min(self.size)
    }

    /// Returns the part before byte `at`, and the part that starts at byte `end`.
    fn around(self, at: usize, end: usize) -> (Free, Free) {
        let before = Free {
            size: at,
            most: self.most,
            low: self.low.min(at),
            high: at.saturating_sub(self.size - self.high),
            uses: self.uses.clone(),
        };
        let after = Free {
            size: self.size - end,
            most: self.most,
            low: self.low.saturating_sub(end),
            high: self.high.min(self.size - end),
            uses: self.uses,
        };
        (before, after)
    }

    /// Joins this range and the next. Bytes backed where they meet are counted to the first bytes
    /// or the last, whichever are fewer.
    fn joined(mut self, behind: &Free) -> Free {
        let size = self.size + behind.size;
        self.most = self.warm() + behind.warm();
        let (first, last) = (self.size - self.high, self.size + behind.low);
        let ends = match first < last {
            true => [
                (self.low.max(last), behind.high),
                (self.low, behind.high.max(size - first)),
            ],
            false => [(self.low, behind.high); 2],
        };
        let [one, other] = ends;
        (self.low, self.high) = match one.0 + one.1 <= other.0 + other.1 {
            true => one,
            false => other,
        };
        self.size = size;
        self.uses.merge(&behind.uses);
        self
    }
}

/// The end of a range that a block is cut from. Small and large blocks come from opposite ends, so
/// that a small block that lives long does not split the space of large ones.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// The lowest address that is a multiple of this, if one is near enough; otherwise the lowest
    /// address.
    Low(usize),
    /// The highest addresses.
    High,
}

/// The free parts of the segments of a pool.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    by_start: BTreeMap<u64, Free>,
    by_size: BTreeSet<(usize, u64)>,
    segments: BTreeMap<u64, usize>,
    mapped: usize,
    free: usize,
    warm: usize,
}

impl Ranges {
    /// Adds a segment that is free as a whole.
    pub(super) fn add_segment(&mut self, start: u64, size: usize) {
        self.segments.insert(start, size);
        self.mapped += size;
        self.give(start, size, 0, Uses::default());
    }

    /// Removes the segments that are free as a whole; returns start and size of each.
    pub(super) fn remove_free_segments(&mut self) -> Vec<(u64, usize)> {
        let is_free = |start: &u64, size: &usize| {
            (self.by_start.get(start)).is_some_and(|free| free.size == *size)
        };
        let segments = self.segments.iter();
        let removed: Vec<(u64, usize)> = segments
            .filter(|(start, size)| is_free(start, size))
            .map(|(start, size)| (*start, *size))
            .collect();
        for (start, size) in &removed {
            self.segments.remove(start);
            self.mapped -= size;
            self.remove(*start);
        }
        removed
    }

    /// Iterates over all segments.
    pub(super) fn segments(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        self.segments.iter().map(|(start, size)| (*start, *size))
    }

    /// Whether an address is in a segment.
    pub(super) fn holds(&self, address: u64) -> bool {
        let before = self.segments.range(..=address).next_back();
        before.is_some_and(|(start, size)| address < start + *size as u64)
    }

    /// Returns the number of bytes in segments.
    pub(super) fn mapped(&self) -> usize {
        self.mapped
    }

    /// Returns the number of free bytes in segments.
    pub(super) fn free(&self) -> usize {
        self.free
    }

    /// Returns an upper bound of the free bytes that the operating system is backing.
    pub(super) fn warm(&self) -> usize {
        self.warm
    }

    /// Returns the size of the largest range in bytes.
    pub(super) fn largest(&self) -> usize {
        self.by_size.last().map_or(0, |(size, _)| *size)
    }

    /// Returns the number of bytes in segments that are free as a whole.
    pub(super) fn in_free_segments(&self) -> usize {
        let whole = self.segments.iter().filter(|(start, size)| {
            (self.by_start.get(start)).is_some_and(|free| free.size == **size)
        });
        whole.map(|(_, size)| size).sum()
    }

    /// Returns the number of free bytes at the end of the segment; 0 if there are several.
    pub(super) fn tail(&self) -> usize {
        if self.segments.len() > 1 {
            return 0;
        }
        let end = |(start, size): (&u64, &usize)| start + *size as u64;
        let last = self.segments.last_key_value().map(end);
        match self.by_start.last_key_value() {
            Some((start, free)) if Some(start + free.size as u64) == last => free.size,
            _ => 0,
        }
    }

    /// Returns the size that the largest range would have if these blocks were free too.
    pub(super) fn largest_with(&self, blocks: &[(u64, usize)]) -> usize {
        let mut free: Vec<(u64, usize)> = self
            .by_start
            .iter()
            .map(|(start, free)| (*start, free.size))
            .chain(blocks.iter().copied())
            .collect();
        free.sort_unstable();
        let (mut largest, mut run, mut end) = (0, 0, None);
        for (start, size) in free {
            let follows = end == Some(start) && !self.segments.contains_key(&start);
            run = if follows { run + size } else { size };
            end = Some(start + size as u64);
            largest = largest.max(run);
        }
        largest
    }

    fn put(&mut self, start: u64, free: Free) {
        if free.size == 0 {
            return;
        }
        self.free += free.size;
        self.warm += free.warm();
        self.by_size.insert((free.size, start));
        self.by_start.insert(start, free);
    }

    fn remove(&mut self, start: u64) -> Option<Free> {
        let free = self.by_start.remove(&start)?;
        self.by_size.remove(&(free.size, start));
        self.free -= free.size;
        self.warm -= free.warm();
        Some(free)
    }

    /// Cuts a block out of the smallest range that has room for it. Returns its address and the
    /// work that may still be using it.
    pub(super) fn take(&mut self, size: usize, end: End) -> Option<(u64, Uses)> {
        let fitting = |align: usize| {
            let most = size.saturating_add(align);
            let mut ranges = self.by_size.range((size, 0)..);
            ranges.find_map(|(room, start)| {
                let at = start.next_multiple_of(align as u64);
                let fits = (at - start) as usize + size <= *room;
                // A range of this size fits wherever it begins.
                (fits || *room >= most).then_some((*start, at))
            })
        };
        let (range, at) = match end {
            End::Low(align) => fitting(align).or_else(|| fitting(1))?,
            End::High => {
                let (room, start) = *self.by_size.range((size, 0)..).next()?;
                (start, start + (room - size) as u64)
            }
        };
        let whole = self.remove(range)?;
        let before = (at - range) as usize;
        let uses = whole.uses.clone();
        let (before, after) = whole.around(before, before + size);
        self.put(range, before);
        self.put(at + size as u64, after);
        Some((at, uses))
    }

    /// Takes a block back and joins it with its free neighbours. Its first `warm` bytes may be
    /// backed.
    pub(super) fn give(&mut self, start: u64, size: usize, warm: usize, uses: Uses) {
        let mut whole = Free {
            size,
            most: warm,
            low: warm,
            high: 0,
            uses,
        };
        let mut first = start;
        let end = start + size as u64;
        let before = self.by_start.range(..start).next_back();
        let before = before.filter(|(at, free)| *at + free.size as u64 == start);
        if let Some(at) = before.map(|(at, _)| *at)
            && !self.segments.contains_key(&start)
            && let Some(free) = self.remove(at)
        {
            first = at;
            whole = free.joined(&whole);
        }
        if !self.segments.contains_key(&end)
            && let Some(free) = self.remove(end)
        {
            whole = whole.joined(&free);
        }
        self.put(first, whole);
    }

    /// Calls `discard` for ranges that may be backed, largest first, until at most `most` bytes may
    /// be. Returns the number of bytes discarded.
    pub(super) fn discard(&mut self, most: usize, discard: impl Fn(u64, usize) -> usize) -> usize {
        if self.warm <= most {
            return 0;
        }
        let mut given = 0;
        let sizes: Vec<(usize, u64)> = self.by_size.iter().rev().copied().collect();
        for (size, start) in sizes {
            if self.warm <= most {
                break;
            }
            if let Some(free) = self.by_start.get_mut(&start)
                && free.warm() > 0
            {
                given += discard(start, size).min(free.warm());
                self.warm -= free.warm();
                (free.most, free.low, free.high) = (0, 0, 0);
            }
        }
        given
    }
}
