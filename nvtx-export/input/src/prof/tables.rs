//! The tables that records of one file refer to: names, source positions, images.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;
use weft_geometry::Image;
use weft_model::{
    Detail, DetailIndex, ProvenanceIndex, ProvenanceRow, Recording, ScopeIndex, ScopeRow,
    SourceIndex, SourceText, StackIndex, StackRow, StringIndex,
};
use weft_trace::id::{ImageId, NameId, ProvenanceId, ScopeId, StackId};
use weft_trace::record::{self, Provenance, Record};

/// Names and source positions of one file, as indices into the recording's tables.
#[derive(Default)]
pub(super) struct Tables {
    names: FxHashMap<NameId, StringIndex>,
    provenances: FxHashMap<ProvenanceId, ProvenanceIndex>,
    /// The numbers that distinguish the calls of a line.
    calls: FxHashMap<ProvenanceId, u32>,
    scopes: FxHashMap<ScopeId, ScopeIndex>,
    stacks: FxHashMap<StackId, StackIndex>,
    details: FxHashMap<u32, DetailIndex>,
    /// The number of uses of undefined ids.
    pub(super) missing: u64,
}

impl Tables {
    /// Reads the definitions, which may follow their uses.
    pub(super) fn collect<'a>(
        recording: &mut Recording,
        source: SourceIndex,
        records: impl Iterator<Item = Record<'a>>,
    ) -> Self {
        let mut tables = Tables::default();
        let mut places: Vec<Provenance> = Vec::new();
        let mut scopes: BTreeMap<ScopeId, record::Scope<'a>> = BTreeMap::new();
        let mut callers: BTreeMap<StackId, record::Caller> = BTreeMap::new();
        let mut texts: BTreeMap<(NameId, u32), record::SourceText<'a>> = BTreeMap::new();
        let mut images: BTreeMap<(ImageId, u32), record::Image<'a>> = BTreeMap::new();
        for record in records {
            match record {
                Record::Name(name) => {
                    let text = recording.strings.intern(name.text);
                    tables.names.insert(name.id, text);
                }
                Record::Provenance(place) => places.push(place),
                Record::Scope(scope) => drop(scopes.insert(scope.id, scope)),
                Record::Caller(caller) => drop(callers.insert(caller.id, caller)),
                Record::Image(part) => drop(images.insert((part.id, part.part), part)),
                Record::SourceText(text) => drop(texts.insert((text.file, text.part), text)),
                Record::KernelShape(shape) => {
                    tables.define(recording, shape.id, Detail::Kernel(shape))
                }
                Record::CopyRoute(route) => tables.define(recording, route.id, Detail::Copy(route)),
                Record::FillValue(value) => tables.define(recording, value.id, Detail::Fill(value)),
                _ => {}
            }
        }
        for place in places {
            let row = ProvenanceRow {
                file: tables.name(place.file),
                line: place.line,
                function: tables.name(place.function),
            };
            let index = recording.program.provenances.intern(row);
            tables.provenances.insert(place.id, index);
            tables.calls.insert(place.id, place.column);
        }
        // Enclosing scopes have smaller numbers.
        for scope in scopes.values() {
            let row = ScopeRow {
                parent: tables.scope(scope.parent),
                name: recording.strings.intern(scope.name),
            };
            let index = recording.program.scopes.intern(row);
            tables.scopes.insert(scope.id, index);
        }
        for caller in callers.values() {
            let row = StackRow {
                parent: tables.stack(caller.parent),
                place: tables.provenance(caller.provenance),
            };
            let index = recording.program.stacks.intern(row);
            tables.stacks.insert(caller.id, index);
        }
        tables.texts(recording, source, texts);
        put_together(recording, source, images);
        tables
    }

    /// Combines the consecutive parts of texts. A text that another rank recorded is stored once.
    fn texts(
        &mut self,
        recording: &mut Recording,
        source: SourceIndex,
        parts: BTreeMap<(NameId, u32), record::SourceText<'_>>,
    ) {
        let mut whole: Vec<(SourceText, u32)> = Vec::new();
        for part in parts.values() {
            let file = self.name(part.file);
            match whole.last_mut() {
                Some((text, next)) if text.file == file && *next == part.part => {
                    text.text.push_str(part.text);
                    *next += 1;
                }
                _ if part.part == 0 => whole.push((
                    SourceText {
                        source,
                        file,
                        text: part.text.to_owned(),
                        bytes: part.bytes,
                        newer: part.newer,
                    },
                    1,
                )),
                _ => {}
            }
        }
        for (text, _) in whole {
            let same = |known: &SourceText| known.file == text.file && known.text == text.text;
            if !recording.program.source_texts.iter().any(same) {
                recording.program.source_texts.push(text);
            }
        }
    }

    /// Returns a scope. An undefined one is counted, and none.
    pub(super) fn scope(&mut self, id: ScopeId) -> ScopeIndex {
        defined(&self.scopes, id, id.0 == 0, &mut self.missing)
    }

    /// Returns a stack of calls. If it is undefined, counts it and returns none.
    pub(super) fn stack(&mut self, id: StackId) -> StackIndex {
        defined(&self.stacks, id, id.0 == 0, &mut self.missing)
    }

    fn define(&mut self, recording: &mut Recording, id: u32, detail: Detail) {
        self.details
            .insert(id, DetailIndex(recording.devices.details.len() as u32));
        recording.devices.details.push(detail);
    }

    /// Returns the detail shared by kernels. `None` for id 0, and for an undefined id, which is
    /// counted.
    pub(super) fn detail(&mut self, id: u32) -> Option<DetailIndex> {
        let found = self.details.get(&id).copied();
        self.missing += u64::from(id != 0 && found.is_none());
        found
    }

    /// Returns the text of a name. An undefined one is counted, and empty.
    pub(super) fn name(&mut self, id: NameId) -> StringIndex {
        defined(&self.names, id, id.0 == 0, &mut self.missing)
    }

    /// Returns the number that distinguishes the calls of a line; 0 if unknown.
    pub(super) fn call(&self, id: ProvenanceId) -> u32 {
        self.calls.get(&id).copied().unwrap_or(0)
    }

    /// Returns a source position. An undefined one is counted, and unknown.
    pub(super) fn provenance(&mut self, id: ProvenanceId) -> ProvenanceIndex {
        defined(&self.provenances, id, id.0 == 0, &mut self.missing)
    }
}

