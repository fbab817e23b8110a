//! Texts of a trace as a terminal can show them.
//!
//! Names of tasks, kernels, ranges and files come from the program that was recorded. One that holds an escape sequence
//! could clear the screen of whoever reads it, and one with a line break or an override of the writing direction could pass
//! for something else. JSON has escapes of its own, and keeps texts exactly.

use std::borrow::Cow;

/// `text` with every character written as an escape that a terminal would obey rather than show: controls (C0, DEL and C1), line
/// and paragraph separators, and what changes the writing direction. An escape character becomes `\u{1b}`, a line break `\n`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, is_obeyed)
}

/// The same for a message of several lines, whose line breaks stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape(text, |letter| letter != '\n' && is_obeyed(letter))
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_escaped(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Controls, and the formatting characters of Unicode's "Trojan source" list (bidirectional controls, separators of lines).
fn is_obeyed(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let text = "a\u{1b}[2Jb\u{9b}31mc\r\n\td\u{202e}e\u{7f}";
        assert_eq!(
            printable(text),
            "a\\u{1b}[2Jb\\u{9b}31mc\\r\\n\\td\\u{202e}e\\u{7f}"
        );
        assert_eq!(printable_lines("one\ntwo\u{7}"), "one\ntwo\\u{7}");
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in ["", "src/main.rs:12", "größe µs 数", "C:\\temp \"quoted\""] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }
}
