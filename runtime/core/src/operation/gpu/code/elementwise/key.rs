//! The properties that the source of a chain's kernel depends on, and its name.

use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use super::super::name::digits;
use super::super::{Step, StepKind, Value};
use super::function::{ChainFunction, author};
use crate::dtype::DType;

/// Identifies one kernel of chains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChainKernelKey {
    pub(super) form: Form,
    /// Whether indices need 64 bits.
    pub(in super::super) is_wide: bool,
    pub(super) inputs: SmallVec<[Input; 8]>,
    pub(super) steps: SmallVec<[Step; 8]>,
    pub(super) outputs: SmallVec<[Output; 2]>,
    /// The distinct ways in which operands that are accessed at each index advance.
    pub(super) places: SmallVec<[Advance; 4]>,
}

/// The loops of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// One loop.
    Flat {
        /// Number of elements that are read and written at once.
        pack: u8,
    },
    /// Several loops.
    Nested {
        /// Number of loops.
        rank: u8,
    },
}

/// The way in which an input reaches the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Input {
    /// Passed as an argument.
    Argument(DType),
    /// In memory, one element for all indices.
    Once(DType),
    /// In memory, an element for each index.
    Each {
        /// Dtype of the elements.
        dtype: DType,
        /// Index of its way of advancing in [`ChainKernelKey::places`].
        place: u8,
    },
}

impl Input {
    pub(super) fn dtype(&self) -> DType {
        match *self {
            Input::Argument(dtype) | Input::Once(dtype) | Input::Each { dtype, .. } => dtype,
        }
    }
}

/// A result that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Output {
    /// The step whose result it is.
    pub(super) step: u16,
    /// Index of its way of advancing in [`ChainKernelKey::places`].
    pub(super) place: u8,
}

/// The way in which an operand advances along the innermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Advance {
    /// To the next element in memory.
    Dense,
    /// Not at all.
    Still,
    /// By a step that is an argument.
    Stepping,
}

impl ChainKernelKey {
    /// Returns what it computes at one index.
    pub(super) fn function(&self) -> ChainFunction {
        ChainFunction::new(
            self.inputs.iter().map(Input::dtype).collect(),
            self.steps.clone(),
            self.outputs.iter().map(|output| output.step).collect(),
        )
    }

    /// Returns the number of packs per thread.
    pub(super) fn packs(&self) -> usize {
        let loads = self
            .inputs
            .iter()
            .filter(|input| matches!(input, Input::Each { .. }))
            .count();
        match self.form {
            Form::Flat { pack: 1 } => 4,
            Form::Flat { pack: 2 } if loads <= 6 => 2,
            Form::Flat { pack: 4 } if loads <= 3 => 2,
            _ => 1,
        }
    }

    /// Returns the name: the steps in order, then the dtype of the first step's input. A cast is
    /// followed by the dtype it makes. [`digits`] follow unless this [`is_plain`](Self::is_plain).
    pub(crate) fn name(&self) -> String {
        let function = self.function();
        let is_fill = matches!(
            (&*self.steps, &*self.inputs),
            ([step], [Input::Argument(_)]) if step.kind == StepKind::COPY
        );
        let (steps, dtype) = (function.name(is_fill), function.first_dtype());
        let mut name = format!("weft{steps}_{}", dtype.name());
        if !self.is_plain(&function) {
            name.push('_');
            name.push_str(&digits(&WithoutName(self)));
        }
        name
    }

    /// Returns the function with code of a user, if there is one.
    pub(crate) fn task(&self) -> Option<&str> {
        author(&self.steps)
    }

    /// Returns whether the name describes the kernel completely. Each step takes the previous
    /// result and, like the first one, inputs that no other step takes, which are dense and of one
    /// dtype. The last result is written, in packs of 16 bytes.
    fn is_plain(&self, function: &ChainFunction) -> bool {
        let first_dtype = function.first_dtype();
        let (mut fresh, mut widest) = (0, 1);
        for (at, step) in self.steps.iter().enumerate() {
            for (place, &value) in step.inputs.iter().enumerate() {
                if at > 0 && place == 0 && value == Value::Step(at as u16 - 1) {
                    continue;
                }
                if value != Value::Input(fresh) {
                    return false;
                }
                fresh += 1;
                let dtype = function.dtype(value, &[]);
                let is_condition = step.kind.is_condition(place);
                if dtype
                    != if is_condition {
                        DType::Bool
                    } else {
                        first_dtype
                    }
                {
                    return false;
                }
                widest = widest.max(dtype.size());
            }
        }
        let results = function.steps();
        let is_fill = self.steps.len() == 1 && matches!(self.inputs[..], [Input::Argument(_)]);
        let is_read = |input: &Input| matches!(input, Input::Each { .. });
        let written = results.len() as u16 - 1;
        widest = widest.max(results[usize::from(written)].size());
        function.has_full_name()
            && usize::from(fresh) == self.inputs.len()
            && (is_fill || self.inputs.iter().all(is_read))
            && self.places[..] == [Advance::Dense]
            && self.outputs[..]
                == [Output {
                    step: written,
                    place: 0,
                }]
            && self.form
                == Form::Flat {
                    pack: (16 / widest) as u8,
                }
            && !self.is_wide
    }
}

/// A key with the same hash in every run: functions are hashed by their names, not by their
/// addresses.
struct WithoutName<'a>(&'a ChainKernelKey);

impl Hash for WithoutName<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ChainKernelKey {
            form,
            is_wide,
            inputs,
            steps,
            outputs,
            places,
        } = self.0;
        (form, is_wide, inputs, steps.len()).hash(state);
        for Step { kind, inputs } in steps {
            kind.hash_name(state);
            inputs.hash(state);
        }
        (outputs, places).hash(state);
    }
}
