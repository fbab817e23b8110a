//! Queues of work, and the choice of the next piece.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Machine;
use super::work::{Body, Item, Origin};

/// A queue's number: a stream's, or one for each node of a launched graph.
pub(crate) type QueueId = u64;

/// Work that has not run.
#[derive(Default)]
pub(crate) struct Queues {
    waiting: BTreeMap<QueueId, VecDeque<Item>>,
    /// The queue of each piece.
    of: BTreeMap<u64, QueueId>,
    /// The queue that ran last: the next piece is often from it too, so that streams run far ahead
    /// of each other.
    last: QueueId,
    steps: u64,
}

impl Queues {
    /// Returns whether this piece has run, or was dropped.
    pub(crate) fn has_run(&self, item: u64) -> bool {
        !self.of.contains_key(&item)
    }

    /// Returns whether no work is queued.
    pub(crate) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Returns the last piece of a queue, if any.
    pub(crate) fn last_of(&self, queue: QueueId) -> Option<u64> {
        self.waiting.get(&queue)?.back().map(|item| item.id)
    }

    /// Returns all queued pieces.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.waiting.values().flatten()
    }

    pub(super) fn put(&mut self, queue: QueueId, item: Item) {
        self.of.insert(item.id, queue);
        self.waiting.entry(queue).or_default().push_back(item);
    }

    /// Returns queues whose first piece has no unmet dependences.
    fn ready(&self) -> Vec<QueueId> {
        let is_ready = |queue: &VecDeque<Item>| {
            let first = queue.front();
            first.is_some_and(|item| item.after.iter().all(|&before| self.has_run(before)))
        };
        self.waiting
            .iter()
            .filter(|(_, queue)| is_ready(queue))
            .map(|(&id, _)| id)
            .collect()
    }

    fn take(&mut self, queue: QueueId) -> Option<Item> {
        let waiting = self.waiting.get_mut(&queue)?;
        let item = waiting.pop_front()?;
        if waiting.is_empty() {
            self.waiting.remove(&queue);
        }
        Some(item)
    }

    /// Returns the pieces that must run before `item` has, in a valid order; `item` itself is the
    /// last.
    fn needed_for(&self, item: u64) -> Vec<QueueId> {
        let mut order = Vec::new();
        let mut placed = BTreeSet::new();
        // A piece is visited twice: first to push its dependences above it, then to place it.
        let mut stack = vec![(item, false)];
        while let Some((id, needs_are_placed)) = stack.pop() {
            let Some(&queue) = self.of.get(&id) else {
                continue;
            };
            if placed.contains(&id) {
                continue;
            }
            if needs_are_placed {
                placed.insert(id);
                order.push(queue);
                continue;
            }
            stack.push((id, true));
            let waiting = &self.waiting[&queue];
            let at = waiting.iter().position(|item| item.id == id).unwrap_or(0);
            stack.extend(waiting[at].after.iter().map(|&before| (before, false)));
            if at > 0 {
                stack.push((waiting[at - 1].id, false));
            }
        }
        order
    }

    /// Removes all work of a GPU.
    fn remove(&mut self, gpu: usize) {
        let of = &mut self.of;
        self.waiting.retain(|_, queue| {
            queue.retain(|item| {
                let stays = item.gpu != gpu;
                if !stays {
                    of.remove(&item.id);
                }
                stays
            });
            !queue.is_empty()
        });
    }
}

impl Machine {
    /// Adds work to the end of a queue; returns its number.
    pub(crate) fn enqueue(
        &mut self,
        queue: QueueId,
        gpu: usize,
        after: Vec<u64>,
        body: Body,
        origin: Origin,
    ) -> u64 {
        let id = self.number();
        self.queues.put(
            queue,
            Item {
                id,
                after,
                gpu,
                body,
                origin,
            },
        );
        super::tick::start();
        id
    }

    /// Runs any piece that may run; returns false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let ready = self.queues.ready();
        if ready.is_empty() {
            return false;
        }
        let queue = if ready.contains(&self.queues.last) && !self.random.one_in(4) {
            self.queues.last
        } else {
            ready[self.random.below(ready.len())]
        };
        self.run_first(queue);
        true
    }

    fn run_first(&mut self, queue: QueueId) {
        self.queues.last = queue;
        self.queues.steps += 1;
        if let Some(item) = self.queues.take(queue) {
            self.execute(&item);
            self.queues.of.remove(&item.id);
        }
    }

    /// Runs work until this piece has run: sometimes only the pieces that it needs, sometimes any.
    pub(crate) fn run_until(&mut self, item: u64) {
        if self.random.one_in(2) {
            for queue in self.queues.needed_for(item) {
                self.run_first(queue);
            }
        }
        while !self.queues.has_run(item) && self.step() {}
    }

    /// Runs all work of a GPU, with its dependences.
    pub(crate) fn run_all_of(&mut self, gpu: usize) {
        loop {
            let items: Vec<u64> = self
                .queues
                .items()
                .filter(|item| item.gpu == gpu)
                .map(|item| item.id)
                .collect();
            if items.is_empty() {
                break;
            }
            let any = items[self.random.below(items.len())];
            self.run_until(any);
        }
    }

    /// Drops all work of a GPU; work that depends on it can run.
    pub(crate) fn drop_work(&mut self, gpu: usize) {
        self.queues.remove(gpu);
    }
}
