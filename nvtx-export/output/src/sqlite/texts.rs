//! Rows of StringIds.

use rustc_hash::FxHashMap;

/// Rows of StringIds.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) ids: FxHashMap<String, i64>,
}

impl Texts {
    pub(super) fn id(&mut self, text: String) -> i64 {
        let next = self.ids.len() as i64 + 1;
        *self.ids.entry(text).or_insert(next)
    }
}
