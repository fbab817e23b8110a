//! Names and source positions that a file defines, before or after it uses them.

use super::provenance;
use rustc_hash::FxHashMap;
use weft_model::{ProvenanceIndex, Recording, StringIndex};

/// The maximum number of undefined names that are replaced by their numbers. A damaged file may use
/// any number of them.
const MAX_NUMBERED: u64 = 1000;

/// The kind of object that an id names. Each kind has its own ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ObjectKind {
    /// A task of the program.
    Task,
    /// A kind of operations.
    Operation,
    /// A call to a mapper.
    MapperCall,
    /// A call of the runtime.
    RuntimeCall,
    /// A task of the runtime itself.
    Meta,
    /// A range of the program, by its provenance.
    Application,
    /// The text with this index.
    Text,
}

impl ObjectKind {
    const fn name(self) -> &'static str {
        match self {
            ObjectKind::Task => "task",
            ObjectKind::Operation => "operation",
            ObjectKind::MapperCall => "mapper call",
            ObjectKind::RuntimeCall => "runtime call",
            ObjectKind::Meta => "meta task",
            ObjectKind::Application => "range",
            ObjectKind::Text => "text",
        }
    }
}

/// The names of one file.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: FxHashMap<(ObjectKind, u64), StringIndex>,
    provenances: FxHashMap<u64, Box<str>>,
    /// The source positions of provenances.
    places: FxHashMap<u64, ProvenanceIndex>,
    /// The number of uses of undefined ids.
    pub(super) missing: u64,
}

impl Names {
    /// Defines a name. An earlier name is kept unless `replaced` is set.
    pub(super) fn define(&mut self, what: ObjectKind, id: u64, name: StringIndex, replaced: bool) {
        let slot = self.names.entry((what, id)).or_insert(name);
        if replaced {
            *slot = name;
        }
    }

    /// Defines a provenance.
    pub(super) fn define_provenance(&mut self, id: u64, text: &str) {
        self.provenances.insert(id, text.into());
    }

    /// Returns the name. An undefined one is counted, and replaced by its number.
    pub(super) fn name(
        &mut self,
        recording: &mut Recording,
        what: ObjectKind,
        id: u64,
    ) -> StringIndex {
        if what == ObjectKind::Text {
            return StringIndex(u32::try_from(id).unwrap_or_default());
        }
        if let Some(name) = self.names.get(&(what, id)) {
            return *name;
        }
        let range = (what == ObjectKind::Application).then(|| self.provenances.get(&id));
        let name = match range.flatten() {
            Some(text) => recording.strings.intern(&provenance::label(text)),
            None => {
                self.missing += 1;
                if self.missing > MAX_NUMBERED {
                    return recording.strings.intern(what.name());
                }
                recording.strings.intern(&format!("{} {id}", what.name()))
            }
        };
        self.define(what, id, name, true);
        name
    }

    /// Returns the source position. An undefined one is counted, and unknown.
    pub(super) fn place(&mut self, recording: &mut Recording, id: u64) -> ProvenanceIndex {
        if id == 0 {
            return ProvenanceIndex(0);
        }
        let Some(text) = self.provenances.get(&id) else {
            self.missing += 1;
            return ProvenanceIndex(0);
        };
        let place = || provenance::intern(recording, text);
        *self.places.entry(id).or_insert_with(place)
    }
}

/// Numbers for names that may be defined later. Rows hold the number until the whole file was read.
#[derive(Debug, Default)]
pub(super) struct Promised {
    numbers: FxHashMap<(ObjectKind, u64), u32>,
    names: Vec<(ObjectKind, u64)>,
}

impl Promised {
    /// Returns the number for a name.
    #[inline]
    pub(super) fn number(&mut self, what: ObjectKind, id: u64) -> StringIndex {
        let names = &mut self.names;
        StringIndex(*self.numbers.entry((what, id)).or_insert_with(|| {
            names.push((what, id));
            names.len() as u32 - 1
        }))
    }

    /// Returns the names, by number.
    pub(super) fn resolve(&self, recording: &mut Recording, names: &mut Names) -> Vec<StringIndex> {
        let all = self.names.iter();
        all.map(|(what, id)| names.name(recording, *what, *id))
            .collect()
    }
}
