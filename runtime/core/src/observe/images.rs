//! Numbers for images: each is recorded once, with all that it has.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};

use rustc_hash::FxHashMap;
use weft_geometry::Image;
use weft_trace::id::ImageId;
use weft_trace::record;

use super::Recorder;

/// Images that are known before those are looked for that are gone.
const FEW: usize = 64;

/// The numbers given so far. Belongs to the analysis, so that no lock is needed.
#[derive(Default)]
pub(crate) struct Images {
    /// What the numbers of others stay below.
    first: u64,
    given: u64,
    /// By address. As long as an image is listed, no other has its address: memory goes back when the last [`Weak`] does.
    known: FxHashMap<usize, (Weak<Image>, ImageId)>,
    /// By 128 bits of what the image has: one that was forgotten and found again is the same. Those bits are alike of two images out of 2^32
    /// with a chance of 2^-64.
    written: FxHashMap<[u64; 2], ImageId>,
    /// With so many, those that are gone are taken out.
    most: usize,
}

impl Images {
    /// Those of one analysis of several in a profile: each has 2^40 numbers.
    pub(crate) fn numbered(analysis: u32) -> Images {
        Images {
            first: u64::from(analysis) << 40,
            ..Images::default()
        }
    }

    /// The number of an image.
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

/// 128 bits of an image's words.
fn digest(words: &[u64]) -> [u64; 2] {
    [0_u64, 1].map(|salt| {
        let mut hasher = DefaultHasher::new();
        (salt, words).hash(&mut hasher);
        hasher.finish()
    })
}

/// Writes down what an image has, in as many records as it takes.
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
    fn an_image_has_one_number_and_no_two_have_the_same() {
        let recorder = Recorder::new(None);
        let mut images = Images::numbered(3);
        let make = |at| Arc::new(Image::of_bounds([(at, at + 1)]));
        let kept: Vec<Arc<Image>> = (2000..2010).map(make).collect();
        let mut number = |image: &Arc<Image>| images.number(&recorder, image).0;
        let first: Vec<u64> = kept.iter().map(&mut number).collect();
        // Each is freed before the next is made, which could lie where it lay.
        let mut given: HashSet<u64> = (0..1000).map(|at| number(&make(at))).collect();
        given.extend(&first);
        assert_eq!(given.len(), 1010);
        assert!(given.iter().all(|number| *number > 3 << 40));
        assert_eq!(kept.iter().map(&mut number).collect::<Vec<_>>(), first);
        // Found again, each is the same.
        let again: HashSet<u64> = (0..1000).map(|at| number(&make(at))).collect();
        assert!(again.is_subset(&given));
        assert!(images.known.len() <= FEW, "{} are kept", images.known.len());
    }
}
