//! Blocks that are up to date on some ranks only.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use crate::Block;

/// Rank numbers, in increasing order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Holders(SmallVec<[u16; 4]>);

impl Holders {
    fn add(&mut self, rank: u16) {
        if let Err(at) = self.0.binary_search(&rank) {
            self.0.insert(at, rank);
        }
    }

    fn remove(&mut self, rank: u16) {
        if let Ok(at) = self.0.binary_search(&rank) {
            self.0.remove(at);
        }
    }

    fn has(&self, rank: u16) -> bool {
        self.0.binary_search(&rank).is_ok()
    }

    /// Returns the rank from which `to` receives: the last one before it, otherwise the first. This
    /// spreads the load over senders.
    fn nearest(&self, to: u16) -> u16 {
        let after = self.0.partition_point(|rank| *rank < to);
        let at = after.saturating_sub(1);
        self.0.get(at).copied().unwrap_or(0)
    }
}

/// A block that is up to date on the same ranks, but not on all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Piece {
    block: Block,
    on: Holders,
}

/// A block that one rank needs or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) rank: u16,
    pub(crate) block: Block,
}

/// A block that one rank receives from another.
pub(crate) struct Sent {
    pub(crate) block: Block,
    pub(crate) from: u16,
    pub(crate) to: u16,
}

/// The parts of some ranks, ordered by rank, with an index to find those that meet a block. A rank
/// may have several.
pub(crate) struct Parts {
    parts: Vec<Part>,
    /// The only axis along which the parts differ.
    along: Option<usize>,
    /// Ranges of consecutive parts whose first and last indices never decrease along that axis; one
    /// range of all parts if there is no such axis.
    rows: SmallVec<[Range<usize>; 1]>,
}

impl Parts {
    pub(crate) fn new(mut parts: Vec<Part>) -> Parts {
        let along = along(&parts);
        if let Some(axis) = along {
            // The parts of a rank may be in descending order, such as those of a view that runs
            // backwards.
            parts.sort_by_key(|part| (part.rank, part.block.bounds()[axis]));
        }
        let rows = match along {
            Some(axis) => rows(&parts, axis),
            None => smallvec![0..parts.len()],
        };
        Parts { parts, along, rows }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether a rank has several parts.
    pub(crate) fn are_several(&self) -> bool {
        let mut two = self.parts.windows(2);
        two.any(|two| two[0].rank == two[1].rank)
    }

    /// Returns the only axis along which the parts differ.
    pub(crate) fn along(&self) -> Option<usize> {
        self.along
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter()
    }

    /// Returns the block of all parts, if it is the same for each.
    pub(crate) fn same(&self) -> Option<&Block> {
        let first = &self.parts.first()?.block;
        let all = self.parts.iter().all(|part| part.block == *first);
        all.then_some(first)
    }

    /// Whether parts of two ranks overlap.
    pub(crate) fn meet(&self) -> bool {
        match self.along {
            Some(axis) if self.rows.len() == 1 => self
                .parts
                .windows(2)
                .any(|two| two[0].block.bounds()[axis].1 > two[1].block.bounds()[axis].0),
            _ => self.parts.iter().enumerate().any(|(at, one)| {
                let mut others = self.parts[at + 1..].iter();
                others.any(|other| one.block.meet(&other.block).is_some())
            }),
        }
    }

    /// Returns the parts that meet a block.
    fn meeting<'a>(&'a self, block: &'a Block) -> impl Iterator<Item = &'a Part> {
        let near = move |row: &Range<usize>| {
            let parts = &self.parts[row.clone()];
            let Some(axis) = self.along else {
                return parts;
            };
            let (first, end) = block.bounds()[axis];
            let bounds = |part: &Part| part.block.bounds()[axis];
            let start = parts.partition_point(|part| bounds(part).1 <= first);
            let end = parts.partition_point(|part| bounds(part).0 < end);
            &parts[start..end.max(start)]
        };
        let parts = self.rows.iter().flat_map(near);
        parts.filter(|part| part.block.meet(block).is_some())
    }
}

/// Returns the only axis along which the parts differ.
fn along(parts: &[Part]) -> Option<usize> {
    let first = parts.first()?.block.bounds();
    let differs = |part: &Part, axis: usize| part.block.bounds()[axis] != first[axis];
    let mut axes = (0..first.len()).filter(|axis| parts.iter().any(|part| differs(part, *axis)));
    let axis = axes.next()?;
    axes.next().is_none().then_some(axis)
}

/// Splits parts into ranges that are in order along an axis.
fn rows(parts: &[Part], axis: usize) -> SmallVec<[Range<usize>; 1]> {
    let mut rows = SmallVec::new();
    let mut start = 0;
    for (at, two) in parts.windows(2).enumerate() {
        let (one, next) = (two[0].block.bounds()[axis], two[1].block.bounds()[axis]);
        if one.0 > next.0 || one.1 > next.1 {
            rows.push(start..at + 1);
            start = at + 1;
        }
    }
    rows.push(start..parts.len());
    rows
}

/// The blocks of a store that some ranks lack; all others are up to date everywhere. Their order
/// does not depend on how they came about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Pieces(Vec<Piece>);

impl Pieces {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns roughly the bytes of memory that the pieces take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }

