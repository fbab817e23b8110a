//! What a chain is made of.

use smallvec::SmallVec;

use super::StepKind;

/// Where a step takes a value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An element of the chain's input with this number.
    Input(u16),
    /// The result of the step with this number, an earlier one.
    Step(u16),
}

/// One elementwise operation of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// With which values, as many as the kind takes.
    pub inputs: SmallVec<[Value; 3]>,
}

impl Step {
    /// The earlier steps whose results it takes, each as often as it does.
    pub fn steps(&self) -> impl Iterator<Item = u16> {
        self.inputs.iter().filter_map(|input| match input {
            Value::Step(step) => Some(*step),
            Value::Input(_) => None,
        })
    }

    /// Whether it takes the elements of an input of the chain.
    pub fn reads(&self, input: u16) -> bool {
        self.inputs.contains(&Value::Input(input))
    }
}
