//! Text.

use crate::joined::{Joined, ProvenanceIndex};

/// `file:line` of a source position; `None` for the unknown one.
pub fn place(joined: &Joined, provenance: ProvenanceIndex) -> Option<String> {
    if provenance.0 == 0 {
        return None;
    }
    let place = joined.provenances.get(provenance);
    Some(format!("{}:{}", joined.strings.get(place.file), place.line))
}
