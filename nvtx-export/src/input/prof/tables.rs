//! The tables that records of one file point into: names and source positions.

use crate::joined::{Detail, DetailIndex, Joined, ProvenanceIndex, ProvenanceRow, StringIndex};
use rustc_hash::FxHashMap;
use weft_trace::id::{NameId, ProvenanceId};
use weft_trace::record::{Provenance, Record};

/// Names and source positions of one file, as indices into the joined tables.
#[derive(Default)]
pub(super) struct Tables {
    names: FxHashMap<NameId, StringIndex>,
    provenances: FxHashMap<ProvenanceId, ProvenanceIndex>,
    details: FxHashMap<u32, DetailIndex>,
    /// Uses of ids that were never defined.
    pub(super) missing: u64,
}

impl Tables {
    /// Reads the definitions, which may stand after their uses.
    pub(super) fn collect<'a>(
        joined: &mut Joined,
        records: impl Iterator<Item = Record<'a>>,
    ) -> Self {
        let mut tables = Tables::default();
        let mut places: Vec<Provenance> = Vec::new();
        for record in records {
            match record {
                Record::Name(name) => {
                    let text = joined.strings.intern(name.text);
                    tables.names.insert(name.id, text);
                }
                Record::Provenance(place) => places.push(place),
                Record::KernelShape(shape) => {
                    tables.define(joined, shape.id, Detail::Kernel(shape))
                }
                Record::CopyRoute(route) => tables.define(joined, route.id, Detail::Copy(route)),
                Record::FillValue(value) => tables.define(joined, value.id, Detail::Fill(value)),
                _ => {}
            }
        }
        for place in places {
            let row = ProvenanceRow {
                file: tables.name(place.file),
                line: place.line,
                function: tables.name(place.function),
            };
            let index = joined.provenances.intern(row);
            tables.provenances.insert(place.id, index);
        }
        tables
    }

    fn define(&mut self, joined: &mut Joined, id: u32, detail: Detail) {
        self.details
            .insert(id, DetailIndex(joined.details.len() as u32));
        joined.details.push(detail);
    }

    /// What is told of many pieces of work; none for id 0, and where it was never defined, which is counted.
    pub(super) fn detail(&mut self, id: u32) -> Option<DetailIndex> {
        let found = self.details.get(&id).copied();
        self.missing += u64::from(id != 0 && found.is_none());
        found
    }

    /// The text of a name; the empty one where it was never defined, which is counted.
    pub(super) fn name(&mut self, id: NameId) -> StringIndex {
        self.names.get(&id).copied().unwrap_or_else(|| {
            self.missing += u64::from(id.0 != 0);
            StringIndex::default()
        })
    }

    /// A source position; the unknown one where it was never defined, which is counted.
    pub(super) fn provenance(&mut self, id: ProvenanceId) -> ProvenanceIndex {
        self.provenances.get(&id).copied().unwrap_or_else(|| {
            self.missing += u64::from(id.0 != 0);
            ProvenanceIndex::default()
        })
    }
}
