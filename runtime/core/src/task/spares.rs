//! Tasks that have run, for their memory to be used again.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Task;

/// Most tasks that are kept: about as many as are under way at a time.
const MAX_SPARES: usize = 2048;
/// Tasks that are looked at for one that nobody holds.
const TRIES: usize = 2;

/// The tasks made last, oldest first.
#[derive(Default)]
pub(crate) struct Spares {
    made: VecDeque<Arc<Task>>,
}

impl Spares {
    /// A task in the memory of one that nobody knows any more, or in memory of its own.
    pub(crate) fn make(&mut self, task: Task) -> Arc<Task> {
        for _ in 0..TRIES.min(self.made.len()) {
            let Some(mut oldest) = self.made.pop_front() else {
                break;
            };
            if let Some(place) = Arc::get_mut(&mut oldest) {
                *place = task;
                self.made.push_back(oldest.clone());
                return oldest;
            }
            // A store remembers it for as long as nobody else touches the same elements.
            self.made.push_back(oldest);
        }
        let task = Arc::new(task);
        if self.made.len() < MAX_SPARES {
            self.made.push_back(task.clone());
        }
        task
    }
}
