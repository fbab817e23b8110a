//! Images that operands of operations name.

use super::SourceIndex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use weft_geometry::Image;

/// Images, by where they were read and their numbers there.
#[derive(Debug, Default)]
pub struct Images {
    known: FxHashMap<(SourceIndex, u64), Arc<Image>>,
}

impl Images {
    /// Gives an image its number.
    pub fn insert(&mut self, source: SourceIndex, number: u64, image: Arc<Image>) {
        self.known.insert((source, number), image);
    }

    /// The image of this number; `None` where it was not recorded, or not completely.
    pub fn get(&self, source: SourceIndex, number: u64) -> Option<Arc<Image>> {
        self.known.get(&(source, number)).cloned()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}