/// Combines the parts of images. An image that lacks a part is treated as missing, because tiles
/// would seem to touch less than they do.
fn put_together(
    recording: &mut Recording,
    source: SourceIndex,
    parts: BTreeMap<(ImageId, u32), record::Image<'_>>,
) {
    let parts: Vec<record::Image<'_>> = parts.into_values().collect();
    for parts in parts.chunk_by(|one, next| one.id == next.id) {
        let words: Vec<u64> = parts.iter().flat_map(|part| part.list.iter()).collect();
        let is_whole = parts
            .iter()
            .zip(0..)
            .all(|(part, number)| part.part == number && part.words == words.len() as u64);
        let image = is_whole.then(|| Image::from_words(words)).flatten();
        if let (Some(image), Some(part)) = (image, parts.first()) {
            recording
                .program
                .images
                .insert(source, part.id.0, Arc::new(image));
        }
    }
}

/// Returns the value of an id, or the default if it is undefined. An undefined id is counted unless
/// it means none.
fn defined<K: Hash + Eq, V: Copy + Default>(
    rows: &FxHashMap<K, V>,
    id: K,
    is_none: bool,
    missing: &mut u64,
) -> V {
    rows.get(&id).copied().unwrap_or_else(|| {
        *missing += u64::from(!is_none);
        V::default()
    })
}
