//! Tiles and their contents.

use super::bins::{Bins, Entry as Slice, Sweep};
use super::file::{File, Item};
use super::format::{EXACT, TILE_BINS, TimelineError};
use super::hits::Hits;
use super::slice::Flags;
use super::states::Waited;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The highest level of a tile.
const TOP: u32 = 43;

/// The maximum number of slices that are read for a tile that is not stored.
const MOST: u32 = 1 << 22;

/// A tile: a lane, the binary logarithm of a bin's width in ns, and the tile's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileKey {
    /// The lane.
    pub lane: u32,
    /// The level.
    pub level: u32,
    /// The index of the tile in its level.
    pub index: u32,
}

impl TileKey {
    /// Returns the width of a bin in ns.
    pub fn width(self) -> u64 {
        1 << self.level.min(TOP)
    }

    /// Returns when the tile begins, ns.
    pub fn from(self) -> u64 {
        (u64::from(self.index) * TILE_BINS as u64).saturating_mul(self.width())
    }

    /// Returns when the tile ends, ns.
    pub fn to(self) -> u64 {
        self.from().saturating_add(self.width() * TILE_BINS as u64)
    }
}

/// The contents of a tile.
#[derive(Clone, Debug, PartialEq)]
pub enum Tile {
    /// Figures for each bin, if there are many slices, or for a group.
    Bins(Bins),
    /// All slices that overlap it, in the order of their starts.
    Exact(Vec<Item>),
}

/// Sets of slices, each with the flag of its members.
pub type Marks<'a> = &'a [(&'a Hits, Flags)];

/// Answers requests for tiles, and caches shared data.
#[derive(Debug, Default)]
pub struct Tiles {
    leaves: FxHashMap<TileKey, Bins>,
}

impl Tiles {
    /// Returns the contents of a tile.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn tile(
        &mut self,
        file: &File,
        key: TileKey,
        marks: Marks<'_>,
    ) -> Result<Tile, TimelineError> {
        let children = children(file, key.lane);
        if !children.is_empty() {
            return self.group(file, key, marks).map(Tile::Bins);
        }
        match leaf(file, key)? {
            Leaf::Bins(mut bins) => {
                mark(&mut bins, marks);
                Ok(Tile::Bins(bins))
            }
            Leaf::Exact(entries) => {
                let mut items = exact(file, key.lane, &entries)?;
                for item in &mut items {
                    for (hits, flag) in marks {
                        item.flags |= flag.only_if(hits.has(item.item));
                    }
                }
                Ok(Tile::Exact(items))
            }
        }
    }

    /// Returns the bins of a lane, or of all lanes of a group together.
    fn group(
        &mut self,
        file: &File,
        key: TileKey,
        marks: Marks<'_>,
    ) -> Result<Bins, TimelineError> {
        let mut leaves = Vec::new();
        let mut open = children(file, key.lane);
        while let Some(lane) = open.pop() {
            match children(file, lane) {
                within if within.is_empty() => leaves.push(lane),
                within => open.extend(within),
            }
        }
        leaves.sort_unstable();
        let mut sum = Sum::default();
        for lane in &leaves {
            let key = TileKey { lane: *lane, ..key };
            let bins = match self.leaves.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let mut bins = match leaf(file, key)? {
                        Leaf::Bins(bins) => bins,
                        Leaf::Exact(slices) => bins(file, key, &slices)?,
                    };
                    mark(&mut bins, marks);
                    place.insert(bins)
                }
            };
            sum.add(bins);
        }
        Ok(sum.finish(leaves.len()))
    }
}

/// Returns the lanes of a group.
fn children(file: &File, lane: u32) -> Vec<u32> {
    let lanes = (0..).zip(file.lanes());
    let within = lanes.filter(|(_, row)| row.parent == Some(lane));
    within.map(|(at, _)| at).collect()
}

enum Leaf {
    Bins(Bins),
    Exact(Vec<Slice>),
}