    /// Returns the pieces of `block` that some ranks lack, each with a rank that has it, and marks
    /// the block as up to date everywhere.
    pub(crate) fn give_all(&mut self, block: &Block) -> Vec<(Block, u16)> {
        let mut came = Vec::new();
        for piece in &self.0 {
            if let Some(meet) = piece.block.meet(block) {
                came.push((meet, piece.on.nearest(0)));
            }
        }
        if !came.is_empty() {
            self.written_by_all(block);
        }
        came
    }

    /// Returns the messages by which each rank receives the missing elements of its part, and marks
    /// the parts as up to date there. `size` is the number of ranks.
    pub(crate) fn give_each(&mut self, parts: &Parts, size: u16) -> Vec<Sent> {
        let mut moved = Vec::new();
        let mut pieces = Vec::with_capacity(self.0.len());
        for piece in self.0.drain(..) {
            let lacking = parts.meeting(&piece.block);
            let arriving = lacking.filter_map(|part| {
                let block = piece.block.meet(&part.block)?;
                let to = part.rank;
                (!piece.on.has(to)).then_some(Part { rank: to, block })
            });
            let arriving: SmallVec<[Part; 4]> = arriving.collect();
            moved.extend(arriving.iter().map(|part| Sent {
                block: part.block.clone(),
                from: piece.on.nearest(part.rank),
                to: part.rank,
            }));
            match parts.along {
                Some(axis) if is_across(&piece.block, &arriving, axis) => {
                    arrive_along(piece, &arriving, axis, &mut pieces);
                }
                _ => {
                    let mut fragments: SmallVec<[Piece; 4]> = smallvec![piece];
                    for part in &arriving {
                        fragments = arrive(fragments, part);
                    }
                    pieces.extend(fragments);
                }
            }
        }
        pieces.retain(|piece| piece.on.0.len() < usize::from(size));
        self.0 = pieces;
        if !moved.is_empty() {
            self.tidy();
        }
        // A stable sort: messages to one rank stay in the order of the pieces.
        moved.sort_by_key(|moved| moved.to);
        moved
    }

    /// Marks a block as written by every rank.
    pub(crate) fn written_by_all(&mut self, block: &Block) {
        let mut rest = Vec::new();
        let mut pieces = Vec::with_capacity(self.0.len());
        for piece in self.0.drain(..) {
            piece.block.without(block, &mut rest);
            pieces.extend(rest.drain(..).map(|block| Piece {
                block,
                on: piece.on.clone(),
            }));
        }
        self.0 = pieces;
        self.tidy();
    }

