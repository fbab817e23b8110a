//! Waiting until few operations are under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use loom::thread;

use crate::outstanding::Outstanding;
use crate::shared::{Data, check};

/// Operations that add 1 to data of their own.
#[derive(Default)]
struct Work<const WINDOW: u64> {
    outstanding: Outstanding<WINDOW>,
    data: [Data; 2],
    /// Number of operations under way; kept outside of the model.
    under_way: AtomicU64,
}

impl<const WINDOW: u64> Work<WINDOW> {
    fn begin(&self) -> bool {
        if self.outstanding.is_full() {
            self.outstanding.wait_for_room(None);
        }
        let begun = self.outstanding.begin();
        if begun {
            assert!(self.under_way.fetch_add(1, Relaxed) < WINDOW);
        }
        begun
    }

    fn end(&self) {
        self.under_way.fetch_sub(1, Relaxed);
        self.outstanding.end();
    }

    fn done(&self) -> u32 {
        self.data.iter().map(Data::get).sum()
    }
}

#[test]
fn two_waiters_wait_for_the_last_task() {
    check(4, || {
        let work = Arc::new(Work::<8>::default());
        assert!(work.begin() && work.begin());
        let spawn = |body: fn(&Work<8>)| {
            let work = work.clone();
            thread::spawn(move || body(&work))
        };
        let threads = [
            spawn(|work| {
                work.data[0].add(1);
                work.end();
            }),
            spawn(|work| {
                work.data[1].add(1);
                work.end();
            }),
            spawn(|work| {
                work.outstanding.wait(0);
                assert_eq!(work.done(), 2);
            }),
        ];
        work.outstanding.wait(0);
        assert_eq!(work.done(), 2);
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn two_waiters_wait_for_different_counts() {
    check(4, || {
        let work = Arc::new(Work::<8>::default());
        assert!(work.begin() && work.begin());
        let worker = {
            let work = work.clone();
            thread::spawn(move || {
                work.data[0].add(1);
                work.end();
            })
        };
        // Only this thread can continue when the first operation has ended; the other one cannot
        // before it.
        let early = {
            let work = work.clone();
            thread::spawn(move || {
                work.outstanding.wait(1);
                assert_eq!(work.data[0].get(), 1);
                work.data[1].add(1);
                work.end();
            })
        };
        work.outstanding.wait(0);
        assert_eq!(work.done(), 2);
        worker.join().unwrap();
        early.join().unwrap();
    });
}

#[test]
fn program_waits_for_room_in_the_window() {
    check(4, || {
        let work = Arc::new(Work::<2>::default());
        assert!(work.begin() && work.begin());
        let worker = {
            let work = work.clone();
            thread::spawn(move || {
                for data in &work.data {
                    data.add(1);
                    work.end();
                }
            })
        };
        let other = {
            let work = work.clone();
            thread::spawn(move || work.outstanding.wait(0))
        };
        // Not possible before an operation has ended.
        assert!(work.begin());
        work.end();
        work.outstanding.wait(0);
        assert_eq!(work.done(), 2);
        worker.join().unwrap();
        other.join().unwrap();
    });
}

#[test]
fn close_waits_for_started_work_and_refuses_later_work() {
    check(4, || {
        let work = Arc::new(Work::<8>::default());
        let programs = [0, 1].map(|program: usize| {
            let work = work.clone();
            thread::spawn(move || {
                let begun = work.begin();
                if begun {
                    work.data[program].add(1);
                    work.end();
                }
                u32::from(begun)
            })
        });
        work.outstanding.close();
        work.outstanding.wait(0);
        let done = work.done();
        assert!(!work.begin());
        let begun: u32 = programs.into_iter().map(|p| p.join().unwrap()).sum();
        assert_eq!(done, begun);
    });
}
