//! Submission of operations to the analysis.

use std::sync::Arc;

use loom::thread;

use crate::shared::{Data, check};
use crate::submission::Submissions;

#[test]
fn receives_all_submissions_in_order_per_thread() {
    check(4, || {
        let submissions = Arc::new(Submissions::default());
        let sender = |from: u32| {
            let submissions = submissions.clone();
            thread::spawn(move || {
                for number in 0..2 {
                    let data = Data::default();
                    data.add(number);
                    submissions.send((from, data));
                }
            })
        };
        let senders = [sender(0), sender(1)];
        let mut expected = [0, 0];
        let mut batch = Vec::new();
        while expected != [2, 2] {
            assert!(submissions.receive(&mut batch));
            assert!(!batch.is_empty());
            for (from, data) in batch.drain(..) {
                let expected = &mut expected[from as usize];
                assert_eq!(data.get(), *expected);
                *expected += 1;
            }
        }
        for sender in senders {
            sender.join().unwrap();
        }
    });
}

#[test]
fn stop_ends_the_analysis_thread() {
    loom::model(|| {
        let submissions = Arc::new(Submissions::default());
        let analysis = {
            let submissions = submissions.clone();
            thread::spawn(move || {
                let mut batch = Vec::new();
                let mut received = 0;
                while submissions.receive(&mut batch) {
                    received += batch.drain(..).count();
                }
                received
            })
        };
        submissions.send(());
        submissions.stop();
        assert!(analysis.join().unwrap() <= 1);
    });
}
