//! The text of the program, with the costs of each line.

use super::lookup::is_name;
use super::{bad_request, ledger};
use crate::database::{query_rows, text};
use crate::http::{Request, Response};
use crate::state::{State, ViewError};
use serde_json::{Value, json};

pub(crate) use ledger::Ledger;

/// The maximum size of the texts that are kept, in bytes.
const MOST: usize = 64 << 20;

/// A file that lines refer to.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: String,
    text: Option<String>,
    /// The start of each line.
    starts: Vec<usize>,
    origin: &'static str,
    note: Option<&'static str>,
}

/// All files that lines refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

impl Sources {
    /// A line of a file, if its text is known.
    pub(crate) fn line(&self, path: &str, line: u32) -> Option<&str> {
        let source = self.0.iter().find(|source| source.path == path)?;
        let text = source.text.as_deref()?;
        let at = (line as usize).checked_sub(1)?;
        let start = *source.starts.get(at)?;
        let end = source.starts.get(at + 1).copied().unwrap_or(text.len());
        let line = text.get(start..end)?.trim_end_matches(['\n', '\r']);
        // One line of a hostile file may be the whole file.
        (line.len() <= 4096).then_some(line)
    }
}

/// Returns the files that lines refer to, with their texts, read once.
pub(crate) fn texts(state: &State) -> Result<&Sources, ViewError> {
    if let Some(sources) = state.sources.get() {
        return Ok(sources);
    }
    let sources = read(state)?;
    Ok(state.sources.get_or_init(|| sources))
}

fn read(state: &State) -> Result<Sources, ViewError> {
    let kept = state.with_database(|database| {
        let sql = "SELECT file, text, newer, bytes > length(CAST(text AS BLOB)) FROM WEFT_SOURCE_TEXT ORDER BY sourceId";
        let rows = query_rows(database, sql, [], |row| {
            Ok((text(row, 0), text(row, 1), row.get::<_, bool>(2), row.get::<_, bool>(3)))
        })?;
        Ok(rows)
    })?;
    let mut sources = Sources::default();
    let mut room = MOST;
    for line in state.trace.file.lines().iter().skip(1) {
        let is_known = sources.0.iter().any(|source| source.path == line.file);
        // A line without a file stands for the name of a kernel or range.
        if is_name(&line.file, line.line) || is_known {
            continue;
        }
        let own = kept
            .iter()
            .find(|row| row.0.as_deref() == Some(line.file.as_str()));
        let own = own.and_then(|row| Some((row.1.clone()?, row)));
        let (text, origin, note) = match own {
            Some((text, row)) => {
                let is_newer = matches!(row.2, Ok(true));
                let is_cut = matches!(row.3, Ok(true));
                let note = match (is_newer, is_cut) {
                    (true, _) => {
                        Some("the file was changed after the program began, so lines may differ")
                    }
                    (_, true) => Some("the profile holds only the first part of the file"),
                    _ => None,
                };
                (Some(text), "profile", note)
            }
            None => match state
                .options
                .source_root
                .as_ref()
                .and_then(|root| root.text(&line.file))
            {
                Some(text) => (
                    Some(text),
                    "disk",
                    Some("the file as it is on disk now, which may differ from the code that ran"),
                ),
                None => (
                    None,
                    "none",
                    Some("the profile does not hold this file; name its folder with --source-root"),
                ),
            },
        };
        let text = text.filter(|text| text.len() <= room);
        room -= text.as_ref().map_or(0, String::len);
        let breaks = text.iter().flat_map(|text| text.match_indices('\n'));
        let starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| at + 1))
            .collect();
        sources.0.push(Source {
            path: line.file.clone(),
            text,
            starts,
            origin,
            note,
        });
    }
    Ok(sources)
}

/// Answers `/api/sources`.
pub(crate) fn sources(state: &State) -> Result<Response, ViewError> {
    Ok(Response::json(&files(state)?))
}

/// The files.
pub(crate) fn files(state: &State) -> Result<Value, ViewError> {
    let sources = texts(state)?;
    let files = (0..).zip(&sources.0);
    let files: Vec<Value> = files
        .map(|(id, source): (u32, _)| json!({ "id": id, "path": source.path, "origin": source.origin, "note": source.note }))
        .collect();
    Ok(json!({ "files": files }))
}

/// Answers `/api/source`.
pub(crate) fn source(state: &State, request: &Request) -> Result<Response, ViewError> {
    let file = request
        .number("file")
        .ok_or_else(|| bad_request("missing or invalid parameter `file`"))?;
    Ok(Response::json(&value(state, file)?))
}

/// Returns a file with the costs of its lines.
pub(crate) fn value(state: &State, file: usize) -> Result<Value, ViewError> {
    let sources = texts(state)?;
    let source = sources.0.get(file);
    let source = source.ok_or_else(|| ViewError::Unknown(format!("there is no file {file}")))?;
    let ledger = ledger::ledger(state)?;
    let lines = ledger.lines(&source.path);
    Ok(json!({
        "text": source.text, "origin": source.origin, "note": source.note, "lines": lines, "unsaved": ledger.unsaved(),
    }))
}
