//! Memory of arguments that a front end keeps beyond the end of a body.

use std::sync::Arc;

use super::context::Given;
use crate::memory::Store;

/// Memory of an argument, which stays where it is as long as this lives. Operations on the array are waited for at their calls meanwhile,
/// as on any memory that another library can reach.
pub struct Kept(Arc<Store>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.end_sharing();
    }
}

impl Given<'_, '_> {
    /// Keeps the memory that this is a part of, for who still refers to it when the body ends; `None` of a single value.
    ///
    /// To be called by the body. What later operations do to the array shows there, or, where they write it anew to another place, does
    /// not.
    pub fn keep(&self) -> Option<Kept> {
        let store = self.store()?;
        store.begin_sharing();
        Some(Kept(store.clone()))
    }
}
