//! Memory of arguments that a front end keeps beyond the end of a body.

use std::any::Any;
use std::sync::Arc;

use super::context::{Given, Keeper};
use crate::memory::Store;

/// Memory of an argument, which stays where it is as long as this lives. Operations on the array are waited for at their calls meanwhile,
/// as on any memory that another library can reach.
pub struct Kept(Memory);

enum Memory {
    Store(Arc<Store>),
    /// A copy, with `--verify`.
    Copy {
        _memory: Arc<dyn Any + Send + Sync>,
    },
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Memory::Store(store) = &self.0 {
            store.end_sharing();
        }
    }
}

impl Given<'_, '_> {
    /// Keeps the memory that this is a part of, for who still refers to it when the body ends; `None` of a single value.
    ///
    /// To be called by the body. What later operations do to the array shows there, or, where they write it anew to another place, does
    /// not.
    pub fn keep(&self) -> Option<Kept> {
        match self.keeper() {
            Keeper::Store(store) if !store.is_on_devices() => {
                store.begin_sharing();
                Some(Kept(Memory::Store(store.clone())))
            }
            Keeper::Copy(memory) => Some(Kept(Memory::Copy {
                _memory: memory.clone(),
            })),
            Keeper::Store(_) | Keeper::None => None,
        }
    }

    /// Whether [`keep`](Self::keep) can keep the memory. It cannot in runs with GPUs, where a store's memory on the host comes and goes: a
    /// front end whose bodies may keep arrays gives them copies there.
    pub fn can_keep(&self) -> bool {
        match self.keeper() {
            Keeper::Store(store) => !store.is_on_devices(),
            Keeper::Copy(_) => true,
            Keeper::None => false,
        }
    }
}
