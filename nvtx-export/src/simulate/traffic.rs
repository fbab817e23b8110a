//! Which messages a program's operations need on so many ranks.

use super::program::{Step, Stored};
use rustc_hash::FxHashMap;
use std::time::Instant;
use weft_geometry::{Block, Cuts, Exchanges, Shape, Spread, Spreads, Used};

/// Elements that go from one rank to another.
#[derive(Debug)]
pub(super) struct Move {
    /// The view of the operation that is of their store.
    pub(super) view: usize,
    pub(super) block: Block,
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) bytes: u64,
}

/// What one operation needs.
#[derive(Debug, Default)]
pub(super) struct Needs {
    pub(super) moves: Vec<Move>,
    /// Whether its tiles are shared out; otherwise every rank does them all.
    pub(super) is_shared: bool,
    /// What it took to find out, which every rank does: nanoseconds.
    pub(super) nanos: f64,
}

/// Where the elements of the stores are, as every rank knows it.
pub(super) struct Traffic {
    size: u16,
    exchanges: Exchanges,
    spreads: FxHashMap<u64, Spread>,
}

/// The stores of one operation.
struct Of<'a>(&'a mut FxHashMap<u64, Spread>, &'a Step);

impl Of<'_> {
    fn store(&self, operand: usize) -> u64 {
        self.1.views.get(operand).map_or(0, |view| view.store)
    }
}

impl Spreads for Of<'_> {
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
    pub(super) fn new(size: u16) -> Traffic {
        Traffic {
            size,
            exchanges: Exchanges::of_all(size),
            spreads: FxHashMap::default(),
        }
    }

    /// What the next operation of the program needs.
    pub(super) fn next(
        &mut self,
        step: &Step,
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
                follow: view.follow,
            })
            .collect();
        let mut of = Of(&mut self.spreads, step);
        let start = Instant::now();
        let exchange = self
            .exchanges
            .exchange(&used, step.may_share, cuts, &mut of);
        let nanos = start.elapsed().as_nanos() as f64;
        let between = exchange.transfers.iter().map(|transfer| {
            let (from, to) = (transfer.from, transfer.to);
            (transfer.operand, transfer.block.clone(), from, to)
        });
        let to_all = exchange.gathers.iter().flat_map(|gather| {
            let pieces = gather.pieces.iter();
            pieces.flat_map(|(block, from)| {
                let others = (0..self.size).filter(move |to| to != from);
                others.map(|to| (gather.operand, block.clone(), *from, to))
            })
        });
        let moves = between.chain(to_all).map(|(view, block, from, to)| Move {
            view,
            bytes: block.len() as u64 * stored(step.views[view].store).element,
            block,
            from,
            to,
        });
        Needs {
            moves: moves.collect(),
            is_shared: exchange.is_shared,
            nanos,
        }
    }

    /// Forgets a store that nobody uses any more.
    pub(super) fn forget(&mut self, store: u64) {
        self.spreads.remove(&store);
    }
}

/// A store whose record is missing.
const UNKNOWN: Stored = Stored {
    shape: Shape::SCALAR,
    element: 0,
};
