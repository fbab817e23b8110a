//! A cache of the messages of operations.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use crate::exchange::find;
use crate::pieces::Pieces;
use crate::spread::State;
use crate::{Access, Cuts, Exchange, Layout, Projection, Ranks, Shape, Spread, Transfer, Used};

/// The most exchanges that are cached; beyond that the cache is cleared.
const KEPT: usize = 4096;
/// The most bytes that cached exchanges take, roughly: exact images can have very many pieces.
const KEPT_BYTES: usize = 512 << 20;

/// The spreads of an operation's stores.
pub trait Spreads {
    /// Returns the spread of an operand's store.
    fn get(&self, operand: usize) -> Spread;
    /// Sets the spread of an operand's store from now on.
    fn set(&mut self, operand: usize, spread: Spread);
}

/// The messages of the operations of a run.
///
/// The messages of an operation follow from its views, its cut, and the spreads of its stores. A
/// known combination is looked up, so the cost does not grow with the number of ranks.
#[derive(Debug, Default)]
pub struct Exchanges {
    ranks: Ranks,
    only: Option<u16>,
    cache: FxHashMap<u64, Vec<CachedExchange>>,
    count: usize,
    bytes: usize,
    /// All spreads other than "everywhere", by their pieces.
    states: FxHashSet<ByPieces>,
    next: u64,
    hits: u64,
}

/// An operation whose messages are in the cache.
#[derive(Debug)]
struct CachedExchange {
    shape: Shape,
    cuts: Cuts,
    may_share: bool,
    used: SmallVec<[OperandKey; 4]>,
    exchange: Exchange,
}

/// The properties of an operand that decide its messages.
#[derive(Debug, PartialEq)]
struct OperandKey {
    operand: usize,
    /// The first operand that is a view of this store.
    like: usize,
    shape: Shape,
    layout: Layout,
    access: Access,
    projection: Projection,
    spread: u64,
}

impl Exchanges {
    /// Creates the cache of one rank, which lists only messages that this rank sends or receives.
    pub fn of_rank(ranks: Ranks) -> Exchanges {
        Exchanges::new(ranks, Some(ranks.rank))
    }

    /// Creates a cache that lists the messages of all ranks.
    pub fn of_all(ranks: u16) -> Exchanges {
        let ranks = Ranks {
            rank: 0,
            size: ranks,
        };
        Exchanges::new(ranks, None)
    }

    fn new(ranks: Ranks, only: Option<u16>) -> Exchanges {
        Exchanges {
            ranks,
            only,
            cache: FxHashMap::default(),
            count: 0,
            bytes: 0,
            states: FxHashSet::default(),
            next: 0,
            hits: 0,
        }
    }

    /// Returns the number of exchanges that were computed, because they were not in the cache.
    pub fn worked_out(&self) -> u64 {
        self.hits
    }

