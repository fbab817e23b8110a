//! Reductions of streams of values, at the end of chains.

#![allow(
    unsafe_code,
    reason = "keeps terms in memory that is written first, and reads terms by their address"
)]

use std::any::Any;
use std::mem::MaybeUninit;
use std::slice;

use super::with_fold;
use crate::chain::{self, Push};
use crate::dtype::DType;
use crate::order::{BLOCK, Fold, Pairwise, fold_block};
use crate::{Handle, ReduceOp, Tile, elementwise};

/// A reduction as a fold of chains.
#[derive(Debug)]
struct Reduction(ReduceOp);

static REDUCTIONS: [Reduction; ReduceOp::ALL.len()] = {
    let mut all = [const { Reduction(ReduceOp::Sum) }; ReduceOp::ALL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = Reduction(ReduceOp::ALL[at]);
        at += 1;
    }
    all
};

impl ReduceOp {
    /// Returns the reduction as a fold of a chain's values. It is not defined for reductions that
    /// return an index.
    pub fn fold(self) -> &'static dyn chain::Fold {
        &REDUCTIONS[self as usize]
    }

    /// Returns the operation for which [`fold`](ReduceOp::fold) returned this fold.
    pub fn from_fold(fold: &dyn chain::Fold) -> Option<ReduceOp> {
        let fold: &dyn Any = fold;
        fold.downcast_ref().map(|&Reduction(op)| op)
    }
}

impl From<ReduceOp> for Handle<dyn chain::Fold> {
    fn from(op: ReduceOp) -> Handle<dyn chain::Fold> {
        op.fold().into()
    }
}

impl chain::Fold for Reduction {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn output(&self, input: DType) -> Option<DType> {
        let Reduction(op) = *self;
        (!op.is_index() && op.is_defined(input)).then(|| op.output_dtype(input))
    }

    unsafe fn run(&self, input: DType, feed: &mut dyn FnMut(&mut Push<'_>), out: &mut Tile) {
        let Reduction(op) = *self;
        super::check(op, input, out.dtype());
        with_fold!(op, input, F => {
            let mut stream = FoldStream::<F>::new();
            feed(&mut |at, count| {
                // SAFETY: the caller's promise.
                stream.push(unsafe { slice::from_raw_parts(at.cast::<<F as Fold>::In>(), count) });
            });
            elementwise::fill(stream.finish().into(), out);
        });
    }

    fn reduce_empty(&self, input: DType, out: &mut Tile) {
        super::reduce_empty(self.0, input, out);
    }
}

/// A fold that gets its terms in pieces, and folds them in the order of [`order`](crate::order).
struct FoldStream<F: Fold> {
    total: Pairwise<F::Acc>,
    /// The terms of a block that is not full.
    kept: [MaybeUninit<F::In>; BLOCK],
    length: usize,
}

impl<F: Fold> FoldStream<F> {
    fn new() -> Self {
        FoldStream {
            total: Pairwise::new(),
            kept: [const { MaybeUninit::uninit() }; BLOCK],
            length: 0,
        }
    }

    /// Adds the next terms.
    fn push(&mut self, mut terms: &[F::In]) {
        while !terms.is_empty() {
            let count = terms.len().min(BLOCK - self.length);
            let (now, later) = terms.split_at(count);
            if count == BLOCK {
                self.total.push(fold_block::<F>(now), F::join);
            } else {
                for (kept, &term) in self.kept[self.length..].iter_mut().zip(now) {
                    kept.write(term);
                }
                self.length += count;
                if self.length == BLOCK {
                    self.flush();
                }
            }
            terms = later;
        }
    }

    fn flush(&mut self) {
        // SAFETY: `length` terms were written; `MaybeUninit<T>` has the layout of `T`.
        let kept = unsafe { slice::from_raw_parts(self.kept.as_ptr().cast(), self.length) };
        self.total.push(fold_block::<F>(kept), F::join);
        self.length = 0;
    }

    /// Returns the result of all terms.
    fn finish(mut self) -> F::Acc {
        if self.length > 0 {
            self.flush();
        }
        self.total.finish(F::join).unwrap_or(F::START)
    }
}
