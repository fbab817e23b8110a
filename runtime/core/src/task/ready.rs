//! The queue of tasks whose predecessors have ended, in the order in which they became ready.

use std::collections::{BTreeMap, VecDeque};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, spin, yield_until};

/// Number of times that an idle processor polls the queue before it yields to other threads.
const SPINS: u32 = 100;
/// Time that an idle processor then polls, yielding, before it sleeps. On a virtual machine a
/// sleeper on an idle core takes about 50 us to run again. A chain of small tasks between two large
/// operations lasts about as long.
const LINGER: Duration = Duration::from_micros(100);

/// The queue between analysis and processors; `T` is a handle to a task.
pub(crate) struct ReadyQueue<T> {
    tasks: Mutex<Waiting<T>>,
    /// Length of the queue as last seen, readable without the lock.
    length: AtomicUsize,
    /// The [`rank`] of the highest priority in the queue as last seen; 0 if the queue is empty.
    highest: AtomicUsize,
    /// Processors that sleep, or are woken and do not yet run; changed with the lock held.
    sleepers: AtomicUsize,
    available: Condvar,
    stopped: AtomicBool,
}

/// Tasks in the order in which they are taken.
struct Waiting<T> {
    /// Tasks of priority 0.
    usual: VecDeque<T>,
    /// Tasks of any other priority, by priority.
    others: BTreeMap<i8, VecDeque<T>>,
    /// Number of tasks in `usual` and `others`.
    length: usize,
}

/// Maps a priority to a number above 0, in the same order.
fn rank(priority: i8) -> usize {
    (i16::from(priority) - i16::from(i8::MIN) + 1) as usize
}

impl<T> Default for Waiting<T> {
    fn default() -> Waiting<T> {
        Waiting {
            usual: VecDeque::default(),
            others: BTreeMap::default(),
            length: 0,
        }
    }
}

impl<T> Waiting<T> {
    fn len(&self) -> usize {
        self.length
    }

    fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the rank of the highest priority; 0 if there are no tasks.
    fn highest(&self) -> usize {
        let usual = if self.usual.is_empty() { 0 } else { rank(0) };
        let others = self.others.last_key_value();
        others.map_or(usual, |(highest, _)| usual.max(rank(*highest)))
    }

    fn push(&mut self, priority: i8, task: T) {
        self.length += 1;
        match priority {
            0 => self.usual.push_back(task),
            other => self.others.entry(other).or_default().push_back(task),
        }
    }

    fn pop(&mut self) -> Option<T> {
        let is_urgent = |priority: &i8| *priority > 0 || self.usual.is_empty();
        let highest = self.others.last_entry();
        let task = match highest.filter(|entry| is_urgent(entry.key())) {
            Some(mut entry) => {
                let task = entry.get_mut().pop_front();
                if entry.get().is_empty() {
                    entry.remove();
                }
                task
            }
            None => self.usual.pop_front(),
        };
        self.length -= usize::from(task.is_some());
        task
    }

    fn move_to(&mut self, taken: &mut impl Extend<T>) {
        if self.others.is_empty() {
            self.length = 0;
            return taken.extend(self.usual.drain(..));
        }
        taken.extend(std::iter::from_fn(|| self.pop()));
    }
}

impl<T> Default for ReadyQueue<T> {
    fn default() -> ReadyQueue<T> {
        ReadyQueue {
            tasks: Mutex::default(),
            length: AtomicUsize::default(),
            highest: AtomicUsize::default(),
            sleepers: AtomicUsize::default(),
            available: Condvar::default(),
            stopped: AtomicBool::default(),
        }
    }
}

impl<T> ReadyQueue<T> {
    fn tasks(&self) -> MutexGuard<'_, Waiting<T>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the length and the highest priority for readers without the lock.
    fn note(&self, tasks: &Waiting<T>) {
        self.length.store(tasks.len(), Ordering::Relaxed);
        self.highest.store(tasks.highest(), Ordering::Relaxed);
    }

    /// Whether a task of this priority may run before every task in the queue, as last seen.
    pub(crate) fn goes_first(&self, priority: i8) -> bool {
        rank(priority) >= self.highest.load(Ordering::Relaxed)
    }

    /// Appends tasks of priority 0.
    pub(crate) fn push(&self, ready: impl IntoIterator<Item = T>) {
        self.push_by(|_| 0, ready);
    }

