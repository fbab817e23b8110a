//! Submission of operations by the program to the analysis.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use weft_geometry::Access;
use weft_trace::id::OperationUid;
use weft_trace::record::RuntimeCallKind;

use super::direct::READING;
use super::{Core, FINISHED, Trap, around, check_body, other_runtime};
use crate::error::CallError;
use crate::fusion::Closing;
use crate::observe::processor;
use crate::operation::{Operand, Operation, Request};

/// The time after which a wait for memory ends if no operation has ended.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time between two looks at the memory that is free.
const LOOK: Duration = Duration::from_millis(1);

/// Small operations in a row that enter the queue before the program waits for it.
const BEHIND: usize = 64;

/// The time after which that wait ends if no operation has ended: other threads have larger work,
/// and the program can continue meanwhile.
const LARGE: Duration = Duration::from_millis(10);

impl Core {
    /// Submits an operation to be analysed and run, or runs it inline if that is faster.
    ///
    /// Every operation of the program passes here, so this checks its operands.
    pub fn submit(&self, mut request: Request) -> Result<OperationUid, CallError> {
        let awaited = request
            .is_shared()
            .then(|| request.latch.get_or_insert_default().clone());
        for (operand, declared) in request.operands.iter().zip(request.body.operands.iter()) {
            if let Operand::Array { store, .. } = operand
                && declared.access != Access::Read
            {
                store.count_write();
            }
        }
        let uid = self.hand_over(request)?;
        if let Some(latch) = awaited {
            self.waiting(RuntimeCallKind::Wait, Some(uid), || {
                around::through(|most| self.await_latch_for(&latch, Some(most)));
                self.await_latch(&latch);
            });
        }
        Ok(uid)
    }

    /// Closes the open group if only the program's thread can do so: the program is about to wait
    /// for it.
    pub(super) fn close_group(&self) {
        if self.plan.utility == 0 && self.has_gpus() && self.is_of_this_process() {
            self.on_program_thread(|| {
                self.analysis().flush(self, Closing::Awaited, processor());
            });
        }
    }

    fn hand_over(&self, request: Request) -> Result<OperationUid, CallError> {
        for operand in &request.operands {
            if let Operand::Array { store, .. } = operand {
                check_body(store)?;
            }
        }
        let is_own = |operand: &Operand| match operand {
            Operand::Array { store, .. } => store.is_of(&self.memories.main),
            Operand::Scalar(_) | Operand::Host(_) => true,
        };
        if !request.operands.iter().all(is_own) {
            return Err(other_runtime());
        }
        self.check_process()?;
        self.check_stop()?;
        self.report_host_use(&request)?;
        self.wait_for_memory(&request);
        self.catch_up(&request);
        let mut locked = self.lock_unless_interrupted(&request)?;
        if self.gpus.is_none()
            && let Some(cuts) = self.tile_inline(&request)
        {
            if !self.queues.outstanding.is_open() {
                self.check_stop()?;
                return Err(FINISHED);
            }
            let run = || self.run_inline(request, &cuts, &mut locked);
            return Ok(self.on_program_thread(run));
        }
        // Other threads continue while this one waits for the processors to catch up.
        drop(locked);
        if self.queues.outstanding.is_full() {
            self.waiting(RuntimeCallKind::Limit, None, || {
                around::for_a_while(|most| self.queues.outstanding.wait_for_room(most));
            });
        }
        if !self.queues.outstanding.begin() {
            self.check_stop()?;
            return Err(FINISHED);
        }
        let mut locked = self.lock_for(&request);
        self.health.note_interrupts(&self.uids);
        let stream = self.add_to_stream(&request, &mut locked);
        let uid = self.uids.next_operation();
        let created = self.observers.recorder.now();
        let mut operation = Operation::new(uid, created, request);
        operation.stream = stream;
        let operation = Arc::new(operation);
        operation.begin_uses();
        if self.plan.utility == 0 {
            self.on_program_thread(|| {
                self.health.trap(Trap::Analysis);
                let mut analysis = self.analysis();
                analysis.begin_batch();
                analysis.accept(self, operation, processor());
                // The program's next step is unknown, so close the group here. On GPUs it ends with
                // the next operation that cannot join or when the program waits, so that each run
                // needs the same kernels.
                if !self.has_gpus() {
                    analysis.flush(self, Closing::Late, processor());
                }
            });
        } else {
            self.queues.submissions.send(operation);
        }
        Ok(uid)
    }

    /// Waits for the operations under way if a small operation needs memory that they may hold. It
    /// could run inline, before they have released what the program dropped. Without enough memory
    /// after a while, the operation fails.
    fn wait_for_memory(&self, request: &Request) {
        if self.gpus.is_some()
            || self.queues.outstanding.is_none()
            || request.shape.len() > self.plan.max_inline_chunk
        {
            return;
        }
        let needed = |operand: &Operand| match operand {
            Operand::Array { store, .. } if store.start().is_none() => store.bytes(),
            _ => 0,
        };
        let bytes: usize = request.operands.iter().map(needed).sum();
        let pool = &self.memories.main.pool;
        if bytes == 0 || !pool.lacks(bytes) {
            return;
        }
        self.wait_while_ending(PATIENCE, || !pool.lacks(bytes));
    }

    /// Waits for the operations under way if many small ones in a row could not run inline, since
    /// their operands were in use. The program submits small operations faster than other threads
    /// run them: each would find its operands in use because the one before it waits.
    fn catch_up(&self, request: &Request) {
        if self.queues.outstanding.is_none() || !self.computes_at_once() {
            return;
        }
        let (most, work) = (self.plan.max_inline_chunk, request.work());
        let work = work.max(request.shape.len());
        let behind = &self.queues.behind;
        if work > most.saturating_mul(READING) {
            return behind.store(0, Ordering::Relaxed);
        }
        let is_in_use = |operand: &Operand| match operand {
            Operand::Array { store, .. } => store.is_pending(),
            Operand::Scalar(_) | Operand::Host(_) => false,
        };
        let could_run = work <= most && !request.body.is_foreign;
        if could_run
            && request.operands.iter().any(is_in_use)
            && behind.fetch_add(1, Ordering::Relaxed) >= BEHIND
        {
            behind.store(0, Ordering::Relaxed);
            self.wait_while_ending(LARGE, || false);
        }
    }

    /// Waits until `is_enough`, no operation is under way, or none has ended for a while.
    fn wait_while_ending(&self, patience: Duration, is_enough: impl Fn() -> bool + Sync) {
        let begun = Instant::now();
        let outstanding = &self.queues.outstanding;
        // The number under way and the time when it changed. Work that waits for what the program
        // does next does not end, and other threads may begin work all the time.
        let latest = Mutex::new((outstanding.count(), begun));
        let is_over = |most: Duration| {
            if outstanding.wait_for(0, most.min(LOOK)) || is_enough() {
                return true;
            }
            let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
            let count = outstanding.count();
            if count != latest.0 {
                *latest = (count, Instant::now());
            }
            latest.1.elapsed() > patience || begun.elapsed() > 10 * patience
        };
        self.waiting(RuntimeCallKind::Limit, None, || {
            around::for_a_while(|most| match most {
                Some(most) => is_over(most),
                None => {
                    while !is_over(LOOK) {}
                    true
                }
            });
        });
    }
}
