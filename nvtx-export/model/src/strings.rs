//! Interned texts.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A text of a [`Strings`] table; 0 is the empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StringIndex(pub u32);

/// Texts, each stored once.
#[derive(Debug)]
pub struct Strings {
    texts: Vec<Arc<str>>,
    index: FxHashMap<Arc<str>, StringIndex>,
    bytes: usize,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Strings {
            texts: Vec::new(),
            index: FxHashMap::default(),
            bytes: 0,
        };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// Returns the index of `text`, which is added if it is new.
    pub fn intern(&mut self, text: &str) -> StringIndex {
        if let Some(index) = self.index.get(text) {
            return *index;
        }
        let index = StringIndex(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.bytes += text.len();
        self.texts.push(text.clone());
        self.index.insert(text, index);
        index
    }

    /// Returns the index of `text`, if present.
    pub fn find(&self, text: &str) -> Option<StringIndex> {
        self.index.get(text).copied()
    }

    /// Returns the text, or an empty one for an index of another table.
    pub fn get(&self, index: StringIndex) -> &str {
        self.texts.get(index.0 as usize).map_or("", |text| text)
    }

    /// Returns the total size of the texts in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns all texts with their indices, the empty one first.
    pub fn iter(&self) -> impl Iterator<Item = (StringIndex, &str)> {
        let texts = self.texts.iter().enumerate();
        texts.map(|(index, text)| (StringIndex(index as u32), &**text))
    }
}
