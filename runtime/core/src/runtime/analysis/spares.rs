//! Tasks that have run, kept so that their memory can be reused.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::task::Task;

/// Maximum number of tasks kept: about the number under way at a time.
const MAX_SPARES: usize = 2048;
/// Number of tasks that are checked for one without other handles.
const TRIES: usize = 2;

/// The most recently made tasks, oldest first.
#[derive(Default)]
pub(crate) struct Spares {
    made: VecDeque<Arc<Task>>,
}

impl Spares {
    /// Returns a task in the memory of one that has no other handle, or in new memory.
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
            // A store keeps a handle until another task touches the same elements.
            self.made.push_back(oldest);
        }
        let task = Arc::new(task);
        if self.made.len() < MAX_SPARES {
            self.made.push_back(task.clone());
        }
        task
    }
}
