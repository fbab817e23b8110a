//! Which messages an operation needs.

use std::sync::Arc;

use super::{Block, Ranks};
use crate::memory::{Region, Store};
use crate::operation::{Operand, Operation};
use crate::partition::Cuts;
use crate::task::Access;

/// Elements of a store that go from one rank to another before an operation.
pub(crate) struct Transfer {
    pub(crate) store: Arc<Store>,
    pub(crate) block: Block,
    pub(crate) from: u16,
    pub(crate) to: u16,
}

/// An operand's part of what one rank does.
struct Part<'a> {
    store: &'a Arc<Store>,
    access: Access,
    /// `None`: every rank.
    rank: Option<u16>,
    block: Block,
    /// Whether it is every element of the block.
    is_exact: bool,
}

/// Finds the messages that an operation needs, in an order that is the same on every rank, and notes what every rank has
/// then. The second that comes back is whether its tiles are shared out: otherwise every rank does them all.
pub(crate) fn exchange(operation: &Operation, cuts: &Cuts, ranks: Ranks) -> (Vec<Transfer>, bool) {
    let shared = cuts.tiles() > 1 && operation.body.can_be_shared();
    let mut parts = shared
        .then(|| shared_parts(operation, cuts, ranks))
        .flatten();
    let is_shared = parts.is_some();
    let parts = parts.get_or_insert_with(|| parts_of(operation, &cuts.all(), None));
    let mut transfers = Vec::new();
    for part in parts.iter() {
        if part.access == Access::Write && part.is_exact {
            continue;
        }
        let readers = match part.rank {
            Some(rank) => rank..rank + 1,
            None => 0..ranks.size,
        };
        let mut spread = part.store.spread();
        for to in readers {
            let lacking = spread.lacking(&part.block, to);
            if lacking.is_empty() {
                continue;
            }
            spread.arrives(&part.block, to);
            transfers.extend(lacking.into_iter().map(|(block, from)| Transfer {
                store: part.store.clone(),
                block,
                from,
                to,
            }));
        }
    }
    for part in parts.iter().filter(|part| part.access != Access::Read) {
        let mut spread = part.store.spread();
        spread.written(&part.block, part.rank, ranks.size);
    }
    (transfers, is_shared)
}

/// What each rank does of an operation whose tiles are shared out; `None` where two might write the same elements.
fn shared_parts<'a>(operation: &'a Operation, cuts: &Cuts, ranks: Ranks) -> Option<Vec<Part<'a>>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    for rank in 0..ranks.size {
        let own = cuts.of_rank(Ranks { rank, ..ranks });
        if own.count() > 0 {
            parts.extend(parts_of(operation, &own.all(), Some(rank)));
        }
    }
    let written = || parts.iter().filter(|part| part.access != Access::Read);
    let meets = written().any(|one| {
        written().any(|other| {
            one.rank < other.rank
                && Arc::ptr_eq(one.store, other.store)
                && one.block.meet(&other.block).is_some()
        })
    });
    (!meets).then_some(parts)
}

fn parts_of<'a>(
    operation: &'a Operation,
    cut: &crate::partition::Cut,
    rank: Option<u16>,
) -> Vec<Part<'a>> {
    let operands = operation.operands.iter().enumerate();
    let parts = operands.filter_map(|(index, operand)| {
        let Operand::Array { store, access, .. } = operand else {
            return None;
        };
        let region = Region::of(&operation.part(index, cut)?, &store.shape)?;
        let (block, is_exact) = region.block(&store.shape);
        Some(Part {
            store,
            access: *access,
            rank,
            block,
            is_exact,
        })
    });
    parts.collect()
}