fn leaf(file: &File, key: TileKey) -> Result<Leaf, TimelineError> {
    if let Some(bytes) = file.stored(key.lane, key.level, key.index.into())?
        && let Some(bins) = Bins::decode(&bytes)
    {
        return Ok(Leaf::Bins(bins));
    }
    let lo = file.before(key.lane, key.from())?;
    let hi = file.before(key.lane, key.to())?.max(lo);
    let mut entries = file.earlier(key.lane, lo, key.from())?;
    entries.extend(file.entries(key.lane, lo..hi.min(lo.saturating_add(MOST)))?);
    match entries.len() <= EXACT {
        true => Ok(Leaf::Exact(entries)),
        false => bins(file, key, &entries).map(Leaf::Bins),
    }
}

/// Returns the bins of slices that overlap a tile.
fn bins(file: &File, key: TileKey, entries: &[Slice]) -> Result<Bins, TimelineError> {
    let mut waited = Waited::default();
    let lane = file.lane(key.lane);
    let longest = lane.map_or(0, |lane| lane.longest_wait);
    if longest > 0 {
        // Slices that wait in the tile may begin long after it.
        let lo = file.before(key.lane, key.from())?;
        let hi = file.before(key.lane, key.to().saturating_add(longest).saturating_add(1))?;
        let states = file.states(key.lane, lo..hi.min(lo.saturating_add(MOST)))?;
        waited = states.within(key.from(), key.width(), TILE_BINS)?;
    }
    let next = lane.map_or(0, |lane| {
        lane.first + file.before(key.lane, key.to()).unwrap_or(0)
    });
    Ok(Sweep::default().bins(entries, key.from(), key.width(), next, &waited))
}

/// Returns all columns of slices.
fn exact(file: &File, lane: u32, entries: &[Slice]) -> Result<Vec<Item>, TimelineError> {
    let first = file.lane(lane).map_or(0, |lane| lane.first);
    let mut items = Vec::with_capacity(entries.len());
    for run in entries.chunk_by(|one, next| one.item + 1 == next.item) {
        if let (Some(begin), Some(end)) = (run.first(), run.last()) {
            let range = begin.item.saturating_sub(first)..(end.item + 1).saturating_sub(first);
            items.extend(file.slices(lane, range)?);
        }
    }
    Ok(items)
}

/// Sets the flags of bins that contain slices of some sets.
fn mark(bins: &mut Bins, marks: Marks<'_>) {
    for (hits, flag) in marks.iter().filter(|(hits, _)| !hits.is_empty()) {
        let rows = bins.first.iter().zip(&bins.count).zip(&bins.item);
        for (((first, count), item), flags) in rows.zip(&mut bins.flags) {
            if hits.any(*first, *count) || hits.has(*item) {
                *flags |= u32::from(flag.0);
            }
        }
    }
}

/// Sums of the bins of several lanes.
#[derive(Default)]
struct Sum {
    bins: Bins,
    /// The busy time of the line recorded for each bin.
    most: Vec<f32>,
}

impl Sum {
    fn add(&mut self, lane: &Bins) {
        self.most.resize(TILE_BINS, 0.0);
        let sum = &mut self.bins;
        let add = |to: &mut [f32], from: &[f32]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        };
        add(&mut sum.busy, &lane.busy);
        add(&mut sum.waiting, &lane.waiting);
        add(&mut sum.ready, &lane.ready);
        for (to, from) in sum.count.iter_mut().zip(&lane.count) {
            *to = to.saturating_add(*from);
        }
        for (to, from) in sum.flags.iter_mut().zip(&lane.flags) {
            *to |= from;
        }
        let lines = sum.line.iter_mut().zip(&mut self.most);
        for ((line, most), (from, busy)) in lines.zip(lane.line.iter().zip(&lane.busy)) {
            if *busy > *most {
                (*line, *most) = (*from, *busy);
            }
        }
        let longest = sum.longest.iter_mut().zip(&mut sum.item);
        for ((longest, item), (from, own)) in longest.zip(lane.longest.iter().zip(&lane.item)) {
            if *own != u32::MAX && (*item == u32::MAX || *from > *longest) {
                (*longest, *item) = (*from, *own);
            }
        }
    }

    /// Returns the bins. Shares of time are averages over the lanes.
    fn finish(mut self, lanes: usize) -> Bins {
        let lanes = lanes.max(1) as f32;
        let Bins {
            busy,
            waiting,
            ready,
            ..
        } = &mut self.bins;
        for share in [busy, waiting, ready].into_iter().flatten() {
            *share /= lanes;
        }
        self.bins
    }
}
