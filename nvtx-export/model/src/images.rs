//! Images that operands of operations refer to.

use super::SourceIndex;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use weft_geometry::Image;

/// Images, by their source and their number in it.
#[derive(Debug, Default)]
pub struct Images {
    images: FxHashMap<(SourceIndex, u64), Arc<Image>>,
}

impl Images {
    /// Adds an image under its number.
    pub fn insert(&mut self, source: SourceIndex, number: u64, image: Arc<Image>) {
        self.images.insert((source, number), image);
    }

    /// Returns the image with this number; `None` if it was not recorded completely.
    pub fn get(&self, source: SourceIndex, number: u64) -> Option<Arc<Image>> {
        self.images.get(&(source, number)).cloned()
    }

    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Returns whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }
}
