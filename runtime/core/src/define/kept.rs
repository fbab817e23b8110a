//! Memory of arguments that a front end keeps beyond the end of a body.

use std::any::Any;
use std::sync::Arc;

use super::context::{BodyArgument, Keeper};
use crate::memory::Store;

/// Memory of an argument, which stays in place while this lives. Meanwhile calls wait for
/// operations on the array, as for any memory that another library can access.
pub struct ArgumentMemory(Memory);

enum Memory {
    Store(Arc<Store>),
    /// A guarded copy, with `--verify`.
    Copy {
        _memory: Arc<dyn Any + Send + Sync>,
    },
}

impl Drop for ArgumentMemory {
    fn drop(&mut self) {
        if let Memory::Store(store) = &self.0 {
            store.end_sharing();
        }
    }
}

impl BodyArgument<'_, '_> {
    /// Keeps the memory that this argument is a part of, for references that outlive the body;
    /// `None` for a single value.
    ///
    /// The body must call it. Later operations on the array are visible in this memory, unless they
    /// rewrite the array in another place.
    pub fn keep(&self) -> Option<ArgumentMemory> {
        match self.keeper() {
            Keeper::Store(store) if !store.is_on_devices() => {
                store.begin_sharing();
                Some(ArgumentMemory(Memory::Store(store.clone())))
            }
            Keeper::Copy(memory) => Some(ArgumentMemory(Memory::Copy {
                _memory: memory.clone(),
            })),
            Keeper::Store(_) | Keeper::None => None,
        }
    }

    /// Returns whether [`keep`](Self::keep) can keep the memory. In runs with GPUs it cannot,
    /// because a store's host memory is temporary. A front end whose bodies may keep arrays passes
    /// them copies in that case.
    pub fn can_keep(&self) -> bool {
        match self.keeper() {
            Keeper::Store(store) => !store.is_on_devices(),
            Keeper::Copy(_) => true,
            Keeper::None => false,
        }
    }
}
