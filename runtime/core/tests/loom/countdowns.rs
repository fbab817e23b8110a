//! Tasks that wait for tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};

use loom::thread;
use weft_trace::time::Timestamp;

use crate::countdown::Countdown;
use crate::shared::Data;

/// A task that adds 1 to its data, after reading the data of its predecessors.
struct Step {
    countdown: Countdown<Arc<Step>>,
    before: Vec<Arc<Step>>,
    data: Data,
    /// Number of runs, and the latest release time; kept outside of the model.
    runs: AtomicU32,
    released: AtomicI64,
}

impl Step {
    fn after(before: &[&Arc<Step>]) -> Arc<Step> {
        Arc::new(Step {
            countdown: Countdown::new(at(0)),
            before: before.iter().map(|step| Arc::clone(step)).collect(),
            data: Data::default(),
            runs: AtomicU32::new(0),
            released: AtomicI64::new(0),
        })
    }

    /// Registers the predecessors, like the analysis.
    fn connect(self: &Arc<Self>, time: i64) {
        for step in &self.before {
            step.countdown.precede(&self.countdown, || self.clone());
        }
        self.release(time);
    }

    fn release(&self, time: i64) {
        self.released.fetch_max(time, Relaxed);
        if self.countdown.release(at(time)) {
            assert_eq!(self.countdown.ready(), at(self.released.load(Relaxed)));
            self.run(time + 1);
        }
    }

    /// Runs the task and then the next one, like a processor.
    fn run(&self, time: i64) {
        self.runs.fetch_add(1, Relaxed);
        assert!(self.before.iter().all(|step| step.data.get() == 1));
        self.data.add(1);
        for later in self.countdown.end() {
            later.release(time);
        }
    }

    fn runs(&self) -> u32 {
        self.runs.load(Relaxed)
    }
}

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos_since_boot(nanos)
}

#[test]
fn task_runs_once_after_all_predecessors() {
    loom::model(|| {
        let first = Step::after(&[]);
        let second = Step::after(&[]);
        let last = Step::after(&[&first, &second]);
        let threads = [(&first, 20), (&second, 30)].map(|(step, time)| {
            let step = step.clone();
            thread::spawn(move || step.connect(time))
        });
        last.connect(10);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(last.runs(), 1);
        assert_eq!(last.data.get(), 1);
    });
}

#[test]
fn chain_runs_during_its_construction() {
    loom::model(|| {
        let first = Step::after(&[]);
        let second = Step::after(&[&first]);
        let third = Step::after(&[&first, &second]);
        let thread = {
            let first = first.clone();
            thread::spawn(move || first.connect(10))
        };
        second.connect(1);
        third.connect(2);
        thread.join().unwrap();
        assert_eq!((second.runs(), third.runs()), (1, 1));
    });
}

#[test]
fn several_tasks_wait_for_one() {
    loom::model(|| {
        let first = Step::after(&[]);
        let later: Vec<_> = (0..3).map(|_| Step::after(&[&first])).collect();
        let thread = {
            let first = first.clone();
            thread::spawn(move || first.connect(10))
        };
        for step in &later {
            step.connect(1);
        }
        thread.join().unwrap();
        assert!(later.iter().all(|step| step.runs() == 1));
    });
}

#[test]
fn ended_predecessor_needs_no_wait() {
    loom::model(|| {
        let first = Step::after(&[]);
        let thread = {
            let first = first.clone();
            thread::spawn(move || first.connect(10))
        };
        if first.countdown.has_ended() {
            assert_eq!(first.data.get(), 1);
        }
        thread.join().unwrap();
        assert!(first.countdown.has_ended());
    });
}
