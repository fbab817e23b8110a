//! The messages that an operation needs.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::pieces::{Part, Parts, Pieces, Sent};
use crate::{
    Access, Along, Block, Cut, Cuts, Image, Layout, Projection, Ranks, Region, Rest, Shape, Spread,
};

/// A view of a store that an operation works on.
#[derive(Clone, Copy, Debug)]
pub struct Used<'a> {
    /// The caller's number of the operand.
    pub operand: usize,
    /// The number of the store.
    pub store: u64,
    /// The shape of the store.
    pub shape: &'a Shape,
    /// The view's elements.
    pub layout: &'a Layout,
    /// The operation's access to each.
    pub access: Access,
    /// The part of them that a tile works on.
    pub projection: &'a Projection,
}

/// Elements of a store that go from one rank to another before an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// An operand that is a view of the store.
    pub operand: usize,
    /// The block that contains the elements.
    pub block: Block,
    /// The part of the block that is moved; `None` for all of it.
    pub moved: Option<Moved>,
    /// The sender.
    pub from: u16,
    /// The receiver.
    pub to: u16,
}

/// The indices along one axis of a block that a transfer moves, if not all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moved {
    /// The axis.
    pub axis: usize,
    /// The indices, counted from the first one of the block, as an image of one tile.
    pub runs: Arc<Image>,
}

impl Moved {
    /// Returns the moved part of the block as the projection of an operation in one tile.
    pub fn projection(&self) -> Projection {
        let before = std::iter::repeat_n(Along::Whole, self.axis);
        let listed = before.chain([Along::Image(self.runs.clone())]);
        Projection::of_axes(listed, Rest::Whole)
    }
}

impl Transfer {
    /// Returns the number of elements that are moved.
    pub fn elements(&self) -> usize {
        let Some(Moved { axis, runs }) = &self.moved else {
            return self.block.len();
        };
        self.block.with(*axis, (0, runs.indices_of(0))).len()
    }

    /// Returns roughly the bytes of memory that this value takes.
    pub(crate) fn bytes(&self) -> usize {
        let runs = self.moved.as_ref().map_or(0, |moved| moved.runs.bytes());
        size_of::<Transfer>() + runs
    }

    /// Whether an element of `block` is moved.
    pub fn meets(&self, block: &Block) -> bool {
        let Some(meet) = self.block.meet(block) else {
            return false;
        };
        self.moved.as_ref().is_none_or(|Moved { axis, runs }| {
            let (first, end) = meet.within(&self.block).bounds()[*axis];
            let runs = runs.of_tile(0);
            let at = runs.partition_point(|run| run.1 <= first);
            runs.get(at).is_some_and(|run| run.0 < end)
        })
    }
}

/// Elements of a store that every rank receives before an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gather {
    /// An operand that is a view of the store.
    pub operand: usize,
    /// The block that is up to date on every rank afterwards.
    pub block: Block,
    /// The disjoint parts of the block that are sent to all ranks, each with its sender.
    pub pieces: Arc<[(Block, u16)]>,
}

/// The messages of an operation, in an order that is the same on every rank.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Whether the ranks share out the tiles of the operation; otherwise each rank runs all of
    /// them.
    pub is_shared: bool,
    /// Messages from one rank to another.
    pub transfers: Arc<[Transfer]>,
    /// Messages to all ranks.
    pub gathers: Arc<[Gather]>,
    /// For each operand, where its store is up to date afterwards.
    pub(super) after: SmallVec<[(usize, Spread); 2]>,
}

/// The parts of an operand on all ranks.
enum Parted {
    /// Every rank works on this block; the flag is whether it works on all of the block's elements.
    All(Block, bool),
    /// Some ranks work on their own parts; the flag is whether parts contain all elements of
    /// their blocks.
    Each(Parts, bool),
    /// No rank touches an element.
    None,
}

/// The messages of an operation, and the pieces of its stores afterwards.
pub(super) struct ExchangePlan {
    pub(super) is_shared: bool,
    pub(super) transfers: Vec<Transfer>,
    pub(super) gathers: Vec<Gather>,
    /// The pieces of each store, by its number.
    pub(super) after: Vec<(u64, Pieces)>,
}

