//! The thread that analyses what the program asks for.

use std::time::{Duration, Instant};

use weft_config::Level;
use weft_trace::record::ProcessorKind;

use super::{Core, Trap, UTILITY};
use crate::fusion::Closing;
use crate::observe::Subsystem;
use crate::sync::yield_until;

/// How often the analysis looks for an operation that could be done together with those before: a few microseconds, in which
/// a program that is in the middle of an expression asks for more.
const SPINS: u32 = 400;
/// How long it yields to other threads after that, where the program is not waiting for what it has asked for.
const YIELDS: Duration = Duration::from_micros(10);
/// How often it looks whether the program waits, where `--fusion-wait` or work on a GPU has it wait longer.
const LOOK_INTERVAL: Duration = Duration::from_micros(20);
/// The interval after the first millisecond, when the program does other work.
const LONG_LOOK_INTERVAL: Duration = Duration::from_micros(200);

/// The least that it waits in a run with GPUs: a group that would go on takes other kernels, which are compiled first.
const GPU_WAIT: Duration = Duration::from_millis(1);

impl Core {
    /// Analyses what the program submits until the runtime stops.
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
            // The program may run an operation at once meanwhile, which needs the lock.
            drop(analysis);
            // What comes next may be done together with what is open.
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
            "{replayed} groups of operations were like one before; the messages of {exchanges} operations were worked out"
        );
        self.observers
            .log
            .say(Subsystem::Analysis, Level::Info, text);
        self.observers.recorder.detach_thread();
    }

    /// Waits a moment for another operation, which may be done together with the `open` ones before; where none comes, says
    /// why those wait no longer.
    fn await_another(&self, open: usize) -> Option<Closing> {
        let (submissions, outstanding) = (&self.queues.submissions, &self.queues.outstanding);
        if submissions.linger(SPINS) {
            return None;
        }
        let (most, asks_no_more): (_, &dyn Fn() -> bool) = match self.has_gpus() {
            // A program that waits, or has ended, asks for nothing more before what is open has run.
            false => (self.plan.fusion_wait, &|| {
                outstanding.is_awaited() || !outstanding.is_open()
            }),
            // One that waits for room goes on when earlier operations have run: how far it came before is a matter of time.
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
            // As long as a GPU has other work, nothing is lost by waiting.
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
        // The program may have asked for more before it began to wait.
        (!submissions.linger(1)).then_some(Closing::Awaited)
    }
}
