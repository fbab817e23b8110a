//! The steps of chains.

use smallvec::SmallVec;

use super::StepKind;

/// The source of a step's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An element of the chain's input with this number.
    Input(u16),
    /// The result of the step with this number, which must be an earlier one.
    Step(u16),
}

/// An elementwise operation of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The function.
    pub kind: StepKind,
    /// The inputs, as many as the function takes.
    pub inputs: SmallVec<[Value; 3]>,
}

impl Step {
    /// Returns the earlier steps whose results this step uses, each as often as it does.
    pub fn steps(&self) -> impl Iterator<Item = u16> {
        self.inputs.iter().filter_map(|input| match input {
            Value::Step(step) => Some(*step),
            Value::Input(_) => None,
        })
    }

    /// Whether the step uses the elements of an input of the chain.
    pub fn reads(&self, input: u16) -> bool {
        self.inputs.contains(&Value::Input(input))
    }
}
