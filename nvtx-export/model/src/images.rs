//! Images that operands of operations refer to.

use super::SourceIndex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use weft_geometry::Image;

/// Images, by their source and their number in it.
#[derive(Debug, Default)]
pub struct Images {
    known: FxHashMap<(SourceIndex, u64), Arc<Image>>,
}

impl Images {
    /// Adds an image under its number.
    pub fn insert(&mut self, source: SourceIndex, number: u64, image: Arc<Image>) {
        self.known.insert((source, number), image);
    }

    /// Returns the image with this number; `None` if it was not recorded completely.
    pub fn get(&self, source: SourceIndex, number: u64) -> Option<Arc<Image>> {
        self.known.get(&(source, number)).cloned()
    }

    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}
