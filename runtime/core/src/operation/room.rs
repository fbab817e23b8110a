//! Memory for the operands of an operation.

use std::sync::Arc;

use weft_trace::id::StoreUid;
use weft_trace::time::Timestamp;

use super::{Operand, Operation, Role};
use crate::error::{Cause, Failure};
use crate::memory::{Memories, OutOfMemory, Refusal};

impl Memories {
    /// Returns the cause of failure of an operation that got no memory.
    pub(crate) fn out_of_memory(&self, full: &OutOfMemory, operation: &Operation) -> Cause {
        if let Some(Refusal::Failed(error)) = &full.shortage.refusal {
            return error.clone().into();
        }
        let needed = |uid: StoreUid| {
            operation
                .operands
                .iter()
                .any(|operand| matches!(operand, Operand::Array { store, .. } if store.uid == uid))
        };
        Cause::OutOfMemory(Box::new(self.explain(full, needed)))
    }

    /// Moves the store of a [`Role::Move`] in main memory, in a run without GPUs; does nothing for
    /// other operations.
    pub(crate) fn move_store(
        &self,
        operation: &Operation,
        at: Timestamp,
    ) -> Result<(), Arc<Failure>> {
        let (Role::Move { to, .. }, [Operand::Array { store, .. }]) =
            (operation.body.role, operation.operands.as_slice())
        else {
            return Ok(());
        };
        let Some(memory) = self.with_kind(to).next() else {
            return Ok(());
        };
        store
            .move_to(operation.slot(0), memory, operation.maker(), at)
            .map_err(|full| operation.failure(self.out_of_memory(&full, operation)))
    }
}
