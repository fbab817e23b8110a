//! Numbers that describe operations in records.

use std::sync::Arc;

use weft_trace::id::{NameId, ScopeId};
use weft_trace::record;

use super::Operation;
use crate::dtype::DType;
use crate::observe::{CallLabels, LONGEST, Names, Recorder, floor};
use crate::scope::Scope;

impl Names {
    /// Returns the number of a scope; 0 for none.
    pub(crate) fn scope(&mut self, recorder: &Recorder, scope: Option<Scope>) -> ScopeId {
        let Some(scope) = scope else {
            return ScopeId::default();
        };
        if let Some(id) = self.scopes.get(&scope.address()) {
            return *id;
        }
        let parent = self.scope(recorder, scope.parent());
        let id = ScopeId(self.next(self.scopes.len()));
        let name = scope.name();
        recorder.write(&record::Scope {
            id,
            parent,
            name: &name[..floor(name, LONGEST)],
        });
        self.scopes.insert(scope.address(), id);
        id
    }

    /// Returns the name of the kernel that runs these operations fused: their kernels' names in
    /// order, and the last one's dtype.
    pub(crate) fn fused(&mut self, recorder: &Recorder, operations: &[Arc<Operation>]) -> NameId {
        /// Maximum number of operations in a name.
        const SAID: usize = 6;
        let mut text = String::new();
        for operation in operations.iter().take(SAID) {
            text.push_str(operation.body.kernel);
            text.push('_');
        }
        if operations.len() > SAID {
            text.push_str(&format!("{}_more_", operations.len() - SAID));
        }
        let dtype = operations.last().map_or(DType::Bool, |last| last.dtype());
        text.push_str(dtype.name());
        self.string(recorder, &text)
    }

    /// Returns the numbers that describe the operations of one call.
    pub(crate) fn call(
        &mut self,
        recorder: &Recorder,
        operation: &Operation,
        provenance: bool,
    ) -> CallLabels {
        let address = |text: &'static str| text.as_ptr().addr();
        let position = operation.call().address();
        let (name, kernel) = (operation.name(), operation.body.kernel);
        let key = (
            [
                position,
                operation.scope.map_or(0, Scope::address),
                address(name),
                address(kernel),
            ],
            operation.dtype(),
        );
        if let Some(call) = self.calls.get(&key) {
            return *call;
        }
        let name = self.string(recorder, name);
        let scope = self.scope(recorder, operation.scope);
        let position = operation.location(provenance);
        let stack = position.map(|position| self.stack(recorder, position));
        let provenance = position.map(|position| self.position(recorder, position));
        let kernel = format!("{kernel}_{}", operation.dtype());
        let kernel = self.string(recorder, &kernel);
        let call = CallLabels {
            name,
            provenance: provenance.unwrap_or_default(),
            kernel,
            scope,
            stack: stack.unwrap_or_default(),
        };
        self.calls.insert(key, call);
        call
    }
}
