//! Waiting for the end of one operation.

use std::sync::Arc;

use loom::thread;

use crate::latch::Latch;
use crate::shared::Data;

#[test]
fn waiters_pass_and_see_earlier_writes() {
    loom::model(|| {
        let shared = Arc::new((Latch::default(), Data::default()));
        let opener = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.1.add(1);
                shared.0.open();
            })
        };
        let waiter = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.0.wait();
                assert_eq!(shared.1.get(), 1);
            })
        };
        shared.0.wait();
        assert_eq!(shared.1.get(), 1);
        // The latch stays open.
        shared.0.wait();
        opener.join().unwrap();
        waiter.join().unwrap();
    });
}
