//! Strings and source positions by number: each is written down once.

use std::collections::HashMap;
use std::panic::Location;

use weft_trace::id::{NameId, ProvenanceId};
use weft_trace::record;

use super::Recorder;

/// The longest string written; the rest of a longer one is cut.
const LONGEST: usize = 32 << 10;

/// The numbers given so far. Belongs to the analysis, so that no lock is needed.
#[derive(Default)]
pub(crate) struct Names {
    strings: HashMap<String, NameId>,
    /// By address: the compiler makes one `Location` a call.
    positions: HashMap<usize, ProvenanceId>,
    /// Names of kernels, by operation and dtype.
    kernels: HashMap<(&'static str, &'static str), NameId>,
}

impl Names {
    /// The number of a string.
    pub(crate) fn string(&mut self, recorder: &Recorder, text: &str) -> NameId {
        if let Some(id) = self.strings.get(text) {
            return *id;
        }
        let id = NameId(self.strings.len() as u32 + 1);
        let end = (0..=text.len().min(LONGEST))
            .rev()
            .find(|end| text.is_char_boundary(*end));
        recorder.write(&record::Name {
            id,
            text: &text[..end.unwrap_or(0)],
        });
        self.strings.insert(text.to_owned(), id);
        id
    }

    /// The number of a source position.
    pub(crate) fn position(
        &mut self,
        recorder: &Recorder,
        location: &'static Location<'static>,
    ) -> ProvenanceId {
        let address = std::ptr::from_ref(location).addr();
        if let Some(id) = self.positions.get(&address) {
            return *id;
        }
        let file = self.string(recorder, location.file());
        let id = ProvenanceId(self.positions.len() as u32 + 1);
        recorder.write(&record::Provenance {
            id,
            file,
            function: NameId(0),
            line: location.line(),
            column: location.column(),
        });
        self.positions.insert(address, id);
        id
    }

    /// The number of the name of a kernel: what it does and on which dtype.
    pub(crate) fn kernel(
        &mut self,
        recorder: &Recorder,
        kernel: &'static str,
        dtype: &'static str,
    ) -> NameId {
        if let Some(id) = self.kernels.get(&(kernel, dtype)) {
            return *id;
        }
        let id = self.string(recorder, &format!("{kernel}_{dtype}"));
        self.kernels.insert((kernel, dtype), id);
        id
    }
}
