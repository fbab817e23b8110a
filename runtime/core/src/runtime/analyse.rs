//! The thread that analyses the operations of the program.

use std::time::{Duration, Instant};

use weft_config::Level;
use weft_trace::record::ProcessorKind;

use super::{Core, Trap, UTILITY};
use crate::fusion::Closing;
use crate::observe::Subsystem;
use crate::sync::yield_until;

/// Number of polls for another operation that could join the group: a few microseconds, in which a
/// program in the middle of an expression submits more.
const SPINS: u32 = 400;
/// Time for which it then yields to other threads, unless the program waits for its operations.
const YIELDS: Duration = Duration::from_micros(10);
/// The interval between checks whether the program waits, while a group waits longer because of
/// `--fusion-wait` or work on a GPU.
const LOOK_INTERVAL: Duration = Duration::from_micros(20);
/// The interval after the first millisecond, when the program does other work.
const LONG_LOOK_INTERVAL: Duration = Duration::from_micros(200);

/// Minimum wait in a run with GPUs: a group that is closed early takes other kernels, which must be
/// compiled first.
const GPU_WAIT: Duration = Duration::from_millis(1);

impl Core {
    /// Analyses the operations of the program until the runtime stops.
    pub(super) fn analyse(&self) {
        self.enter_thread(UTILITY, ProcessorKind::Utility, "Utility 0");
        let mut batch = Vec::new();
        while self.queues.submissions.receive(&mut batch) {
            self.health.trap(Trap::Analysis);
            let mut analysis = self.analysis();
            analysis.begin_batch();
            for operation in batch.drain(..) {
                analysis.accept(self, operation, UTILITY);
            }
            let open = analysis.open();
            // The program may run an operation inline meanwhile, which needs the lock.
            drop(analysis);
            // The next operation may join the open group.
            if open > 0
                && let Some(closing) = self.await_another(open)
            {
                self.analysis().flush(self, closing, UTILITY);
            }
        }
        let (replayed, exchanges) = {
            let analysis = self.analysis();
            (analysis.replayed(), analysis.exchanges_found())
        };
        let text = format_args!(
            "{replayed} groups of operations repeated an earlier one; the messages of {exchanges} operations were computed"
        );
        self.observers
            .log
            .say(Subsystem::Analysis, Level::Info, text);
        self.observers.recorder.detach_thread();
    }

    /// Waits a moment for another operation, which may join the `open` ones. If none comes, returns
    /// the reason for closing the group.
    fn await_another(&self, open: usize) -> Option<Closing> {
        let (submissions, outstanding) = (&self.queues.submissions, &self.queues.outstanding);
        if submissions.linger(SPINS) {
            return None;
        }
        let (most, asks_no_more): (_, &dyn Fn() -> bool) = match self.has_gpus() {
            // A program that waits, or has ended, submits nothing more before the open group has
            // run.
            false => (self.plan.fusion_wait, &|| {
                outstanding.is_awaited() || !outstanding.is_open()
            }),
            // A program that waits for room continues when earlier operations have run: how far it
            // got before that depends on timing.
            true => (self.plan.fusion_wait.max(GPU_WAIT), &|| {
                outstanding.is_end_awaited() || !outstanding.is_open()
            }),
        };
        // The program woke the analysis, which may have preempted it.
        yield_until(YIELDS, || submissions.linger(1) || asks_no_more());
        if submissions.linger(1) {
            return None;
        }
        let start = Instant::now();
        while !asks_no_more() {
            // While a GPU has other work, waiting costs nothing.
            let is_busy = self.has_gpus() && outstanding.count() > open as u64;
            if start.elapsed() >= most && !is_busy {
                return Some(Closing::Late);
            }
            let interval = match start.elapsed() < GPU_WAIT {
                true => LOOK_INTERVAL,
                false => LONG_LOOK_INTERVAL,
            };
            if submissions.sleep(interval) {
                return None;
            }
        }
        // The program may have submitted more before it began to wait.
        (!submissions.linger(1)).then_some(Closing::Awaited)
    }
}
