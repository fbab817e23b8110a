//! A reduction of values as they come.

#![allow(unsafe_code, reason = "keeps terms in memory that is written first")]

use std::mem::MaybeUninit;
use std::slice;

use crate::order::{BLOCK, Fold, Pairwise, fold_block};

/// A fold that is given its terms bit by bit, in the order of [`order`](crate::order).
pub(super) struct FoldStream<F: Fold> {
    total: Pairwise<F::Acc>,
    /// Terms of a block that is not full.
    kept: [MaybeUninit<F::In>; BLOCK],
    length: usize,
}

impl<F: Fold> FoldStream<F> {
    pub(super) fn new() -> Self {
        FoldStream {
            total: Pairwise::new(),
            kept: [const { MaybeUninit::uninit() }; BLOCK],
            length: 0,
        }
    }

    /// Takes in the next terms.
    pub(super) fn push(&mut self, mut terms: &[F::In]) {
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
        // SAFETY: so many terms were written; `MaybeUninit<T>` is laid out as `T`.
        let kept = unsafe { slice::from_raw_parts(self.kept.as_ptr().cast(), self.length) };
        self.total.push(fold_block::<F>(kept), F::join);
        self.length = 0;
    }

    /// The result of all terms.
    pub(super) fn finish(mut self) -> F::Acc {
        if self.length > 0 {
            self.flush();
        }
        self.total.finish(F::join).unwrap_or(F::START)
    }
}
