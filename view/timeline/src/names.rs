//! Texts of slices, each once.

use rustc_hash::FxHashMap;

/// The maximum number of bytes of a text in the timeline; the database has the whole text.
const LONGEST: usize = 512;

/// The maximum number of texts: a trace with a name for every slice must not fill the viewer's
/// memory.
const MOST: usize = 200_000;

/// Texts and their numbers. Number 0 is the empty text, 1 stands for texts beyond [`MOST`].
#[derive(Debug)]
pub(super) struct Names {
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Default for Names {
    fn default() -> Self {
        let texts = vec![String::new(), "(another name)".to_owned()];
        let numbers = FxHashMap::from_iter([(String::new(), 0)]);
        Names { texts, numbers }
    }
}

impl Names {
    /// Returns the number of a text, which is cut if it is too long.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let text = cut(text);
        if let Some(known) = self.numbers.get(text.as_str()) {
            return *known;
        }
        if self.texts.len() >= MOST {
            return 1;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let mut end = LONGEST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interns_texts_and_truncates_long_ones_at_characters() {
        let mut names = Names::default();
        assert_eq!(names.number(""), 0);
        assert_eq!(names.number("add"), 2);
        let long = "ä".repeat(10_000);
        assert_eq!(names.number(&long), 3);
        assert_eq!(names.number(&long), 3);
        assert_eq!(names.number("add"), 2);
        let texts = names.into_texts();
        assert!(texts[3].len() <= LONGEST + 3 && texts[3].ends_with('…'));
    }
}
