//! Small operations that run inline, on the program's own thread.
//!
//! Submitting an operation costs about a microsecond on each of two threads; adding a hundred
//! numbers takes twenty nanoseconds. If its stores are not in use, a small operation runs at once:
//! it has no predecessors, and later operations find it done.

use weft_geometry::Cuts;
use weft_trace::id::{OperationUid, TaskUid};
use weft_trace::record::{self, List};

use super::{Core, Trap};
use crate::device::cpu::{self, Processor};
use crate::observe::processor;
use crate::observe::{CallLabels, extents};
use crate::operation::{Operand, Operation, Request};
use crate::rank::ProgramStream;

impl Core {
    /// Returns the single tile of a small operation whose stores are not in use; `None` for any
    /// other.
    pub(super) fn tile_inline(&self, request: &Request) -> Option<Cuts> {
        let most = self.plan.max_inline_chunk;
        if request.body.is_foreign || request.shape.len() > most || request.work() > most {
            return None;
        }
        let is_free = |operand: &Operand| match operand {
            Operand::Array { store, .. } => {
                // Operations that need elements from other ranks go through the queue, on every
                // rank. Elements that every rank has now, every rank still has after the operation.
                !store.is_pending()
                    && (!self.cutting.ranks().are_many() || store.spread().is_everywhere())
            }
            Operand::Scalar(_) | Operand::Host(_) => true,
        };
        if !request.operands.iter().all(is_free) {
            return None;
        }
        let cuts = self.cuts(&request.shape, request.body.tiling);
        (cuts.tiles() == 1).then_some(cuts)
    }

    /// Runs an operation of one tile to completion.
    pub(super) fn run_inline(
        &self,
        request: Request,
        cuts: &Cuts,
        stream: &mut ProgramStream,
    ) -> OperationUid {
        self.health.trap(Trap::Inline);
        let recorder = &self.observers.recorder;
        self.add_to_stream(&request, stream);
        let uid = self.uids.next_operation();
        let created = recorder.now();
        let operation = Operation::new(uid, created, request);
        operation.bind();
        let tile = cpu::TileTask {
            uid: TaskUid(self.uids.next()),
            point: 0,
            cut: cuts.get(0),
            created,
            ready: created,
        };
        let call = match recorder.is_on() || self.observers.nvtx.is_some() {
            true => Some(self.analysis().note(&self.observers, &operation, &tile)),
            false => None,
        };
        let executor = &self.executor();
        let ran = cpu::perform(
            executor,
            &operation,
            &tile,
            &Processor::cpu(processor()),
            Some(created),
            |at| cpu::prepare(executor, &operation, &tile, at),
        );
        let end = ran.end;
        if let Some(call) = call
            && recorder.is_on()
        {
            self.record_inline(&operation, &tile, &call, &ran);
        }
        let latch = operation.latch.clone();
        recorder.at_moment(end, || drop(operation));
        if let Some(latch) = latch {
            latch.open();
        }
        uid
    }

    fn record_inline(
        &self,
        operation: &Operation,
        tile: &cpu::TileTask,
        call: &CallLabels,
        ran: &cpu::Ran,
    ) {
        let shape = extents(&operation.shape);
        let immediate = record::Immediate {
            operation: operation.uid,
            parent: operation.parent,
            task: tile.uid,
            name: call.name,
            provenance: call.provenance,
            kernel: call.kernel,
            processor: processor(),
            created: tile.created,
            start: ran.start,
            end: ran.end,
            bytes: ran.bytes,
            read: ran.read,
            scope: call.scope,
            stack: call.stack,
            arithmetic: ran.arithmetic(operation, tile),
            shape: List::Items(&shape),
        };
        if ran.done {
            return self.observers.recorder.write(&immediate);
        }
        // There was no kernel.
        self.observers.recorder.write(&immediate.parts().0);
        cpu::record(&self.observers.recorder, operation, tile, processor(), ran);
    }
}
