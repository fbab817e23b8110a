//! A thread that runs work without a request.

use std::sync::Once;
use std::thread;
use std::time::Duration;

use super::machine;

/// Starts the thread that occasionally runs some work.
pub(super) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let ticking = thread::Builder::new().name("emulated GPUs".to_owned());
        // Without the thread, work runs when a call waits.
        let _ = ticking.spawn(tick);
    });
}

fn tick() {
    loop {
        let micros = {
            let mut machine = machine();
            if !machine.queues.is_empty() && !machine.random.one_in(3) {
                let steps = machine.random.below(8);
                for _ in 0..steps {
                    machine.step();
                }
            }
            machine.random.below(3000)
        };
        thread::sleep(Duration::from_micros(200 + micros as u64));
    }
}
