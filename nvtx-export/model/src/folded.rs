//! Groups of messages that differ only in numbers.
//!
//! A number is a separate run of digits: `999172` in `op_id = 999172`, but not the digits in
//! `conv2d`, `v1.2` or `main.py:12`.

use super::{StringIndex, Strings};
use rustc_hash::FxHashMap;

/// A map from each message of a group to the group's message. Other messages are unchanged.
#[derive(Debug, Default)]
pub struct Folded(FxHashMap<StringIndex, StringIndex>);

impl Folded {
    /// Folds messages that occur with several different numbers.
    pub fn new(names: &mut Strings) -> Self {
        let mut alike: FxHashMap<String, Vec<StringIndex>> = FxHashMap::default();
        for (index, name) in names.iter() {
            if let Some(folded) = fold(name) {
                alike.entry(folded).or_default().push(index);
            }
        }
        let mut folded = FxHashMap::default();
        for (text, several) in alike.into_iter().filter(|(_, names)| names.len() > 1) {
            let one = names.intern(&text);
            folded.extend(several.into_iter().map(|name| (name, one)));
        }
        Folded(folded)
    }

    /// Returns the message that represents this one.
    pub fn get(&self, name: StringIndex) -> StringIndex {
        self.0.get(&name).copied().unwrap_or(name)
    }
}

/// Replaces the numbers of a message by `#`; `None` if it has none.
pub fn fold(name: &str) -> Option<String> {
    let mut folded = String::with_capacity(name.len());
    let mut found = false;
    let mut before = None;
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        let is_apart = !before.is_some_and(belongs);
        let length = if is_apart { number(rest) } else { 0 };
        let (taken, left) = rest.split_at(length.max(letter.len_utf8()));
        if length > 0 {
            found = true;
            folded.push('#');
        } else {
            folded.push_str(taken);
        }
        before = taken.chars().next_back();
        rest = left;
    }
    found.then_some(folded)
}

/// Returns the length of the number at the beginning of a text: digits, or hexadecimal digits after
/// `0x`; 0 if there is none.
fn number(text: &str) -> usize {
    let count = |text: &str, is_digit: fn(char) -> bool| {
        text.find(|letter| !is_digit(letter)).unwrap_or(text.len())
    };
    let hexadecimal = text.strip_prefix("0x").map_or(0, |digits| {
        count(digits, |letter| letter.is_ascii_hexdigit())
    });
    let length = match hexadecimal {
        0 => count(text, |letter| letter.is_ascii_digit()),
        digits => digits + 2,
    };
    let mut after = text.get(length..).unwrap_or_default().chars();
    let is_whole = match after.next() {
        // This dot ends a sentence rather than starting a fraction.
        Some('.') => !after.next().is_some_and(|letter| letter.is_ascii_digit()),
        Some(letter) => !belongs(letter) || letter == ':',
        None => true,
    };
    if is_whole { length } else { 0 }
}

/// Returns whether a character next to digits makes them part of a word, a version or a line.
fn belongs(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_standalone_numbers() {
        for (name, expected) in [
            (
                "aten::empty, op_id = 999172",
                Some("aten::empty, op_id = #"),
            ),
            (
                "aten::empty, op_id = 990346||",
                Some("aten::empty, op_id = #||"),
            ),
            ("step 12", Some("step #")),
            ("sizes = [[2, 30]]", Some("sizes = [[#, #]]")),
            ("free 0x7f12ab00", Some("free #")),
            ("batch 3: load", Some("batch #: load")),
            ("12", Some("#")),
            ("conv2d", None),
            ("layer_3", None),
            ("add main.rs:12", None),
            ("v1.2", None),
            ("weft 1.5", None),
            ("", None),
            ("\u{fc}ber 7 \u{fc}", Some("\u{fc}ber # \u{fc}")),
        ] {
            assert_eq!(fold(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn keeps_numbers_that_do_not_vary() {
        let mut names = Strings::default();
        let rows = ["step 1", "step 2", "batch 64"].map(|name| names.intern(name));
        let folded = Folded::new(&mut names);
        assert_eq!(folded.get(rows[0]), folded.get(rows[1]));
        assert_eq!(names.get(folded.get(rows[0])), "step #");
        assert_eq!(folded.get(rows[2]), rows[2]);
    }
}
