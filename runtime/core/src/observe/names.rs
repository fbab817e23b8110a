//! Numbers of strings and source positions: each is recorded once.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use weft_trace::id::{NameId, ProvenanceId, ScopeId, StackId};
use weft_trace::record;

use super::Recorder;
use super::sources::{Sources, floor};
use crate::dtype::DType;
use crate::site::Site;

/// Maximum length of a recorded string in bytes; the rest is cut.
pub(crate) const LONGEST: usize = 32 << 10;

/// The numbers assigned so far. Owned by the analysis, so that no lock is needed.
#[derive(Default)]
pub(crate) struct Names {
    /// Offset of the numbers, which keeps them apart from those of other analyses.
    first: u32,
    strings: HashMap<String, NameId>,
    /// Numbers of positions by the address of the call.
    positions: FxHashMap<usize, ProvenanceId>,
    /// By file, function, line and call number: calls that differ only in their callers are one
    /// position.
    places: FxHashMap<(NameId, NameId, u32, u32), ProvenanceId>,
    /// Numbers of stacks by the stack without its innermost call, and that call.
    stacks: FxHashMap<(StackId, ProvenanceId), StackId>,
    /// Numbers of scopes by the address of the scope.
    pub(crate) scopes: FxHashMap<usize, ScopeId>,
    /// The text of the files, if it is kept.
    sources: Option<Sources>,
    dtypes: FxHashMap<DType, NameId>,
    /// By the addresses of position, scope, operation's and kernel's name, and the dtype: one
    /// lookup for each operation.
    pub(crate) calls: FxHashMap<([usize; 4], DType), CallLabels>,
}

/// The numbers that describe the operations of one call.
#[derive(Clone, Copy)]
pub(crate) struct CallLabels {
    /// The operation's name.
    pub(crate) name: NameId,
    /// The place of the call.
    pub(crate) provenance: ProvenanceId,
    /// The name of its kernels: what they compute, and the dtype.
    pub(crate) kernel: NameId,
    /// The scope around the call.
    pub(crate) scope: ScopeId,
    /// The calls that led to it.
    pub(crate) stack: StackId,
}

impl Names {
    /// Creates the numbers of one of several analyses in a profile: each has 2^24 numbers of each
    /// kind.
    pub(crate) fn numbered(analysis: u32) -> Names {
        Names {
            first: analysis << 24,
            ..Names::default()
        }
    }

    /// Returns the number that follows `known` assigned ones.
    pub(crate) fn next(&self, known: usize) -> u32 {
        self.first + known as u32 + 1
    }

    /// Records the text of files from now on.
    pub(crate) fn keep_sources(&mut self) {
        self.sources = Some(Sources::new());
    }

    /// Returns the number of a string.
    pub(crate) fn string(&mut self, recorder: &Recorder, text: &str) -> NameId {
        if let Some(id) = self.strings.get(text) {
            return *id;
        }
        let id = NameId(self.next(self.strings.len()));
        recorder.write(&record::Name {
            id,
            text: &text[..floor(text, LONGEST)],
        });
        self.strings.insert(text.to_owned(), id);
        id
    }

    /// Returns the number of a source position.
    pub(crate) fn position(&mut self, recorder: &Recorder, location: Site) -> ProvenanceId {
        let address = location.address();
        if let Some(id) = self.positions.get(&address) {
            return *id;
        }
        let file = self.string(recorder, location.file());
        let function = match location.function() {
            "" => NameId(0),
            function => self.string(recorder, function),
        };
        let (line, column) = (location.line(), location.call_number());
        let next = ProvenanceId(self.next(self.places.len()));
        let id = *self
            .places
            .entry((file, function, line, column))
            .or_insert(next);
        self.positions.insert(address, id);
        if id == next {
            recorder.write(&record::Provenance {
                id,
                file,
                function,
                line,
                column,
            });
            if let Some(sources) = &mut self.sources {
                sources.keep(recorder, file, location);
            }
        }
        id
    }

    /// Returns the number of the stack of calls that led to a call; 0 if it is not kept.
    pub(crate) fn stack(&mut self, recorder: &Recorder, location: Site) -> StackId {
        let callers: Vec<Site> =
            std::iter::successors(location.called_by(), |site| site.called_by()).collect();
        callers
            .into_iter()
            .rev()
            .fold(StackId::default(), |parent, caller| {
                let provenance = self.position(recorder, caller);
                let next = StackId(self.next(self.stacks.len()));
                let id = *self.stacks.entry((parent, provenance)).or_insert(next);
                if id == next {
                    recorder.write(&record::Caller {
                        id,
                        parent,
                        provenance,
                    });
                }
                id
            })
    }

    /// Returns the number of a dtype's name.
    pub(crate) fn dtype(&mut self, recorder: &Recorder, dtype: DType) -> NameId {
        if let Some(id) = self.dtypes.get(&dtype) {
            return *id;
        }
        let id = self.string(recorder, dtype.name());
        self.dtypes.insert(dtype, id);
        id
    }
}
