//! The memories of a runtime, taken together.

use std::sync::Arc;

use super::Core;
use crate::error::Cause;
use crate::memory::{Memory, OutOfMemory, Refusal, explain};
use crate::operation::{Operand, Operation};

impl Core {
    /// Every memory, main memory first.
    pub(crate) fn memories(&self) -> impl Iterator<Item = &Arc<Memory>> + '_ {
        let gpus = self.gpus.iter();
        let of_gpus = gpus.flat_map(|gpus| std::iter::once(&gpus.pinned).chain(&gpus.memories));
        std::iter::once(&self.memory).chain(of_gpus)
    }

    /// Why an operation could not have memory that it needs.
    pub(crate) fn out_of_memory(&self, full: &OutOfMemory, operation: &Operation) -> Cause {
        if let Some(Refusal::Failed(error)) = &full.shortage.refusal {
            return error.clone().into();
        }
        let mut others: Vec<&Arc<Memory>> = self
            .memories()
            .filter(|memory| memory.kind != full.memory.kind && memory.pool.capacity() > 0)
            .collect();
        others.sort_by_key(|memory| std::cmp::Reverse(memory.pool.figures().free()));
        let alike: Vec<_> = self
            .memories()
            .filter(|memory| memory.kind == full.memory.kind)
            .collect();
        let number = alike
            .iter()
            .position(|memory| Arc::ptr_eq(memory, &full.memory));
        let needed = |uid| {
            operation
                .operands
                .iter()
                .any(|operand| matches!(operand, Operand::Array { store, .. } if store.uid == uid))
        };
        Cause::OutOfMemory(Box::new(explain(
            full,
            &others,
            needed,
            number.filter(|_| alike.len() > 1),
            self.plan.spill,
        )))
    }
}
