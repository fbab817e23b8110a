//! The function that a chain computes at one index, as CUDA C.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use super::super::c::{prelude, type_name};
use super::super::{Chain, Step, StepKind, Value};
use crate::dtype::DType;

/// Maximum number of steps listed in a name.
const MAX_NAMED: usize = 6;

/// The function of a chain at one index, without its operands' places in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChainFunction {
    /// The dtypes of the inputs.
    pub inputs: SmallVec<[DType; 8]>,
    steps: SmallVec<[Step; 8]>,
    /// The steps whose results it returns.
    outputs: SmallVec<[u16; 2]>,
}

impl ChainFunction {
    pub(super) fn new(
        inputs: SmallVec<[DType; 8]>,
        steps: SmallVec<[Step; 8]>,
        outputs: SmallVec<[u16; 2]>,
    ) -> ChainFunction {
        ChainFunction {
            inputs,
            steps,
            outputs,
        }
    }

    /// Returns the function of a chain that returns what the chain writes, and then the result of
    /// the step `last`.
    pub fn from_chain(chain: &Chain, last: u16) -> ChainFunction {
        let written = chain.outputs.iter().map(|(step, _)| *step);
        ChainFunction {
            inputs: chain.inputs.iter().map(|input| input.dtype()).collect(),
            steps: chain.steps.clone(),
            outputs: written.chain([last]).collect(),
        }
    }

    /// Returns the dtypes of the results of all steps.
    pub(super) fn steps(&self) -> SmallVec<[DType; 8]> {
        let mut results = SmallVec::new();
        for step in &self.steps {
            let dtypes = self.dtypes(step, &results);
            let Some(dtype) = step.kind.output(&dtypes) else {
                unreachable!("{} is not defined for {dtypes:?}", step.kind.name());
            };
            results.push(dtype);
        }
        results
    }

    /// Returns the dtypes of the results that the function returns.
    pub fn results(&self) -> SmallVec<[DType; 2]> {
        let steps = self.steps();
        let outputs = self.outputs.iter();
        outputs.map(|&step| steps[usize::from(step)]).collect()
    }

    /// Returns the dtype of the last result that the function returns.
    ///
    /// # Panics
    /// Panics if it returns none, as no function of a folded chain does.
    pub fn last(&self) -> DType {
        self.results()[self.outputs.len() - 1]
    }

    /// Returns the dtypes of a step's inputs; `results` has those of the earlier steps at least.
    fn dtypes(&self, step: &Step, results: &[DType]) -> SmallVec<[DType; 4]> {
        let inputs = step.inputs.iter();
        inputs.map(|&value| self.dtype(value, results)).collect()
    }

    /// Returns the dtype of a step's input; `results` has those of the earlier steps at least.
    pub(super) fn dtype(&self, value: Value, results: &[DType]) -> DType {
        match value {
            Value::Input(at) => self.inputs[usize::from(at)],
            Value::Step(at) => results[usize::from(at)],
        }
    }

    /// Returns the dtype of the first step's last input, so that a choice counts by its values.
    pub(super) fn first_dtype(&self) -> DType {
        let first = self.steps[0].inputs.last();
        first.map_or(DType::Bool, |&value| self.dtype(value, &[]))
    }

    /// Returns a part of a kernel's name: `_` and the name of each step, in order. `is_fill` if the
    /// only step copies an argument.
    pub fn name(&self, is_fill: bool) -> String {
        let mut name = String::new();
        let makes_values = |step: &&Step| self.steps.len() == 1 || step.kind != StepKind::COPY;
        for step in self.steps.iter().filter(makes_values).take(MAX_NAMED) {
            name.push('_');
            name.push_str(if is_fill {
                "fill"
            } else {
                step.kind.gpu_name()
            });
        }
        if self.steps.len() > MAX_NAMED {
            name.push_str("_etc");
        }
        name
    }

    /// Returns whether the name lists all steps.
    pub(super) fn has_full_name(&self) -> bool {
        self.steps.len() <= MAX_NAMED
    }

    /// Returns the task whose user wrote the code of a step, if any.
    pub fn task(&self) -> Option<&str> {
        author(&self.steps)
    }

    /// Computes the same hash in every run: steps are hashed by their names, not by their
    /// addresses.
    pub fn hash_names<H: Hasher>(&self, state: &mut H) {
        (&self.inputs, self.steps.len()).hash(state);
        for Step { kind, inputs } in &self.steps {
            kind.hash_name(state);
            inputs.hash(state);
        }
        self.outputs.hash(state);
    }

    /// Returns the CUDA C of everything that the function needs, and the function itself: `void
    /// apply(a0, a1, ..., &r0, &r1, ...)` of the inputs and the results. `more` are further dtypes
    /// whose types are defined.
    pub fn source(&self, more: &[DType]) -> String {
        let mut dtypes = self.steps();
        dtypes.extend(self.inputs.iter().copied());
        dtypes.extend_from_slice(more);
        let mut out = prelude(&dtypes);
        out.push('\n');
        self.definitions(&mut out);
        self.apply(&mut out);
        out
    }

    /// Writes the definitions that functions need beyond the prelude, each once.
    fn definitions(&self, out: &mut String) {
        let texts = self
            .steps
            .iter()
            .filter_map(|step| step.kind.cuda_definitions());
        let mut known: Vec<&str> = Vec::new();
        for text in texts {
            if !known.contains(&text) {
                known.push(text);
                out.push_str(text);
                out.push('\n');
            }
        }
    }

    fn apply(&self, out: &mut String) {
        let steps = self.steps();
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(at, &input)| format!("{} a{at}", type_name(input)));
        let outputs = self.results().into_iter().enumerate();
        let outputs = outputs.map(|(at, dtype)| format!("{} &r{at}", type_name(dtype)));
        let parameters: Vec<String> = inputs.chain(outputs).collect();
        let parameters = parameters.join(", ");
        let _ = writeln!(out, "WEFT_INLINE void apply({parameters}) {{");
        for (at, step) in self.steps.iter().enumerate() {
            let _ = writeln!(
                out,
                "    const {} s{at} = {};",
                type_name(steps[at]),
                expression(step, &self.dtypes(step, &steps))
            );
        }
        for (at, output) in self.outputs.iter().enumerate() {
            let _ = writeln!(out, "    r{at} = s{output};");
        }
        out.push_str("}\n\n");
    }
}

/// Returns the task whose user wrote the code of a step, if any.
pub(super) fn author(steps: &[Step]) -> Option<&str> {
    steps.iter().find_map(|step| step.kind.cuda_author())
}

/// Returns the expression of a step. Inputs of the chain are `a0` and so on, results of steps `s0`
/// and so on.
fn expression(step: &Step, dtypes: &[DType]) -> String {
    let values = step.inputs.iter().map(|value| match value {
        Value::Input(at) => format!("a{at}"),
        Value::Step(at) => format!("s{at}"),
    });
    let values: Vec<String> = values.collect();
    let Some(expression) = step.kind.cuda(&values, dtypes) else {
        unreachable!("{} has no code for GPUs", step.kind.name());
    };
    expression
}