    /// Marks each part as written by its rank. `size` is the number of ranks.
    pub(crate) fn written_by_each(&mut self, parts: &Parts, size: u16) {
        let mut pieces = Vec::with_capacity(self.0.len() + parts.parts.len());
        let mut rest: Vec<Block> = Vec::new();
        for piece in self.0.drain(..) {
            let mut blocks = vec![piece.block.clone()];
            for part in parts.meeting(&piece.block) {
                for block in blocks.drain(..) {
                    block.without(&part.block, &mut rest);
                }
                std::mem::swap(&mut blocks, &mut rest);
            }
            pieces.extend(blocks.into_iter().map(|block| Piece {
                block,
                on: piece.on.clone(),
            }));
        }
        if size > 1 {
            pieces.extend(parts.iter().map(|part| Piece {
                block: part.block.clone(),
                on: Holders(smallvec![part.rank]),
            }));
        }
        self.0 = pieces;
        self.tidy();
    }

    /// Joins pieces whose union is a block, and sorts all.
    fn tidy(&mut self) {
        let axes = self.0.first().map_or(0, |piece| piece.block.bounds().len());
        for axis in (0..axes).rev() {
            let other = |piece: &Piece| {
                let mut bounds: SmallVec<[(usize, usize); 3]> = piece.block.bounds().into();
                let along = std::mem::take(&mut bounds[axis]);
                (piece.on.clone(), bounds, along)
            };
            self.0.sort_by_cached_key(other);
            self.0.dedup_by(|next, piece| {
                let joined = (piece.on == next.on)
                    .then(|| piece.block.join(&next.block))
                    .flatten();
                match joined {
                    Some(block) => {
                        piece.block = block;
                        true
                    }
                    None => false,
                }
            });
        }
        self.0.sort();
    }
}

/// Whether parts of a block differ from it along one axis only.
fn is_across(block: &Block, parts: &[Part], axis: usize) -> bool {
    parts.iter().all(|part| {
        let both = block.bounds().iter().zip(part.block.bounds()).enumerate();
        both.filter(|(at, _)| *at != axis)
            .all(|(_, (own, of_part))| own == of_part)
    })
}

/// Splits a piece along an axis by the ranks that have it after `parts` have arrived, which differ
/// from it along that axis only. One pass over the ends of the parts, of which there may be very
/// many.
fn arrive_along(piece: Piece, parts: &[Part], axis: usize, pieces: &mut Vec<Piece>) {
    if parts.is_empty() {
        return pieces.push(piece);
    }
    let (first, end) = piece.block.bounds()[axis];
    let mut changes: Vec<(usize, bool, u16)> = Vec::with_capacity(2 * parts.len());
    for part in parts {
        let (first, end) = part.block.bounds()[axis];
        changes.extend([(first, true, part.rank), (end, false, part.rank)]);
    }
    changes.sort_unstable();
    let (mut at, mut holders) = (first, piece.on.clone());
    let mut changes = changes.into_iter().peekable();
    while at < end {
        while let Some((_, comes, rank)) = changes.next_if(|(place, _, _)| *place <= at) {
            match comes {
                true => holders.add(rank),
                false => holders.remove(rank),
            }
        }
        let next = changes.peek().map_or(end, |(place, _, _)| *place);
        pieces.push(Piece {
            block: piece.block.with(axis, (at, next)),
            on: holders.clone(),
        });
        at = next;
    }
}

/// Adds the rank of a part to the fragments of a piece that the part contains.
fn arrive(fragments: SmallVec<[Piece; 4]>, part: &Part) -> SmallVec<[Piece; 4]> {
    let mut after = SmallVec::new();
    let mut rest = Vec::new();
    for fragment in fragments {
        let Some(meet) = fragment.block.meet(&part.block) else {
            after.push(fragment);
            continue;
        };
        fragment.block.without(&meet, &mut rest);
        after.extend(rest.drain(..).map(|block| Piece {
            block,
            on: fragment.on.clone(),
        }));
        let mut on = fragment.on;
        on.add(part.rank);
        after.push(Piece { block: meet, on });
    }
    after
}

#[cfg(test)]
mod tests;