    /// Inserts each task after the tasks of the same or a higher priority.
    pub(crate) fn push_by(&self, priority: impl Fn(&T) -> i8, ready: impl IntoIterator<Item = T>) {
        let mut tasks = self.tasks();
        let before = tasks.len();
        for task in ready {
            tasks.push(priority(&task), task);
        }
        let added = tasks.len() - before;
        self.note(&tasks);
        let wake = added.min(self.sleepers.load(Ordering::Relaxed));
        drop(tasks);
        for _ in 0..wake {
            self.available.notify_one();
        }
    }

    /// Sleeps until a task arrives or the queue is stopped. Spurious wake-ups are possible.
    fn sleep<'a>(&self, tasks: MutexGuard<'a, Waiting<T>>) -> MutexGuard<'a, Waiting<T>> {
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        let tasks = self
            .available
            .wait(tasks)
            .unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
        tasks
    }

    /// Takes the first task and waits if there is none; returns `None` once the queue is stopped.
    pub(crate) fn pop(&self) -> Option<T> {
        self.pop_or(|| false)
    }

    /// Like [`pop`](Self::pop), but calls `meanwhile` while the queue is empty, until it returns
    /// false.
    pub(crate) fn pop_or(&self, mut meanwhile: impl FnMut() -> bool) -> Option<T> {
        let is_over =
            || self.length.load(Ordering::Relaxed) > 0 || self.stopped.load(Ordering::Relaxed);
        while !spin(SPINS, is_over) && meanwhile() {}
        yield_until(LINGER, is_over);
        let mut tasks = self.tasks();
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(task) = tasks.pop() {
                self.note(&tasks);
                return Some(task);
            }
            tasks = self.sleep(tasks);
        }
    }

    /// Takes all tasks. If there are none and `wait` is set, waits for the first. Returns false
    /// once the queue is stopped.
    pub(crate) fn take_all(&self, taken: &mut impl Extend<T>, wait: bool) -> bool {
        if wait {
            spin(SPINS, || {
                self.length.load(Ordering::Relaxed) > 0 || self.stopped.load(Ordering::Relaxed)
            });
        } else if self.length.load(Ordering::Relaxed) == 0 {
            return !self.stopped.load(Ordering::Relaxed);
        }
        let mut tasks = self.tasks();
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                return false;
            }
            if !tasks.is_empty() || !wait {
                tasks.move_to(taken);
                self.note(&tasks);
                return true;
            }
            tasks = self.sleep(tasks);
        }
    }

    /// Takes all tasks without waiting.
    #[allow(
        dead_code,
        reason = "for messages between ranks, in builds that have them"
    )]
    pub(crate) fn take(&self, taken: &mut impl Extend<T>) {
        if !self.is_empty() {
            let mut tasks = self.tasks();
            tasks.move_to(taken);
            self.note(&tasks);
        }
    }

    /// Whether the queue is empty, as last seen.
    #[allow(
        dead_code,
        reason = "for messages between ranks, in builds that have them"
    )]
    pub(crate) fn is_empty(&self) -> bool {
        self.length.load(Ordering::Relaxed) == 0
    }

    /// Waits until there is a task or `is_time` returns true; [`nudge`](Self::nudge) makes waiters
    /// call it again. Returns false once the queue is stopped.
    #[allow(
        dead_code,
        reason = "for messages between ranks, in builds that have them"
    )]
    pub(crate) fn await_one(&self, is_time: impl Fn() -> bool) -> bool {
        if self.is_empty() && !is_time() {
            let mut tasks = self.tasks();
            while tasks.is_empty() && !is_time() && !self.stopped.load(Ordering::Relaxed) {
                tasks = self.sleep(tasks);
            }
        }
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Wakes all waiters so that they check their conditions again.
    #[allow(
        dead_code,
        reason = "for messages between ranks, in builds that have them"
    )]
    pub(crate) fn nudge(&self) {
        drop(self.tasks());
        self.available.notify_all();
    }

    /// Polls `looks` times for a task; returns false if none arrived.
    pub(crate) fn linger(&self, looks: u32) -> bool {
        spin(looks, || self.length.load(Ordering::Relaxed) > 0)
    }

    /// Stops the queue: all processors return, and the remaining tasks do not run.
    pub(crate) fn stop(&self) {
        let tasks = self.tasks();
        self.stopped.store(true, Ordering::Relaxed);
        drop(tasks);
        self.available.notify_all();
    }
}
