use std::sync::Arc;

use super::*;
use crate::{Exchanges, Spread, Spreads, Tiling};

/// The ranks where the only store is up to date.
#[derive(Default)]
struct TestSpread(Spread);

impl Spreads for TestSpread {
    fn get(&self, _operand: usize) -> Spread {
        self.0.clone()
    }

    fn set(&mut self, _operand: usize, spread: Spread) {
        self.0 = spread;
    }
}

fn used<'a>(
    store: &'a Shape,
    layout: &'a Layout,
    access: Access,
    projection: &'a Projection,
) -> Used<'a> {
    Used {
        operand: 0,
        store: 1,
        shape: store,
        layout,
        access,
        projection,
    }
}

/// Returns the messages of two ranks for every third row of a view. Each rank has written half of
/// the store.
fn sent(store: &Shape, view: &Layout) -> Vec<Transfer> {
    let rows = view.shape.dims()[0];
    let mut exchanges = Exchanges::of_all(2);
    let mut spread = TestSpread::default();
    let whole = Layout::contiguous(*store);
    let cuts = Cuts::new(store, Tiling::Processors { work: 1 }, store.len() / 2, 2);
    let written = used(store, &whole, Access::Write, &Projection::Same);
    exchanges.exchange(&[written], store, true, &cuts, &mut spread);
    let each = |first: usize| (first..rows).step_by(3).map(|row| (row, row + 1));
    let image = Image::new([each(0), each(1)]);
    let projection = Projection::of_axes([Along::Image(Arc::new(image))], Rest::Whole);
    let task = Shape::new(&[100]).unwrap();
    let cuts = Cuts::new(&task, Tiling::Processors { work: 1 }, 50, 2);
    assert_eq!(cuts.tiles(), 2);
    let read = used(store, view, Access::Read, &projection);
    let found = exchanges.exchange(&[read], &task, true, &cuts, &mut spread);
    found.transfers.to_vec()
}

#[test]
fn sends_runs_in_one_message_for_either_direction() {
    let store = Shape::new(&[600, 4]).unwrap();
    let whole = Layout::contiguous(store);
    let backwards = whole.slice(0, None, None, -1).unwrap();
    for view in [whole, backwards] {
        let sent = sent(&store, &view);
        assert_eq!(sent.len(), 2, "{sent:?}");
        for transfer in sent {
            // A third of the other half.
            assert_eq!(transfer.elements(), 100 * 4);
            assert_eq!(transfer.moved.as_ref().map(|moved| moved.axis), Some(0));
        }
    }
}

#[test]
fn sends_gaps_along_with_unaligned_runs() {
    let store = Shape::new(&[600, 4]).unwrap();
    let flat = Layout::contiguous(Shape::new(&[2400]).unwrap());
    // All rows lie between those of each rank, so both halves are gathered.
    assert_eq!(sent(&store, &flat), []);
}
