//! Threads that compile and load kernels, so that several become ready at once and no thread that
//! issues work compiles.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Maximum number of threads. NVRTC takes tens of megabytes for each kernel that it compiles.
const THREADS: usize = 8;

/// One item of work.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// The threads. They start when there is work.
#[derive(Default)]
pub(super) struct CompilePool {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Number of threads that wait for work.
    idle: usize,
    stopped: bool,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs jobs until the pool stops.
    fn serve(&self) {
        super::safe::enter_thread();
        let mut queue = self.queue();
        loop {
            if queue.stopped {
                return;
            }
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                // The thread that waits for the kernel gets an error. This thread continues, since
                // the pool starts no others.
                drop(panic::catch_unwind(AssertUnwindSafe(job)));
                queue = self.queue();
                continue;
            }
            queue.idle += 1;
            queue = self
                .arrived
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }
}

impl CompilePool {
    /// Queues a job for a thread, before all waiting jobs if it is `urgent`. If the pool is
    /// stopped, or no thread can be started, the job runs on the calling thread.
    pub(super) fn run(&self, job: Job, urgent: bool) {
        let mut queue = self.shared.queue();
        if queue.stopped {
            drop(queue);
            return job();
        }
        match urgent {
            true => queue.jobs.push_front(job),
            false => queue.jobs.push_back(job),
        }
        let has_thread = queue.idle >= queue.jobs.len();
        drop(queue);
        self.shared.arrived.notify_one();
        if !has_thread && !self.start_thread() {
            let job = self.shared.queue().jobs.pop_front();
            job.into_iter().for_each(|job| job());
        }
    }

    /// Starts another thread if the maximum is not reached. Returns whether the pool has any
    /// thread.
    fn start_thread(&self) -> bool {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.len() < THREADS {
            let shared = self.shared.clone();
            let named = thread::Builder::new().name(format!("weft-compile-{}", threads.len()));
            threads.extend(named.spawn(move || shared.serve()));
        }
        !threads.is_empty()
    }

    /// Waits for the running jobs, and drops the others.
    pub(super) fn stop(&self) {
        let mut queue = self.shared.queue();
        queue.stopped = true;
        let left = std::mem::take(&mut queue.jobs);
        drop(queue);
        drop(left);
        self.shared.arrived.notify_all();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // The thread has caught the panics of its jobs.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn runs_compile_jobs_in_parallel() {
        let pool = CompilePool::default();
        let (sender, receiver) = mpsc::channel();
        let meeting = Arc::new(std::sync::Barrier::new(4));
        for number in 0..4 {
            let (sender, meeting) = (sender.clone(), meeting.clone());
            let job = Box::new(move || {
                meeting.wait();
                sender.send(number).unwrap();
            });
            pool.run(job, number == 3);
        }
        let mut all: Vec<i32> = (0..4).map(|_| receiver.recv().unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
        pool.stop();
    }

    #[test]
    fn panicking_job_does_not_end_its_thread() {
        let pool = CompilePool::default();
        for _ in 0..2 * THREADS {
            pool.run(Box::new(|| panic!("a job that fails")), false);
        }
        let (sender, receiver) = mpsc::channel();
        pool.run(Box::new(move || sender.send(7).unwrap()), false);
        assert_eq!(receiver.recv(), Ok(7));
        pool.stop();
    }

    #[test]
    fn stopped_pool_finishes_started_jobs_and_drops_the_rest() {
        let pool = CompilePool::default();
        let (sender, receiver) = mpsc::channel();
        for number in 0..3 * THREADS {
            let sender = sender.clone();
            let job = Box::new(move || {
                thread::sleep(Duration::from_millis(20));
                sender.send(number).unwrap();
            });
            pool.run(job, false);
        }
        drop(sender);
        pool.stop();
        // All senders are dropped, so every job has run or was dropped.
        let ran = receiver.iter().count();
        assert!(ran <= 3 * THREADS);
        let here = thread::current().id();
        let (sender, receiver) = mpsc::channel();
        let job = Box::new(move || sender.send(thread::current().id()).unwrap());
        pool.run(job, true);
        assert_eq!(receiver.recv(), Ok(here));
    }
}
