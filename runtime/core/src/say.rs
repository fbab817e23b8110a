//! Messages for the user on standard error.

#![allow(
    unsafe_code,
    reason = "the width of a terminal is only in the C interface"
)]

use std::fmt;
use std::io::{self, IsTerminal, Write};

/// Writes a line, with its end, in a single system call: ranks share standard error, and lines
/// written in pieces would mix. On a terminal a long line is broken between words.
pub(crate) fn say(line: impl fmt::Display) {
    let mut text = format!("{line}\n");
    if let Some(width) = width() {
        text = wrapped(&text, width);
    }
    // If standard error fails, there is no way to report it.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Returns the columns of the terminal on standard error; `None` if it is not a terminal, or they
/// are unknown.
fn width() -> Option<usize> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let mut size = libc::winsize {
        ws_row: 0,
        ws_col: 0,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: the call fills the structure that it is for, which lives until it returns.
    let status = unsafe { libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    (status == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// Breaks lines longer than `width` characters between words. Continuation lines are indented.
fn wrapped(text: &str, width: usize) -> String {
    let mut made = String::with_capacity(text.len() + text.len() / width.max(1));
    for line in text.lines() {
        if line.chars().count() <= width {
            made.push_str(line);
            made.push('\n');
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let mut used = indent;
        made.push_str(&line[..indent]);
        for (at, word) in line.split_whitespace().enumerate() {
            let length = word.chars().count();
            if at > 0 && used + 1 + length > width {
                made.push('\n');
                used = indent + 2;
                made.extend(std::iter::repeat_n(' ', used));
            } else if at > 0 {
                made.push(' ');
                used += 1;
            }
            made.push_str(word);
            used += length;
        }
        made.push('\n');
    }
    made
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn wraps_lines_between_words() {
        let text = "weft: take at /home/user/program.py:12 (operation 7) failed: index 9 is out of bounds\nshort\n";
        let made = wrapped(text, 40);
        assert!(
            made.lines().all(|line| line.chars().count() <= 40),
            "{made}"
        );
        assert_eq!(
            made,
            "weft: take at /home/user/program.py:12\n  (operation 7) failed: index 9 is out\n  of bounds\nshort\n"
        );
        assert_eq!(wrapped(text, 200), text);
        // A word stays whole, and continuation lines keep the indent of their line.
        assert_eq!(
            wrapped("  averyverylongword b c\n", 8),
            "  averyverylongword\n    b c\n"
        );
    }
}
