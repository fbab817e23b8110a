//! The processor that a thread is in records.

use std::cell::Cell;

use weft_trace::id::ProcessorId;

/// The program's thread.
pub(crate) const PROGRAM: ProcessorId = ProcessorId(0);

thread_local! {
    static PROCESSOR: Cell<ProcessorId> = const { Cell::new(PROGRAM) };
}

/// Returns the processor that the calling thread is in records: a processor of the runtime, or the
/// program.
#[inline]
pub(crate) fn processor() -> ProcessorId {
    PROCESSOR.get()
}

/// Sets the processor that the calling thread is in records.
pub(crate) fn set_processor(id: ProcessorId) {
    PROCESSOR.set(id);
}
