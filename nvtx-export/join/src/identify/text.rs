//! The text that Legate writes into the range of a task.

use weft_model::{ProvenanceIndex, Recording, StringIndex};

/// Returns the messages that a range around a task with this name and provenance may have. They are
/// `name : file:line` and, for tasks that Legate runs inline, the provenance in Legion's form, a
/// JSON list. For tasks without provenance, the name.
pub(super) fn messages(
    recording: &Recording,
    name: StringIndex,
    place: ProvenanceIndex,
) -> Vec<String> {
    let name = recording.strings.get(name);
    let row = recording.program.provenances.get(place);
    let file = recording.strings.get(row.file);
    if file.is_empty() {
        return vec![name.to_owned()];
    }
    if row.line == 0 {
        return vec![format!("{name} : {file}")];
    }
    let line = row.line;
    let quoted = serde_json::Value::from(file).to_string();
    let human = serde_json::Value::from(format!("{file}:{line}")).to_string();
    vec![
        format!("{name} : {file}:{line}"),
        format!("{name} : [{human}, {{\"file\": {quoted}, \"line\": {line}}}]"),
    ]
}
