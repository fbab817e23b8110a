//! Source positions and scopes as text.

use crate::{ProvenanceIndex, Recording, ScopeIndex};

/// Returns `file:line` of a source position; `None` for the unknown one.
pub fn place(recording: &Recording, provenance: ProvenanceIndex) -> Option<String> {
    if provenance.0 == 0 {
        return None;
    }
    let place = recording.program.provenances.get(provenance);
    let file = recording.strings.get(place.file);
    Some(match place.line {
        0 => file.to_owned(),
        line => format!("{file}:{line}"),
    })
}

/// Returns the names of a scope and of those around it, separated by slashes; empty for none.
pub fn scope_path(recording: &Recording, scope: ScopeIndex) -> String {
    let mut names = Vec::new();
    let mut next = scope;
    while next.0 != 0 {
        let row = recording.program.scopes.get(next);
        names.push(recording.strings.get(row.name));
        // Enclosing scopes have smaller numbers. The check also ends the loop for damaged files.
        next = match row.parent < next {
            true => row.parent,
            false => ScopeIndex(0),
        };
    }
    names.reverse();
    names.join("/")
}
