//! Which messages a program's operations need on so many ranks.

use super::program::{Step, Stored};
use rustc_hash::FxHashMap;
use std::time::Instant;
use weft_geometry::{Block, Cuts, Ranks, Shape, Spread, Spreads, Used, exchange};

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
    spreads: FxHashMap<u64, Spread>,
}

/// The stores of one operation.
struct Of<'a>(&'a mut FxHashMap<u64, Spread>, &'a Step);

impl Spreads for Of<'_> {
    fn with<R>(&mut self, operand: usize, then: impl FnOnce(&mut Spread) -> R) -> R {
        let store = self.1.views.get(operand).map_or(0, |view| view.store);
        then(self.0.entry(store).or_default())
    }
}

impl Traffic {
    pub(super) fn new(size: u16) -> Traffic {
        Traffic {
            size,
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
        let ranks = Ranks {
            rank: 0,
            size: self.size,
        };
        let mut of = Of(&mut self.spreads, step);
        let start = Instant::now();
        let (transfers, is_shared) = exchange(&used, step.may_share, cuts, ranks, &mut of);
        let nanos = start.elapsed().as_nanos() as f64;
        let moves = transfers.into_iter().map(|transfer| {
            let elements: usize = transfer
                .block
                .bounds()
                .iter()
                .map(|(first, end)| end - first)
                .product();
            let store = step.views[transfer.operand].store;
            Move {
                view: transfer.operand,
                bytes: elements as u64 * stored(store).element,
                block: transfer.block,
                from: transfer.from,
                to: transfer.to,
            }
        });
        Needs {
            moves: moves.collect(),
            is_shared,
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
