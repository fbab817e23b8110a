//! Source positions and scopes as text.

use crate::{ProvenanceIndex, Recording, ScopeIndex};

/// `file:line` of a source position; `None` for the unknown one.
pub fn place(joined: &Recording, provenance: ProvenanceIndex) -> Option<String> {
    if provenance.0 == 0 {
        return None;
    }
    let place = joined.program.provenances.get(provenance);
    let file = joined.strings.get(place.file);
    Some(match place.line {
        0 => file.to_owned(),
        line => format!("{file}:{line}"),
    })
}

/// The names of a scope and of those around it, separated by slashes; empty for none.
pub fn scope_path(joined: &Recording, scope: ScopeIndex) -> String {
    let mut names = Vec::new();
    let mut next = scope;
    while next.0 != 0 {
        let row = joined.program.scopes.get(next);
        names.push(joined.strings.get(row.name));
        // What is outside has a smaller number, whatever a damaged file says.
        next = match row.parent < next {
            true => row.parent,
            false => ScopeIndex(0),
        };
    }
    names.reverse();
    names.join("/")
}
