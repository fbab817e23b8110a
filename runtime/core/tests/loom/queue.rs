//! Tasks on their way to processors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use loom::thread;

use crate::ready::ReadyQueue;
use crate::shared::{Data, check};

/// Returns a task for the queue, whose data was written by the thread that made it ready.
fn task() -> Arc<Data> {
    let data = Data::default();
    data.add(1);
    Arc::new(data)
}

/// Starts a processor that runs `tasks` tasks and ends.
fn processor(queue: &Arc<ReadyQueue<Arc<Data>>>, tasks: usize) -> thread::JoinHandle<()> {
    let queue = queue.clone();
    thread::spawn(move || {
        for _ in 0..tasks {
            let task = queue.pop().unwrap();
            // A task that is taken twice has 2, or has two writers at once.
            task.add(1);
            assert_eq!(task.get(), 2);
        }
    })
}

#[test]
fn two_separate_pushes_wake_two_sleepers() {
    check(4, || {
        let queue = Arc::new(ReadyQueue::default());
        let processors = [processor(&queue, 1), processor(&queue, 1)];
        queue.push([task()]);
        queue.push([task()]);
        for processor in processors {
            processor.join().unwrap();
        }
    });
}

#[test]
fn one_push_of_two_wakes_two_sleepers() {
    check(4, || {
        let queue = Arc::new(ReadyQueue::default());
        let processors = [processor(&queue, 1), processor(&queue, 1)];
        queue.push([task(), task()]);
        for processor in processors {
            processor.join().unwrap();
        }
    });
}

#[test]
fn concurrent_pushes_exceed_sleepers() {
    check(4, || {
        let queue = Arc::new(ReadyQueue::default());
        let processor = processor(&queue, 3);
        let other = {
            let queue = queue.clone();
            thread::spawn(move || queue.push([task()]))
        };
        queue.push([task(), task()]);
        other.join().unwrap();
        processor.join().unwrap();
    });
}

#[test]
fn single_consumer_pops_in_push_order() {
    loom::model(|| {
        let queue = Arc::new(ReadyQueue::default());
        let processor = {
            let queue = queue.clone();
            thread::spawn(move || {
                for expected in 0..3 {
                    assert_eq!(queue.pop(), Some(expected));
                }
            })
        };
        queue.push([0, 1]);
        queue.push([2]);
        processor.join().unwrap();
    });
}

#[test]
fn stop_wakes_all_processors() {
    check(4, || {
        let queue = Arc::new(ReadyQueue::default());
        let taken = Arc::new(AtomicU32::new(0));
        let processors = [(); 2].map(|()| {
            let (queue, taken) = (queue.clone(), taken.clone());
            thread::spawn(move || {
                while queue.pop().is_some() {
                    taken.fetch_add(1, Relaxed);
                }
            })
        });
        queue.push([()]);
        queue.stop();
        for processor in processors {
            processor.join().unwrap();
        }
        assert!(taken.load(Relaxed) <= 1);
        assert_eq!(queue.pop(), None);
    });
}
