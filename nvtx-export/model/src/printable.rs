//! Texts of a trace in a form that is safe on a terminal.
//!
//! Names of tasks, kernels, ranges and files come from the recorded program. An escape sequence in
//! a name could clear the reader's screen. A line break or an override of the writing direction
//! could make it look like other output. JSON has its own escapes, and keeps texts exactly.

use std::borrow::Cow;

/// Escapes every character of `text` that a terminal would obey rather than show: controls (C0, DEL
/// and C1), line and paragraph separators, and changes of the writing direction. An escape
/// character becomes `\u{1b}`, a line break `\n`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, is_obeyed)
}

/// Escapes a message of several lines like [`printable`], but keeps its line breaks.
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

/// Returns whether a terminal obeys the character: controls, and the formatting characters of
/// Unicode's "Trojan source" list (bidirectional controls, separators of lines).
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
    fn escapes_terminal_control_characters() {
        let text = "a\u{1b}[2Jb\u{9b}31mc\r\n\td\u{202e}e\u{7f}";
        assert_eq!(
            printable(text),
            "a\\u{1b}[2Jb\\u{9b}31mc\\r\\n\\td\\u{202e}e\\u{7f}"
        );
        assert_eq!(printable_lines("one\ntwo\u{7}"), "one\ntwo\\u{7}");
    }

    #[test]
    fn keeps_printable_texts_unchanged() {
        for text in ["", "src/main.rs:12", "größe µs 数", "C:\\temp \"quoted\""] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }
}
