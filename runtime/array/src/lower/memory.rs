//! Reading values, and moving them between memories.

use std::sync::Arc;

use smallvec::smallvec;
use weft_geometry::Access;
use weft_trace::id::OperationUid;
use weft_trace::record::MemoryKind;

use super::View;
use crate::shape::Layout;
use weft_core::error::CallError;
use weft_core::operation::{self, Latch, Request};

/// A copy of a view that was requested by the program.
pub(crate) struct Requested {
    /// The copy.
    pub(crate) copy: View,
    /// Opened when the copy is complete.
    pub(crate) latch: Arc<Latch>,
    /// The operation that copies.
    pub(crate) uid: OperationUid,
}

impl View {
    /// Requests the elements without waiting for them.
    pub(crate) fn request(&self) -> Result<Requested, CallError> {
        let shape = self.layout.shape;
        let copy = View::unwritten(&self.core, self.dtype(), shape)?;
        let latch = Arc::new(Latch::default());
        let operands = smallvec![self.operand(), copy.operand()];
        let request = Request::new(operation::read(), shape, operands);
        let uid = self.core.submit(request.awaited(latch.clone()))?;
        Ok(Requested { copy, latch, uid })
    }

    /// Copies the data of the whole store to a memory of this kind, which must exist; `alone` also
    /// frees it elsewhere.
    pub(crate) fn moved(&self, to: MemoryKind, alone: bool) -> Result<(), CallError> {
        let whole = self.with_layout(Layout::contiguous(self.store.shape));
        // Main memory has one instance of a store, so a move must wait for its readers.
        let access = match alone || !self.core.has_gpus() {
            true => Access::ReadWrite,
            false => Access::Read,
        };
        let body = operation::move_to(to, alone, access);
        let request = Request::new(body, self.store.shape, smallvec![whole.operand()]);
        self.core.submit(request).map(drop)
    }
}