/// Computes the messages of an operation over `shape`. `before` returns the pieces of an operand's
/// store. If `only` is given, messages between two ranks are listed only if that rank sends or
/// receives them.
pub(super) fn find(
    used: &[Used<'_>],
    shape: &Shape,
    may_share: bool,
    cuts: &Cuts,
    ranks: Ranks,
    only: Option<u16>,
    before: impl Fn(usize) -> Pieces,
) -> ExchangePlan {
    let may_share = may_share && cuts.tiles() > 1;
    let shared = may_share
        .then(|| shared(used, shape, cuts, ranks))
        .flatten();
    let is_shared = shared.is_some();
    let parts = shared.unwrap_or_else(|| {
        let cut = cuts.all();
        let all = used.iter().map(|used| match block_of(used, shape, &cut) {
            Some((block, is_exact)) => Parted::All(block, is_exact),
            None => Parted::None,
        });
        all.collect()
    });
    let mut found = ExchangePlan {
        is_shared,
        transfers: Vec::new(),
        gathers: Vec::new(),
        after: Vec::new(),
    };
    for (used, part) in used.iter().zip(&parts) {
        let (Parted::All(_, is_exact) | Parted::Each(_, is_exact)) = part else {
            continue;
        };
        if used.access == Access::Write && *is_exact {
            continue;
        }
        read(&mut found, used, part, ranks, only, &before);
    }
    for (used, part) in used.iter().zip(&parts) {
        if used.access == Access::Read {
            continue;
        }
        let pieces = pieces_of(&mut found.after, used, &before);
        match part {
            Parted::All(block, _) => pieces.written_by_all(block),
            Parted::Each(parts, _) => pieces.written_by_each(parts, ranks.size),
            Parted::None => {}
        }
    }
    found
}

fn pieces_of<'a>(
    after: &'a mut Vec<(u64, Pieces)>,
    used: &Used<'_>,
    before: impl Fn(usize) -> Pieces,
) -> &'a mut Pieces {
    let at = match after.iter().position(|(known, _)| *known == used.store) {
        Some(at) => at,
        None => {
            after.push((used.store, before(used.operand)));
            after.len() - 1
        }
    };
    &mut after[at].1
}

fn read(
    found: &mut ExchangePlan,
    used: &Used<'_>,
    part: &Parted,
    ranks: Ranks,
    only: Option<u16>,
    before: impl Fn(usize) -> Pieces,
) {
    let pieces = pieces_of(&mut found.after, used, before);
    if pieces.is_empty() {
        return;
    }
    let all = match part {
        Parted::All(block, _) => block,
        Parted::Each(parts, _) => match parts.same() {
            Some(block) => block,
            None => {
                let moved = pieces.give_each(parts, ranks.size);
                let is_wanted = |rank| only.is_none_or(|only| only == rank);
                let moved = moved
                    .into_iter()
                    .filter(|moved| is_wanted(moved.from) || is_wanted(moved.to));
                let operand = used.operand;
                match parts.along().filter(|_| parts.are_several()) {
                    Some(axis) => found.transfers.extend(packed(operand, moved, axis)),
                    None => found.transfers.extend(moved.map(|moved| Transfer {
                        operand,
                        block: moved.block,
                        moved: None,
                        from: moved.from,
                        to: moved.to,
                    })),
                }
                return;
            }
        },
        Parted::None => return,
    };
    let came = pieces.give_all(all);
    if !came.is_empty() {
        found.gathers.push(Gather {
            operand: used.operand,
            block: all.clone(),
            pieces: came.into(),
        });
    }
}

