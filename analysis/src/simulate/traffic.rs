//! The messages that a program's operations need on a given number of ranks.

use super::program::{SimulatedOperation, Stored};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_geometry::{Cuts, Exchanges, Ranks, Shape, Spread, Spreads, Transfer, Used};

/// Elements that go from one rank to another.
#[derive(Debug)]
pub(super) struct Move {
    /// The operand, elements and ranks of the move.
    pub(super) what: Transfer,
    pub(super) bytes: u64,
}

/// Elements that every rank gets.
#[derive(Debug)]
pub(super) struct ToAll {
    /// Index of the operation's view of the store.
    pub(super) view: usize,
    /// Number of bytes that each rank sends to all others.
    pub(super) sent: Vec<(u16, u64)>,
}

/// The way in which the messages of an operation are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExchangeLookup {
    /// The messages of an equal operation were looked up.
    Cached,
    /// The messages were computed.
    New,
}

/// The needs of one operation.
#[derive(Debug, Default)]
pub(super) struct Needs {
    pub(super) moves: Vec<Move>,
    /// The transfers behind the moves: one list shared by all equal operations in equal states.
    pub(super) transfers: Arc<[Transfer]>,
    pub(super) gathers: Vec<ToAll>,
    /// Whether its tiles are shared between ranks; otherwise every rank runs all of them.
    pub(super) is_shared: bool,
    /// The method by which each rank found the messages; `None` on a single rank.
    pub(super) found: Option<ExchangeLookup>,
}

impl Needs {
    /// Whether there is nothing to send.
    pub(super) fn is_silent(&self) -> bool {
        self.moves.is_empty() && self.gathers.is_empty()
    }

    /// Returns the number of messages and bytes on `ranks` ranks: a gather is one message to each
    /// other rank.
    pub(super) fn sum(&self, ranks: u64) -> (u64, u64) {
        let bytes: u64 = self.moves.iter().map(|one| one.bytes).sum();
        let pieces = self.gathers.iter().flat_map(|gather| &gather.sent);
        let others = ranks - 1;
        pieces.fold((self.moves.len() as u64, bytes), |sum, (_, bytes)| {
            (sum.0 + others, sum.1 + bytes * others)
        })
    }

    /// Calls `with` with sender, receiver and bytes of each message between `ranks` ranks.
    pub(super) fn for_each_message(&self, ranks: u16, mut with: impl FnMut(u16, u16, u64)) {
        for one in &self.moves {
            with(one.what.from, one.what.to, one.bytes);
        }
        for (from, bytes) in self.gathers.iter().flat_map(|gather| &gather.sent) {
            for to in (0..ranks).filter(|to| to != from) {
                with(*from, to, *bytes);
            }
        }
    }
}

/// The distribution of the stores' elements, as every rank knows it.
pub(super) struct Traffic {
    size: u16,
    exchanges: Exchanges,
    spreads: FxHashMap<u64, Spread>,
}

/// The stores of one operation.
struct OperandSpreads<'a>(&'a mut FxHashMap<u64, Spread>, &'a SimulatedOperation);

impl OperandSpreads<'_> {
    fn store(&self, operand: usize) -> u64 {
        self.1.views.get(operand).map_or(0, |view| view.store)
    }
}

impl Spreads for OperandSpreads<'_> {
    fn get(&self, operand: usize) -> Spread {
        self.0
            .get(&self.store(operand))
            .cloned()
            .unwrap_or_default()
    }

    fn set(&mut self, operand: usize, spread: Spread) {
        self.0.insert(self.store(operand), spread);
    }
}

impl Traffic {
    /// Creates the traffic of all of `size` ranks.
    pub(super) fn new(size: u16) -> Traffic {
        Traffic::with_exchanges(size, Exchanges::of_all(size))
    }

    /// Creates the part that the first of `size` ranks computes itself.
    pub(super) fn of_first(size: u16) -> Traffic {
        Traffic::with_exchanges(size, Exchanges::of_rank(Ranks { rank: 0, size }))
    }

    fn with_exchanges(size: u16, exchanges: Exchanges) -> Traffic {
        Traffic {
            size,
            exchanges,
            spreads: FxHashMap::default(),
        }
    }

    /// Returns the needs of the next operation of the program.
    pub(super) fn next(
        &mut self,
        step: &SimulatedOperation,
        stores: &FxHashMap<u64, Stored>,
        cuts: &Cuts,
    ) -> Needs {
        if self.size == 1 {
            return Needs::default();
        }
        let stored = |store: u64| stores.get(&store).copied().unwrap_or(UNKNOWN);
        let shapes: Vec<Shape> = step
            .views
            .iter()
            .map(|view| stored(view.store).shape)
            .collect();
        let views = step.views.iter().zip(&shapes).enumerate();
        let used: Vec<Used<'_>> = views
            .map(|(operand, (view, shape))| Used {
                operand,
                store: view.store,
                shape,
                layout: &view.layout,
                access: view.access,
                projection: &view.projection,
            })
            .collect();
        let mut of = OperandSpreads(&mut self.spreads, step);
        let before = self.exchanges.worked_out();
        let exchange = self
            .exchanges
            .exchange(&used, &step.shape, step.may_share, cuts, &mut of);
        let found = match self.exchanges.worked_out() > before {
            true => ExchangeLookup::New,
            false => ExchangeLookup::Cached,
        };
        let element = |view: usize| stored(step.views[view].store).element;
        let moves = exchange.transfers.iter().map(|transfer| Move {
            bytes: transfer.elements() as u64 * element(transfer.operand),
            what: transfer.clone(),
        });
        let gathers = exchange.gathers.iter().map(|gather| {
            // A rank's pieces are one message to each other rank.
            let mut sent: BTreeMap<u16, u64> = BTreeMap::new();
            for (block, from) in gather.pieces.iter() {
                let bytes = block.len() as u64 * element(gather.operand);
                *sent.entry(*from).or_default() += bytes;
            }
            ToAll {
                view: gather.operand,
                sent: sent.into_iter().collect(),
            }
        });
        Needs {
            moves: moves.collect(),
            transfers: exchange.transfers.clone(),
            gathers: gathers.collect(),
            is_shared: exchange.is_shared,
            found: Some(found),
        }
    }

    /// Drops a store that is no longer used.
    pub(super) fn forget(&mut self, store: u64) {
        self.spreads.remove(&store);
    }
}

/// A store whose record is missing.
const UNKNOWN: Stored = Stored {
    shape: Shape::SCALAR,
    element: 0,
};
