//! Which messages an operation needs.

use crate::{Access, Block, Cut, Cuts, Follow, Layout, Ranks, Region, Shape, Spread};

/// A view of a store that an operation works on.
#[derive(Clone, Copy, Debug)]
pub struct Used<'a> {
    /// What the caller knows it by.
    pub operand: usize,
    /// Which store: the same number for the same store.
    pub store: u64,
    /// The shape of the store.
    pub shape: &'a Shape,
    /// Which elements of it.
    pub layout: &'a Layout,
    /// What is done with them.
    pub access: Access,
    /// Which part of them a tile works on.
    pub follow: Follow,
}

/// Where the elements of an operation's stores are.
pub trait Spreads {
    /// Looks at, or changes, where the elements of an operand's store are.
    fn with<R>(&mut self, operand: usize, then: impl FnOnce(&mut Spread) -> R) -> R;
}

/// Elements of a store that go from one rank to another before an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// An operand that is of the store.
    pub operand: usize,
    /// Which elements.
    pub block: Block,
    /// The rank that has them.
    pub from: u16,
    /// The rank that lacks them.
    pub to: u16,
}

/// An operand's part of what one rank does.
struct Part {
    operand: usize,
    store: u64,
    access: Access,
    /// `None`: every rank.
    rank: Option<u16>,
    block: Block,
    /// Whether it is every element of the block.
    is_exact: bool,
}

/// Finds the messages that an operation needs, in an order that is the same on every rank, and notes what every rank has
/// then. `may_share` says whether ranks can share out its tiles; the second that comes back, whether they do: otherwise every
/// rank does them all.
pub fn exchange(
    used: &[Used<'_>],
    may_share: bool,
    cuts: &Cuts,
    ranks: Ranks,
    spreads: &mut impl Spreads,
) -> (Vec<Transfer>, bool) {
    let shared = cuts.tiles() > 1 && may_share;
    let mut parts = shared.then(|| shared_parts(used, cuts, ranks)).flatten();
    let is_shared = parts.is_some();
    let parts = parts.get_or_insert_with(|| parts_of(used, &cuts.all(), None).collect());
    let mut transfers = Vec::new();
    for part in parts.iter() {
        if part.access == Access::Write && part.is_exact {
            continue;
        }
        let readers = match part.rank {
            Some(rank) => rank..rank + 1,
            None => 0..ranks.size,
        };
        spreads.with(part.operand, |spread| {
            for to in readers {
                let lacking = spread.lacking(&part.block, to);
                if lacking.is_empty() {
                    continue;
                }
                spread.arrives(&part.block, to);
                transfers.extend(lacking.into_iter().map(|(block, from)| Transfer {
                    operand: part.operand,
                    block,
                    from,
                    to,
                }));
            }
        });
    }
    for part in parts.iter().filter(|part| part.access != Access::Read) {
        spreads.with(part.operand, |spread| {
            spread.written(&part.block, part.rank, ranks.size);
        });
    }
    (transfers, is_shared)
}

/// What each rank does of an operation whose tiles are shared out; `None` where two might write the same elements.
fn shared_parts(used: &[Used<'_>], cuts: &Cuts, ranks: Ranks) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for rank in 0..ranks.size {
        let own = cuts.of_rank(Ranks { rank, ..ranks });
        if own.count() > 0 {
            parts.extend(parts_of(used, &own.all(), Some(rank)));
        }
    }
    let written = || parts.iter().filter(|part| part.access != Access::Read);
    let meets = written().any(|one| {
        written().any(|other| {
            one.rank < other.rank
                && one.store == other.store
                && one.block.meet(&other.block).is_some()
        })
    });
    (!meets).then_some(parts)
}

fn parts_of(used: &[Used<'_>], cut: &Cut, rank: Option<u16>) -> impl Iterator<Item = Part> {
    used.iter().filter_map(move |used| {
        let region = Region::of(&used.follow.part(used.layout, cut), used.shape)?;
        let (block, is_exact) = region.block(used.shape);
        Some(Part {
            operand: used.operand,
            store: used.store,
            access: used.access,
            rank,
            block,
            is_exact,
        })
    })
}
