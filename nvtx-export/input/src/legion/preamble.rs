//! The text at the start of a file, with its kinds of records and their fields.
//!
//! ```text
//! FileType: BinaryLegionProf v: 1011
//! <version of Legion>
//! TaskKind {id:11, task_id:TaskID:4, name:string:-1, overwrite:bool:1}
//! ...
//! <an empty line>
//! ```
//!
//! Files from before September 2025 have `v: 1.0`, and the version in a field of `MachineDesc`.
//! (Legion, `legion_profiling_serializer.cc`, `writePreamble`.)

use super::buffer::{Buffer, Filled};
use std::io::{self, Read};
use weft_model::{LEGION_MAGIC, PreambleError};

/// The maximum length of a line in a preamble.
const LONGEST_LINE: usize = 1 << 13;

/// The maximum number of kinds of records.
const MAX_KINDS: usize = 1 << 12;

/// The maximum size of a preamble. Legion's has 70 lines and 10 KB.
const LONGEST: u64 = 1 << 20;

/// The description of a file in its preamble.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Preamble {
    /// The version of the format, as text.
    pub(super) version: String,
    /// The version of Legion; empty if absent.
    pub(super) legion: String,
    /// The kinds of records.
    pub(super) kinds: Vec<Kind>,
}

/// A kind of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// The number before each record.
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
}

/// A field of a kind of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    /// The type, one or more words.
    pub(super) kind: String,
    /// The size in bytes; `None` for a text that ends with NUL.
    pub(super) size: Option<u32>,
}

/// The reason why a preamble could not be read.
pub(super) enum Failed {
    Preamble(PreambleError),
    Io(io::Error),
}

/// Reads the preamble and leaves the buffer at the first record.
pub(super) fn read<R: Read>(buffer: &mut Buffer<R>) -> Result<Preamble, Failed> {
    let mut preamble = Preamble::default();
    for line in 1.. {
        let text = next_line(buffer, line)?;
        let failed = |what: String| Failed::Preamble(PreambleError { line, what });
        match line {
            1 => {
                let magic = String::from_utf8_lossy(LEGION_MAGIC);
                let version = text.strip_prefix(&*magic);
                version
                    .ok_or_else(|| failed(format!("does not begin with {:?}", magic.trim_end())))?
                    .trim()
                    .clone_into(&mut preamble.version);
            }
            _ if text.is_empty() && line > 2 => return Ok(preamble),
            2 if !text.contains(" {id:") => preamble.legion = text,
            _ => {
                let kind = kind(&text).map_err(failed)?;
                if preamble.kinds.iter().any(|known| known.id == kind.id) {
                    return Err(failed(format!("has the id {} of another line", kind.id)));
                }
                if preamble.kinds.len() == MAX_KINDS {
                    return Err(failed(format!("is beyond {MAX_KINDS} kinds of records")));
                }
                if buffer.offset() > LONGEST {
                    return Err(failed(format!("is beyond its first {LONGEST} bytes")));
                }
                preamble.kinds.push(kind);
            }
        }
    }
    Ok(preamble)
}

fn next_line<R: Read>(buffer: &mut Buffer<R>, line: usize) -> Result<String, Failed> {
    let failed = |what: String| Failed::Preamble(PreambleError { line, what });
    loop {
        let window = buffer.window();
        let searched = window.get(..LONGEST_LINE).unwrap_or(window);
        if let Some(end) = searched.iter().position(|byte| *byte == b'\n') {
            let text = window.get(..end).unwrap_or_default();
            let text = str::from_utf8(text).map(str::to_owned);
            buffer.consume(end + 1);
            return text.map_err(|_| failed("is not text".to_owned()));
        }
        if searched.len() == LONGEST_LINE {
            return Err(failed(format!("is longer than {LONGEST_LINE} bytes")));
        }
        match buffer.fill() {
            Ok(Filled::Longer) => {}
            Ok(Filled::Ended | Filled::Full) => {
                return Err(failed("does not end: the file is truncated".to_owned()));
            }
            Err(error) if super::container::is_damage(&error) => {
                return Err(failed(format!("cannot be unpacked ({error})")));
            }
            Err(error) => return Err(Failed::Io(error)),
        }
    }
}

/// Parses `Name {id:N, field:type:size, ...}`.
fn kind(text: &str) -> Result<Kind, String> {
    let (name, fields) = text
        .strip_suffix('}')
        .and_then(|text| text.split_once(" {id:"))
        .ok_or("is not of the form `Name {id:1, field:type:size}`")?;
    let mut fields = fields.split(", ");
    let id = fields.next().unwrap_or_default();
    let id = id.parse().map_err(|_| format!("has no id but {id:?}"))?;
    let fields = fields.map(field).collect::<Result<_, _>>()?;
    Ok(Kind {
        id,
        name: name.to_owned(),
        fields,
    })
}

fn field(text: &str) -> Result<Field, String> {
    let field = |text: &str| {
        let (rest, size) = text.rsplit_once(':')?;
        let (name, kind) = rest.split_once(':')?;
        let size = match size.parse::<i32>().ok()? {
            -1 => None,
            size => Some(u32::try_from(size).ok()?),
        };
        Some(Field {
            name: name.to_owned(),
            kind: kind.to_owned(),
            size,
        })
    };
    field(text).ok_or_else(|| format!("has the field {text:?}, which is not name:type:size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(Preamble, Vec<u8>), PreambleError> {
        let mut buffer = Buffer::new(text.as_bytes());
        match read(&mut buffer) {
            Ok(preamble) => Ok((preamble, buffer.window().to_vec())),
            Err(Failed::Preamble(error)) => Err(error),
            Err(Failed::Io(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn parses_both_headers_and_leaves_the_records() {
        for (header, version) in [("1011\nlegion-25.12", "1011"), ("1.0", "1.0")] {
            let text = format!(
                "FileType: BinaryLegionProf v: {header}\nA {{id:7, x:long long:8, y:string:-1}}\n\nrest"
            );
            let (preamble, rest) = parse(&text).unwrap();
            assert_eq!((&*preamble.version, &*rest), (version, &b"rest"[..]));
            let field = |name: &str, kind: &str, size| Field {
                name: name.to_owned(),
                kind: kind.to_owned(),
                size,
            };
            let kind = Kind {
                id: 7,
                name: "A".to_owned(),
                fields: vec![field("x", "long long", Some(8)), field("y", "string", None)],
            };
            assert_eq!(preamble.kinds, [kind]);
        }
    }

    #[test]
    fn preamble_errors_name_the_line() {
        let head = "FileType: BinaryLegionProf v: 1\nlegion\n";
        for (text, line, what) in [
            ("FileType: other", 1, "does not end"),
            ("FileType: other\n", 1, "does not begin with"),
            (&*format!("{head}A {{id:1, x:T:4}}"), 3, "does not end"),
            (
                &*format!("{head}A {{id:1, x:T:4}}\nB {{id:1, x:T:4}}\n"),
                4,
                "the id 1 of another",
            ),
            (
                &*format!("{head}A {{id:1, x:4}}\n"),
                3,
                "\"x:4\", which is not name:type:size",
            ),
            (&*format!("{head}A {{id:1, x:T:-2}}\n"), 3, "\"x:T:-2\""),
            (&*format!("{head}A {{id:x}}\n"), 3, "has no id but \"x\""),
            (&*format!("{head}hello\n"), 3, "is not of the form"),
            (
                &*format!("{head}{}", "A".repeat(9_000)),
                3,
                "is longer than",
            ),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
