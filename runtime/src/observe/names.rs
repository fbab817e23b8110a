//! Numbers for strings and source positions: each is recorded once.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use weft_trace::id::{NameId, ProvenanceId};
use weft_trace::record;

use super::Recorder;
use crate::dtype::DType;
use crate::operation::Operation;
use crate::site::Site;

/// The longest string written; the rest of a longer one is cut.
const LONGEST: usize = 32 << 10;

/// The numbers given so far. Belongs to the analysis, so that no lock is needed.
#[derive(Default)]
pub(crate) struct Names {
    strings: HashMap<String, NameId>,
    /// By the address of the call.
    positions: FxHashMap<usize, ProvenanceId>,
    dtypes: FxHashMap<DType, NameId>,
    /// By the addresses of position, operation's and kernel's name, and the dtype: one look-up for each operation.
    calls: FxHashMap<([usize; 3], DType), CallLabels>,
}

/// What describes the operations that one call asks for.
#[derive(Clone, Copy)]
pub(crate) struct CallLabels {
    /// The operation's name.
    pub(crate) name: NameId,
    /// Where the call stands.
    pub(crate) provenance: ProvenanceId,
    /// The name of its kernels: what they do and on which dtype.
    pub(crate) kernel: NameId,
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
        let id = ProvenanceId(self.positions.len() as u32 + 1);
        recorder.write(&record::Provenance {
            id,
            file,
            function,
            line: location.line(),
            column: location.column(),
        });
        self.positions.insert(address, id);
        id
    }

    /// The number of a dtype's name.
    pub(crate) fn dtype(&mut self, recorder: &Recorder, dtype: DType) -> NameId {
        if let Some(id) = self.dtypes.get(&dtype) {
            return *id;
        }
        let id = self.string(recorder, dtype.name());
        self.dtypes.insert(dtype, id);
        id
    }

    /// The name of the kernel that does these operations together: what they do, in order, and the last one's dtype.
    pub(crate) fn fused(&mut self, recorder: &Recorder, operations: &[Arc<Operation>]) -> NameId {
        /// A name says so many of the operations.
        const SAID: usize = 6;
        let mut text = String::new();
        for operation in operations.iter().take(SAID) {
            text.push_str(operation.body.kernel_name());
            text.push('_');
        }
        if operations.len() > SAID {
            text.push_str(&format!("{}_more_", operations.len() - SAID));
        }
        let dtype = operations.last().map_or(DType::Bool, |last| last.dtype());
        text.push_str(dtype.name());
        self.string(recorder, &text)
    }

    /// The numbers that describe the operations of one call.
    pub(crate) fn call(
        &mut self,
        recorder: &Recorder,
        operation: &Operation,
        provenance: bool,
    ) -> CallLabels {
        let address = |text: &'static str| text.as_ptr().addr();
        let position = operation.call().address();
        let (name, kernel) = (operation.name(), operation.body.kernel_name());
        let key = (
            [position, address(name), address(kernel)],
            operation.dtype(),
        );
        if let Some(call) = self.calls.get(&key) {
            return *call;
        }
        let name = self.string(recorder, name);
        let position = operation.location(provenance);
        let provenance = position.map(|position| self.position(recorder, position));
        let kernel = format!("{kernel}_{}", operation.dtype());
        let kernel = self.string(recorder, &kernel);
        let call = CallLabels {
            name,
            provenance: provenance.unwrap_or_default(),
            kernel,
        };
        self.calls.insert(key, call);
        call
    }
}