    /// Returns the messages of an operation over `shape`, and updates the spreads of its stores.
    /// `may_share` is whether ranks can share out its tiles.
    pub fn exchange(
        &mut self,
        used: &[Used<'_>],
        shape: &Shape,
        may_share: bool,
        cuts: &Cuts,
        spreads: &mut impl Spreads,
    ) -> Exchange {
        let before: SmallVec<[Spread; 4]> =
            used.iter().map(|used| spreads.get(used.operand)).collect();
        let is_all = before.iter().all(Spread::is_everywhere);
        if is_all && !(may_share && cuts.tiles() > 1) {
            return Exchange::default();
        }
        let hash = hash(used, shape, may_share, cuts, &before);
        let exchange = match self.look_up(hash, used, shape, may_share, cuts, &before) {
            Some(known) => known.exchange.clone(),
            None => self.work_out(hash, used, shape, may_share, cuts, &before),
        };
        for (operand, spread) in &exchange.after {
            spreads.set(*operand, spread.clone());
        }
        exchange
    }

    fn look_up(
        &self,
        hash: u64,
        used: &[Used<'_>],
        shape: &Shape,
        may_share: bool,
        cuts: &Cuts,
        before: &[Spread],
    ) -> Option<&CachedExchange> {
        self.cache.get(&hash)?.iter().find(|known| {
            let operands = used.iter().zip(before).zip(&known.used);
            known.may_share == may_share
                && known.cuts == *cuts
                && known.shape == *shape
                && known.used.len() == used.len()
                && operands.into_iter().all(|((used_here, spread), key)| {
                    key.spread == spread.id()
                        && key.operand == used_here.operand
                        && key.access == used_here.access
                        && key.projection == *used_here.projection
                        && key.like == like(used, used_here)
                        && key.layout == *used_here.layout
                        && key.shape == *used_here.shape
                })
        })
    }

    fn work_out(
        &mut self,
        hash: u64,
        used: &[Used<'_>],
        shape: &Shape,
        may_share: bool,
        cuts: &Cuts,
        before: &[Spread],
    ) -> Exchange {
        self.hits += 1;
        if self.count >= KEPT || self.bytes >= KEPT_BYTES {
            self.cache.clear();
            self.states.clear();
            (self.count, self.bytes) = (0, 0);
        }
        let pieces = |operand: usize| {
            let at = used.iter().position(|used| used.operand == operand);
            at.map_or_else(Pieces::default, |at| before[at].pieces())
        };
        let found = find(used, shape, may_share, cuts, self.ranks, self.only, pieces);
        let after = found.after.into_iter().filter_map(|(store, pieces)| {
            let of = used.iter().position(|used| used.store == store)?;
            let spread = self.spread(pieces);
            (spread.id() != before[of].id()).then_some((used[of].operand, spread))
        });
        let exchange = Exchange {
            after: after.collect(),
            is_shared: found.is_shared,
            transfers: found.transfers.into(),
            gathers: found.gathers.into(),
        };
        let keys = used.iter().zip(before).map(|(here, spread)| OperandKey {
            operand: here.operand,
            like: like(used, here),
            shape: *here.shape,
            layout: *here.layout,
            access: here.access,
            projection: here.projection.clone(),
            spread: spread.id(),
        });
        self.count += 1;
        let runs = used.iter().map(|used| used.projection.image_bytes());
        let moved = exchange.transfers.iter().map(Transfer::bytes);
        self.bytes += runs.chain(moved).sum::<usize>();
        self.cache.entry(hash).or_default().push(CachedExchange {
            shape: *shape,
            cuts: *cuts,
            may_share,
            used: keys.collect(),
            exchange: exchange.clone(),
        });
        exchange
    }

    /// Returns the only spread with these pieces.
    fn spread(&mut self, pieces: Pieces) -> Spread {
        if pieces.is_empty() {
            return Spread::default();
        }
        if let Some(ByPieces(state)) = self.states.get(&pieces) {
            return Spread::new(state.clone());
        }
        self.bytes += pieces.bytes();
        let state = Arc::new(State {
            id: self.next + 1,
            pieces,
        });
        self.next += 1;
        self.states.insert(ByPieces(state.clone()));
        Spread::new(state)
    }
}

/// A state that is looked up by its pieces.
#[derive(Debug)]
struct ByPieces(Arc<State>);

impl Borrow<Pieces> for ByPieces {
    fn borrow(&self) -> &Pieces {
        &self.0.pieces
    }
}

impl PartialEq for ByPieces {
    fn eq(&self, other: &ByPieces) -> bool {
        self.0.pieces == other.0.pieces
    }
}

impl Eq for ByPieces {}

impl Hash for ByPieces {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.pieces.hash(state);
    }
}

/// Returns the first operand that is a view of the same store.
fn like(used: &[Used<'_>], of: &Used<'_>) -> usize {
    let first = used.iter().position(|used| used.store == of.store);
    first.unwrap_or(0)
}

fn hash(used: &[Used<'_>], shape: &Shape, may_share: bool, cuts: &Cuts, before: &[Spread]) -> u64 {
    let mut hasher = FxHasher::default();
    (may_share, shape.dims(), cuts.tiles(), used.len()).hash(&mut hasher);
    for (used, spread) in used.iter().zip(before) {
        let layout = used.layout;
        if used.projection.has_image() {
            used.projection.hash(&mut hasher);
        }
        spread.id().hash(&mut hasher);
        layout.offset.hash(&mut hasher);
        for (extent, stride) in layout.shape.dims().iter().zip(&layout.strides) {
            (extent, stride).hash(&mut hasher);
        }
    }
    hasher.finish()
}