/// Combines blocks that differ along one axis only into one message for each pair of ranks. There
/// may be very many of them, and small ones.
fn packed(operand: usize, moved: impl Iterator<Item = Sent>, axis: usize) -> Vec<Transfer> {
    let place = |moved: &Sent| {
        let across = moved.block.with(axis, (0, 0));
        (moved.to, moved.from, across, moved.block.bounds()[axis])
    };
    let mut moved: Vec<Sent> = moved.collect();
    moved.sort_by_cached_key(place);
    let is_one = |one: &Sent, other: &Sent| {
        let of = |moved: &Sent| (moved.to, moved.from, moved.block.with(axis, (0, 0)));
        of(one) == of(other)
    };
    let messages = moved.chunk_by(is_one).filter_map(|blocks| {
        let along = |moved: &Sent| moved.block.bounds()[axis];
        let one = blocks.first()?;
        let (start, _) = along(one);
        let runs = blocks.iter().map(|moved| {
            let (first, end) = along(moved);
            (first - start, end - start)
        });
        let runs = Image::new([runs]);
        let (_, length) = runs.bounds(0..1);
        Some(Transfer {
            operand,
            block: one.block.with(axis, (start, start + length)),
            moved: runs.has_gaps(0..1).then(|| Moved {
                axis,
                runs: Arc::new(runs),
            }),
            from: one.from,
            to: one.to,
        })
    });
    messages.collect()
}

/// Returns the part of each operand for each rank, if the tiles are shared out; `None` if two ranks
/// might write the same elements.
fn shared(used: &[Used<'_>], shape: &Shape, cuts: &Cuts, ranks: Ranks) -> Option<Vec<Parted>> {
    let own: Vec<(u16, Cut)> = (0..ranks.size)
        .filter_map(|rank| {
            let own = cuts.of_rank(Ranks { rank, ..ranks });
            (own.count() > 0).then(|| (rank, own.all()))
        })
        .collect();
    let blocks = |used: &Used<'_>, of: &dyn Fn(&Cut) -> SmallVec<[Layout; 1]>| {
        let mut all_exact = true;
        let mut parts: Vec<Part> = Vec::new();
        for (rank, cut) in &own {
            for piece in of(cut) {
                if let Some((block, is_exact)) = block_around(&piece, used.shape) {
                    all_exact &= is_exact;
                    parts.push(Part { rank: *rank, block });
                }
            }
        }
        (Parts::new(parts), all_exact)
    };
    let parted = |used: &Used<'_>| {
        let (layout, projection) = (used.layout, used.projection);
        let (mut parts, mut is_exact) = blocks(used, &|cut| projection.pieces(layout, shape, cut));
        // Runs that are not rows of blocks cannot be sent together, so the elements between them
        // are sent too.
        if parts.are_several() && parts.along().is_none() {
            let whole = |cut: &Cut| SmallVec::from_iter([projection.part(layout, shape, cut)]);
            (parts, is_exact) = blocks(used, &whole);
        }
        match parts.is_empty() {
            true => Parted::None,
            false => Parted::Each(parts, is_exact),
        }
    };
    let parts: Vec<Parted> = used.iter().map(parted).collect();
    let written: SmallVec<[(u64, &Parts); 2]> = used
        .iter()
        .zip(&parts)
        .filter_map(|(used, part)| match part {
            Parted::Each(parts, _) if used.access != Access::Read => Some((used.store, parts)),
            _ => None,
        })
        .collect();
    let meets = written.iter().enumerate().any(|(at, (store, parts))| {
        let mut others = written[at + 1..].iter().filter(|(other, _)| other == store);
        parts.meet()
            || others.any(|(_, other)| {
                let both = parts.iter().chain(other.iter()).cloned();
                let mut both: Vec<Part> = both.collect();
                both.sort_by_key(|part| part.rank);
                different_meet(&both)
            })
    });
    drop(written);
    (!meets).then_some(parts)
}

/// Whether parts of different ranks overlap.
fn different_meet(parts: &[Part]) -> bool {
    parts.iter().enumerate().any(|(at, one)| {
        let others = parts[at + 1..]
            .iter()
            .filter(|other| other.rank != one.rank);
        others
            .into_iter()
            .any(|other| one.block.meet(&other.block).is_some())
    })
}

/// Returns a block that contains the part of an operand, and whether the block has no other
/// elements.
fn block_of(used: &Used<'_>, shape: &Shape, cut: &Cut) -> Option<(Block, bool)> {
    block_around(&used.projection.part(used.layout, shape, cut), used.shape)
}

/// Returns a block that contains a view of a store, and whether the block has no other elements.
fn block_around(view: &Layout, store: &Shape) -> Option<(Block, bool)> {
    Some(Region::of(view, store)?.block(store))
}

#[cfg(test)]
mod tests;
