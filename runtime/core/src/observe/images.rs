//! Numbers of images: each image is recorded once, with all its contents.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};

use rustc_hash::FxHashMap;
use weft_geometry::Image;
use weft_trace::id::ImageId;
use weft_trace::record;

use super::Recorder;

/// Number of known images at which the first search for dropped ones takes place.
const FEW: usize = 64;

/// The numbers assigned so far. Owned by the analysis, so that no lock is needed.
#[derive(Default)]
pub(crate) struct Images {
    /// Offset of the numbers, which keeps them apart from those of other analyses.
    first: u64,
    given: u64,
    /// Numbers by address. While an image is listed, no other can have its address: its memory is
    /// freed with the last [`Weak`].
    known: FxHashMap<usize, (Weak<Image>, ImageId)>,
    /// Numbers by a 128-bit digest of the contents: an image that was dropped and found again is
    /// the same. Among 2^32 images, two have the same digest with a chance of 2^-64.
    written: FxHashMap<[u64; 2], ImageId>,
    /// Number of known images at which dropped ones are removed.
    most: usize,
}

impl Images {
    /// Creates the numbers of one of several analyses in a profile: each has 2^40 numbers.
    pub(crate) fn numbered(analysis: u32) -> Images {
        Images {
            first: u64::from(analysis) << 40,
            ..Images::default()
        }
    }

    /// Returns the number of an image.
    pub(crate) fn number(&mut self, recorder: &Recorder, image: &Arc<Image>) -> ImageId {
        let address = Arc::as_ptr(image).addr();
        if let Some((_, id)) = self.known.get(&address) {
            return *id;
        }
        if self.known.len() >= self.most {
            self.known.retain(|_, (image, _)| image.strong_count() > 0);
            self.most = FEW.max(2 * self.known.len());
        }
        let mut words = Vec::new();
        image.put(|word| words.push(word));
        let id = *self.written.entry(digest(&words)).or_insert_with(|| {
            self.given += 1;
            let id = ImageId(self.first + self.given);
            write(recorder, id, &words);
            id
        });
        self.known.insert(address, (Arc::downgrade(image), id));
        id
    }
}

/// Returns a 128-bit digest of an image's words.
fn digest(words: &[u64]) -> [u64; 2] {
    [0_u64, 1].map(|salt| {
        let mut hasher = DefaultHasher::new();
        (salt, words).hash(&mut hasher);
        hasher.finish()
    })
}

/// Records the contents of an image, in as many records as needed.
fn write(recorder: &Recorder, id: ImageId, words: &[u64]) {
    for (part, list) in (0..).zip(words.chunks(record::IMAGE_WORDS)) {
        recorder.write(&record::Image {
            id,
            part,
            words: words.len() as u64,
            list: record::List::Items(list),
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn images_have_unique_stable_numbers() {
        let recorder = Recorder::new(None);
        let mut images = Images::numbered(3);
        let make = |at| Arc::new(Image::of_bounds([(at, at + 1)]));
        let kept: Vec<Arc<Image>> = (2000..2010).map(make).collect();
        let mut number = |image: &Arc<Image>| images.number(&recorder, image).0;
        let first: Vec<u64> = kept.iter().map(&mut number).collect();
        // Each is freed before the next is made, which may get its address.
        let mut given: HashSet<u64> = (0..1000).map(|at| number(&make(at))).collect();
        given.extend(&first);
        assert_eq!(given.len(), 1010);
        assert!(given.iter().all(|number| *number > 3 << 40));
        assert_eq!(kept.iter().map(&mut number).collect::<Vec<_>>(), first);
        // Images found again have the same numbers.
        let again: HashSet<u64> = (0..1000).map(|at| number(&make(at))).collect();
        assert!(again.is_subset(&given));
        assert!(images.known.len() <= FEW, "{} are kept", images.known.len());
    }
}
