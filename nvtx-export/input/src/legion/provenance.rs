//! Parsing of provenance texts.
//!
//! Legate's Python writes `["/p/x.py:25", {"file": "/p/x.py", "line": 25}]`. If Legion splits that,
//! the human-readable part is `/p/x.py:25`. Ranges of libraries are plain labels.

use serde::Deserialize;
use std::borrow::Cow;
use weft_model::{ProvenanceIndex, ProvenanceRow, Recording};

/// A source position in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SourcePosition<'a> {
    file: Cow<'a, str>,
    line: u32,
    function: Cow<'a, str>,
}

/// The machine-readable part.
#[derive(Deserialize)]
struct Machine {
    file: Option<String>,
    line: Option<u32>,
    function: Option<String>,
}

/// Returns the index of the position in a text, or the unknown one for an empty text. A text of
/// unknown form is taken as a file.
pub(super) fn intern(recording: &mut Recording, text: &str) -> ProvenanceIndex {
    let place = parse(text);
    let row = ProvenanceRow {
        file: recording.strings.intern(&place.file),
        line: place.line,
        function: recording.strings.intern(&place.function),
    };
    recording.program.provenances.intern(row)
}

/// Returns the human-readable part of a text.
pub(super) fn label(text: &str) -> Cow<'_, str> {
    match pair(text) {
        Some((human, _)) => human.into(),
        None => text.into(),
    }
}

fn parse(text: &str) -> SourcePosition<'_> {
    let Some((human, machine)) = pair(text) else {
        return plain(text.into());
    };
    match machine.file {
        Some(file) => SourcePosition {
            file: file.into(),
            line: machine.line.unwrap_or(0),
            function: machine.function.unwrap_or_default().into(),
        },
        None => plain(human.into()),
    }
}

fn pair(text: &str) -> Option<(String, Machine)> {
    let json = text.starts_with('[');
    json.then(|| serde_json::from_str(text).ok()).flatten()
}

/// Parses `file:line`, or only a file.
fn plain(text: Cow<'_, str>) -> SourcePosition<'_> {
    let line = text.rsplit_once(':').and_then(|(file, line)| {
        let digits = !file.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        let line = line.parse().ok().filter(|line| digits && *line > 0)?;
        Some((file.len(), line))
    });
    let Some((length, line)) = line else {
        return SourcePosition {
            file: text,
            ..SourcePosition::default()
        };
    };
    let mut file = text;
    match &mut file {
        Cow::Borrowed(file) => *file = file.get(..length).unwrap_or_default(),
        Cow::Owned(file) => file.truncate(length),
    }
    SourcePosition {
        file,
        line,
        ..SourcePosition::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_file_and_line_from_all_forms() {
        for (text, file, line) in [
            (
                r#"["/p/x.py:25", {"file": "/p/x.py", "line": 25}]"#,
                "/p/x.py",
                25,
            ),
            (
                r#"["h", {"file": "/p/\u00e9\ud83d\ude00.py", "line": 3, "more": [1]}]"#,
                "/p/é😀.py",
                3,
            ),
            (r#"["<unknown>", {"file": "<unknown>"}]"#, "<unknown>", 0),
            (r#"["a.py:7", {}]"#, "a.py", 7),
            (r#"["half"#, r#"["half"#, 0),
            ("/p/x.cc:12", "/p/x.cc", 12),
            ("x.cc:+12", "x.cc:+12", 0),
            ("x.cc:0", "x.cc:0", 0),
            (":12", ":12", 0),
            (
                "cupynumeric.ndarray.__add__",
                "cupynumeric.ndarray.__add__",
                0,
            ),
            ("", "", 0),
        ] {
            let place = parse(text);
            assert_eq!((&*place.file, place.line), (file, line), "{text}");
        }
    }

    #[test]
    fn label_is_the_human_readable_part() {
        assert_eq!(
            label(r#"["/p/x.py:25", {"file": "/p/x.py", "line": 25}]"#),
            "/p/x.py:25"
        );
        assert_eq!(label("cupynumeric.zeros"), "cupynumeric.zeros");
    }

    #[test]
    fn empty_provenance_is_the_unknown_location() {
        assert_eq!(intern(&mut Recording::default(), ""), ProvenanceIndex(0));
    }
}
