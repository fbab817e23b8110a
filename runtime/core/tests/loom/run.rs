//! A small but complete run: a program, the analysis and a processor.

use std::sync::Arc;

use loom::thread;
use weft_trace::time::Timestamp;

use crate::countdown::Countdown;
use crate::latch::Latch;
use crate::outstanding::Outstanding;
use crate::ready::ReadyQueue;
use crate::shared::{Data, check};
use crate::submission::Submissions;

/// An operation with one task, which adds 1 to the data.
struct Step {
    countdown: Countdown<Arc<Step>>,
    latch: Option<Latch>,
}

#[derive(Default)]
struct Core {
    submissions: Submissions<Arc<Step>>,
    outstanding: Outstanding<2>,
    ready: ReadyQueue<Arc<Step>>,
    data: Data,
}

impl Core {
    fn submit(&self, latch: Option<Latch>) -> Arc<Step> {
        if self.outstanding.is_full() {
            self.outstanding.wait_for_room(None);
        }
        assert!(self.outstanding.begin());
        let countdown = Countdown::new(now());
        let step = Arc::new(Step { countdown, latch });
        self.submissions.send(step.clone());
        step
    }

    /// Makes every operation depend on the previous one.
    fn analyse(&self) {
        let mut last: Option<Arc<Step>> = None;
        let mut batch = Vec::new();
        while self.submissions.receive(&mut batch) {
            for step in batch.drain(..) {
                if let Some(last) = &last {
                    last.countdown.precede(&step.countdown, || step.clone());
                }
                let ready = step.countdown.release(now()).then(|| step.clone());
                self.ready.push(ready);
                last = Some(step);
            }
        }
    }

    fn serve(&self) {
        while let Some(step) = self.ready.pop() {
            self.data.add(1);
            let ready = step.countdown.end().into_iter();
            self.ready
                .push(ready.filter(|later| later.countdown.release(now())));
            if let Some(latch) = &step.latch {
                latch.open();
            }
            self.outstanding.end();
        }
    }
}

fn now() -> Timestamp {
    Timestamp::from_nanos_since_boot(0)
}

/// Runs `program` with two operations, concurrently with an analysis and a processor, and finishes.
fn run(program: impl FnOnce(&Core)) {
    let core = Arc::new(Core::default());
    let threads = [Core::analyse, Core::serve].map(|body| {
        let core = core.clone();
        thread::spawn(move || body(&core))
    });
    program(&core);
    core.outstanding.close();
    core.outstanding.wait(0);
    assert_eq!(core.data.get(), 2);
    core.submissions.stop();
    core.ready.stop();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn read_waits_for_all_earlier_tasks() {
    check(3, || {
        run(|core| {
            core.submit(None);
            let read = core.submit(Some(Latch::default()));
            read.latch.as_ref().unwrap().wait();
            assert_eq!(core.data.get(), 2);
        });
    });
}

#[test]
fn finish_waits_for_submitted_tasks() {
    check(3, || {
        run(|core| {
            core.submit(None);
            core.submit(None);
        });
    });
}
